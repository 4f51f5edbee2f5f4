"""Modes and callbacks of eager execution that programs ask for, and that change nothing here: ops run at once."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.compat.v1.graph.default_graph import executing_eagerly
from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.compat.v1.graph.v2_behavior import SYNC
from tapeviz.compat.v1.session.session import Session
from tapeviz.compat.v1.variables.saved_values import saved_values
from tapeviz.engine.errors import NotFoundError
from tapeviz.train.checkpoint_reader import load_checkpoint

__all__ = [
    "async_clear_error", "async_wait", "execution_mode", "get_optimizer_variables", "restore_variables_on_create",
    "run", "run_all_tests_in_graph_and_eager_modes", "run_test_in_graph_and_eager_modes", "set_execution_mode",
]  # fmt: skip


@contextmanager
def execution_mode(mode: int = SYNC) -> Iterator[None]:
    """A block in which ops would run later; here they have run when their call returns."""
    yield


def set_execution_mode(mode: int) -> None:
    """Change nothing: ops have run when their call returns."""


def async_wait() -> None:
    """Return at once: nothing is left to wait for."""


def async_clear_error() -> None:
    """Do nothing: an error is raised where it happens."""


def run(main: Callable[..., Any] | None = None, argv: Any = None) -> None:
    """Call the program's ``main`` with its arguments, and end the program with what it returns."""
    chosen: Any = main or sys.modules["__main__"].main
    sys.exit(chosen(argv or sys.argv))


@contextmanager
def restore_variables_on_create(save_path: str | None, map_func: Callable[[str], str] | None = None) -> Iterator[None]:
    """A block in which variables begin with what a checkpoint has for their names.

    Args:
        save_path: the checkpoint's prefix; None for no checkpoint.
        map_func: gives the name in the checkpoint for a variable's.

    Raises:
        NotFoundError: in the block: the checkpoint has no value for a variable.
    """
    if save_path is None:
        yield
        return
    reader = load_checkpoint(save_path)
    names, given = reader.get_variable_to_shape_map(), set()

    def value(name: str) -> Any:
        saved = map_func(name) if map_func else name
        if saved not in names:
            raise NotFoundError(f"{saved} not found in checkpoint {save_path}. It has: {', '.join(sorted(names))}")
        if saved in given:  # what is made under the name again, as when a function is traced, begins as it says
            return None
        given.add(saved)
        return reader.get_tensor(saved)

    with saved_values(value):
        yield


def get_optimizer_variables(optimizer: Any) -> list[Any]:
    """The variables of an optimizer of ``tf.train``."""
    return list(optimizer.variables())


def run_test_in_graph_and_eager_modes(
    func: Callable[..., Any] | None = None, config: Any = None, **_options: Any
) -> Any:
    """Decorate a test so that it runs in a graph, with a session around it, and then eagerly."""

    def decorate(test: Callable[..., Any]) -> Callable[..., Any]:
        def both(self: Any, *args: Any, **kwargs: Any) -> None:
            with Graph().as_default() as graph, Session(graph=graph, config=config).as_default():
                test(self, *args, **kwargs)
            if hasattr(self, "setUp"):
                self.setUp()
            if executing_eagerly():
                test(self, *args, **kwargs)

        return both

    return decorate if func is None else decorate(func)


def run_all_tests_in_graph_and_eager_modes(cls: type) -> type:
    """Decorate a class so that all its tests do."""
    for name, test in list(vars(cls).items()):
        if callable(test) and name.startswith("test"):
            setattr(cls, name, run_test_in_graph_and_eager_modes(test))
    return cls
