"""What ``restore`` gives: whether what was asked for has happened."""

from __future__ import annotations

from typing import Any, NoReturn, Self

from tapeviz.engine.variable import Variable
from tapeviz.train.restoration import Restoration, path_text
from tapeviz.train.trackable import Node, children, reachable

__all__ = ["CheckpointLoadStatus", "InitializationOnlyStatus", "NameBasedLoadStatus"]

_SHOWN = 10


def _unmatched(missing: list[Any]) -> NoReturn:
    raise AssertionError(
        f"Found {len(missing)} Python objects that were not bound to checkpointed values, likely due to changes in the "
        f"Python program. Showing {min(_SHOWN, len(missing))} of {len(missing)} unmatched objects: {missing[:_SHOWN]}"
    )


class CheckpointLoadStatus:
    """The state of a restoration by the names of attributes. Values for what is made later are given as it is made."""

    def __init__(self, restoration: Restoration, root: Any) -> None:
        self._restoration = restoration
        self._root = root

    def assert_consumed(self) -> Self:
        """Assert that every value of the checkpoint was given to an object, and every object got its value.

        Raises:
            AssertionError: it was not so.
        """
        for node in self._restoration.unrestored():
            named = f" ({node['name']})" if "name" in node else ""
            raise AssertionError(f"Unresolved object in checkpoint {path_text(node)}{named}: {_keys(node)}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Self:
        """Assert that every object that is there got its value; the checkpoint may have more.

        Raises:
            AssertionError: some did not.
        """
        matched = {id(reference()) for reference in self._restoration.bound.values()}
        missing = [node.owner for node in _valued(self._root) if id(node.owner) not in matched]
        if missing:
            _unmatched(missing)
        return self

    def assert_nontrivial_match(self) -> Self:
        """Assert that something was matched, besides what every checkpoint has.

        Raises:
            AssertionError: nothing was.
        """
        there, here = set(self._restoration.nodes[0]["children"]), {name for name, _ in children(self._root)}
        if not (there & here) - {"save_counter"}:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint "
                f"does not match the Python program. It has {_names(there)}; the program has {_names(here)}"
            )
        return self

    def expect_partial(self) -> Self:
        """Say nothing when values are left over."""
        self._restoration.partial = True
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing more to do: values are given at once."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing more to do: values are given at once."""


def _valued(root: Any) -> list[Node]:
    """The nodes of the objects that have values of their own."""
    return [
        node for node in reachable(root)
        if isinstance(node.owner, Variable) or hasattr(type(node.owner), "_checkpoint_values")
    ]  # fmt: skip


def _keys(node: dict[str, Any]) -> str:
    return node["key"] if "key" in node else ", ".join(node["values"].values())


def _names(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


class NameBasedLoadStatus:
    """The state of a restoration by the names of variables: from the files of a ``Saver``."""

    def __init__(self, unused: list[str], unmatched: list[Variable]) -> None:
        self._unused = unused
        self._unmatched = unmatched

    def assert_consumed(self) -> Self:
        """Assert that every value was given to a variable, and every variable got one. Raises AssertionError."""
        if self._unused:
            raise AssertionError(f"Unresolved names in checkpoint: {', '.join(self._unused)}")
        return self.assert_existing_objects_matched()

    def assert_existing_objects_matched(self) -> Self:
        """Assert that every variable got a value. Raises AssertionError."""
        if self._unmatched:
            _unmatched(self._unmatched)
        return self

    def assert_nontrivial_match(self) -> Self:
        """Assert that every variable got a value. Raises AssertionError."""
        return self.assert_existing_objects_matched()

    def expect_partial(self) -> Self:
        """Nothing is said in any case."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Nothing more to do: values are given at once."""

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing more to do: values are given at once."""


class InitializationOnlyStatus:
    """The state of a restoration of nothing: ``save_path`` was None."""

    def _nothing(self) -> NoReturn:
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    def assert_consumed(self) -> Self:
        """Raises AssertionError."""
        self._nothing()

    def assert_existing_objects_matched(self) -> Self:
        """Raises AssertionError."""
        self._nothing()

    def assert_nontrivial_match(self) -> Self:
        """Raises AssertionError."""
        self._nothing()

    def expect_partial(self) -> Self:
        """Nothing is said in any case."""
        return self

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        self._nothing()

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing to do: eager variables are initialized as they are made."""
