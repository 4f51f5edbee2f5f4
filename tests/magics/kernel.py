"""A real kernel, driven as a front end does: cells with ids, answers to a debugger, breakpoints, interrupts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jupyter_client.blocking import BlockingKernelClient
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import KernelManager

SECONDS = 60


@dataclass
class Reply:
    """What came of a cell: whether it raised, its outputs as messages, and the messages to widgets."""

    status: str = ""
    error: str = ""
    messages: list[dict[str, Any]] = field(default_factory=list)

    def of(self, kind: str) -> list[dict[str, Any]]:
        """Return the contents of the messages of one kind."""
        return [message["content"] for message in self.messages if message["msg_type"] == kind]

    @property
    def text(self) -> str:
        """What was printed."""
        return "".join(content["text"] for content in self.of("stream"))

    @property
    def shown(self) -> str:
        """What was displayed, as text."""
        return "\n".join(content["data"].get("text/plain", "") for content in self.of("display_data"))

    @property
    def views(self) -> list[str]:
        """The models of the widgets that were shown, in order."""
        kind = "application/vnd.jupyter.widget-view+json"
        shown = [*self.of("display_data"), *self.of("execute_result")]
        return [content["data"][kind]["model_id"] for content in shown if kind in content["data"]]

    @property
    def closed(self) -> list[str]:
        """The widgets that were closed."""
        return [content["comm_id"] for content in self.of("comm_close")]

    @property
    def value(self) -> str | None:
        """The cell's value as text."""
        results = self.of("execute_result")
        return results[0]["data"]["text/plain"] if results else None


class Kernel:
    """One running kernel."""

    def __init__(self, manager: KernelManager, client: BlockingKernelClient) -> None:
        self.manager = manager
        self.client = client

    def run(
        self, code: str, cell: str = "", typed: tuple[str, ...] = (), on: Callable[[dict], None] | None = None
    ) -> Reply:
        """Run a cell.

        Args:
            code: the cell.
            cell: the id that the front end has for it.
            typed: what is typed when the code asks for input, line by line.
            on: is called with each message.
        """
        message = self.client.session.msg(
            "execute_request",
            {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": bool(typed)}
            | {"stop_on_error": True},
            metadata={"cellId": cell} if cell else {},
        )
        self.client.shell_channel.send(message)
        reply, lines = Reply(), iter(typed)
        identity = message["header"]["msg_id"]
        while True:
            if typed and self.client.stdin_channel.msg_ready():
                self.client.get_stdin_msg(timeout=SECONDS)
                self.client.input(next(lines))
            try:
                heard = self.client.get_iopub_msg(timeout=0.1 if typed else SECONDS)
            except Exception as error:
                if typed and type(error).__name__ == "Empty":
                    continue
                raise
            if on is not None:
                on(heard)
            if heard["parent_header"].get("msg_id") != identity:
                continue
            reply.messages.append(heard)
            if heard["msg_type"] == "status" and heard["content"]["execution_state"] == "idle":
                break
        content = self._answer(identity)
        reply.status, reply.error = content["status"], content.get("ename", "")
        return reply

    def _answer(self, identity: str) -> dict[str, Any]:
        while True:
            message = self.client.get_shell_msg(timeout=SECONDS)
            if message["parent_header"].get("msg_id") == identity:
                return message["content"]

    def ask(self, expression: str) -> str:
        """Return the text of an expression's value."""
        reply = self.run(expression)
        assert reply.status == "ok", reply.messages
        return reply.value or ""

    def debug(self, command: str, **arguments: Any) -> dict[str, Any]:
        """Send a request to the debugger, and return its answer."""
        self._asked = getattr(self, "_asked", 0) + 1
        content = {"type": "request", "seq": self._asked, "command": command, "arguments": arguments}
        message = self.client.session.msg("debug_request", content)
        self.client.control_channel.send(message)
        while True:
            answer = self.client.get_control_msg(timeout=SECONDS)
            if answer["parent_header"].get("msg_id") == message["header"]["msg_id"]:
                return answer["content"]


@contextmanager
def running(environment: dict[str, str]) -> Iterator[Kernel]:
    """Run a kernel until the block ends."""
    # What the manager keeps lies in the environment's folders, too: a home may be one that cannot be written.
    specs = KernelSpecManager(kernel_dirs=[environment["JUPYTER_DATA_DIR"]])
    connection = Path(environment["JUPYTER_RUNTIME_DIR"]) / "kernel.json"
    connection.parent.mkdir(parents=True, exist_ok=True)
    manager = KernelManager(kernel_name="python3", kernel_spec_manager=specs, connection_file=str(connection))
    manager.start_kernel(env=environment)
    client = manager.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=SECONDS)
        yield Kernel(manager, client)
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
        manager.cleanup_resources()
