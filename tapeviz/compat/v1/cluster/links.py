"""Messages between the processes of a cluster: a header in JSON and arrays, once each side has shown the key.

Nothing that arrives is unpickled, and before the other side has shown the key, nothing of it is read but that.
"""

from __future__ import annotations

import json
import os
import socket
import time
from collections.abc import Sequence
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client, Connection, Listener, answer_challenge, deliver_challenge
from pathlib import Path
from typing import Any, Final

import numpy as np

from tapeviz.engine.dtypes import as_dtype
from tapeviz.engine.errors import (
    InvalidArgumentError,
    PermissionDeniedError,
    UnimplementedError,
)
from tapeviz.files.secrets import shared_secret

__all__ = ["GONE", "accepted", "connected", "listening", "loopback_port", "receive", "send"]

GONE: Final = (EOFError, OSError)
"""What reading or writing raises where the other process is gone."""
_VARIABLE: Final = "TAPEVIZ_CLUSTER_KEY"
_LOOPBACK: Final = ("127.0.0.1", "localhost", "[::1]", "0.0.0.0")  # noqa: S104 - names that clusters give this machine


def _key_file() -> Path:
    return Path.home() / ".tapeviz" / "cluster" / "key"


def _key() -> bytes:
    """What processes of one cluster know, and nobody else: of the environment, else of a file of the user's own.

    Raises:
        PermissionDeniedError: others can read the file.
        OSError: it is empty, or cannot be made.
    """
    if _VARIABLE in os.environ:
        return os.environ[_VARIABLE].encode()
    try:
        return shared_secret(_key_file())
    except PermissionError as error:
        raise PermissionDeniedError(f"the cluster's key: {error}") from None


def loopback_port(address: str) -> int:
    """The port of an address of this machine; 0 where it names none.

    Raises:
        UnimplementedError: it is another machine's.
    """
    host, _, port = address.rpartition(":")
    if host not in _LOOPBACK:
        raise UnimplementedError(
            f"the tasks of a cluster must be on this machine, as messages are authenticated and not encrypted: {host}. "
            "Tunnel the ports to 127.0.0.1, by ssh -L, to use another one."
        )
    return int(port or 0)


def listening(port: int) -> Listener:
    """What accepts connections to a port of this machine; to a free one for 0."""
    return Listener(("127.0.0.1", port), backlog=16)


def accepted(link: Connection) -> bool:
    """Whether the process at the other end of a new connection has the key, and was shown that this one has."""
    _send_at_once(link)
    try:
        key = _key()
        deliver_challenge(link, key)
        answer_challenge(link, key)
    except (AuthenticationError, AssertionError, ValueError, *GONE):
        return False
    return True


def connected(address: str, until: float) -> Connection | None:
    """A connection to a server that has the key; None where no server is there until then.

    Raises:
        PermissionDeniedError: the server has another key.
        InvalidArgumentError: what is there is no server.
    """
    port = loopback_port(address)
    while True:
        try:
            link: Any = Client(("127.0.0.1", port))
            break
        except ConnectionError:
            if time.monotonic() >= until:
                return None
            time.sleep(0.05)
    _send_at_once(link)
    key = _key()
    try:
        if not link.poll(max(until - time.monotonic(), 1.0)):
            raise EOFError
        answer_challenge(link, key)
        deliver_challenge(link, key)
    except AuthenticationError:
        raise PermissionDeniedError(
            f"the server at {address} has another key: start all processes of a cluster as one user, or with the same "
            f"value of the environment variable {_VARIABLE}"
        ) from None
    except (AssertionError, ValueError, *GONE):
        raise InvalidArgumentError(f"what answers at {address} is no tf.train.Server") from None
    return link  # type: ignore[no-any-return]


def _send_at_once(link: Connection) -> None:
    """Have short messages not wait for the answer to those before them, which takes 40 ms each."""
    with socket.fromfd(link.fileno(), socket.AF_INET, socket.SOCK_STREAM) as same:
        same.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def send(link: Connection, header: dict[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
    """Send a header, which JSON can write, and arrays."""
    hosts = [np.asarray(array) for array in arrays]
    told = [[as_dtype(array.dtype).name, list(array.shape), _texts(array)] for array in hosts]
    link.send_bytes(json.dumps({**header, "arrays": told}).encode())
    for array in hosts:
        if array.dtype.kind != "O":
            link.send_bytes(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def receive(link: Connection) -> tuple[dict[str, Any], list[np.ndarray]]:
    """The header and the arrays that come next."""
    header = json.loads(link.recv_bytes())
    return header, [_received(link, *told) for told in header.pop("arrays")]


def _texts(array: np.ndarray) -> list[str] | None:
    """The elements of an array of strings, a character a byte."""
    return [bytes(item).decode("latin-1") for item in array.flat] if array.dtype.kind == "O" else None


def _received(link: Connection, dtype: str, shape: list[int], texts: list[str] | None) -> np.ndarray:
    array = np.empty(shape, as_dtype(dtype).numpy)
    if texts is not None:
        array.reshape(-1)[:] = [text.encode("latin-1") for text in texts]
    elif array.size:
        link.recv_bytes_into(array.reshape(-1).view(np.uint8))
    else:
        link.recv_bytes()
    return array
