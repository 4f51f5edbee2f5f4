"""``train.Checkpoint`` for objects whose variables are of a graph: a session has their values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapeviz.compat.v1.graph.graph import Graph
from tapeviz.compat.v1.session.session import get_default_session
from tapeviz.compat.v1.train.saver import values_in
from tapeviz.compat.v1.variables.graph_variables import GraphVariable
from tapeviz.engine.operators import public
from tapeviz.engine.state import local
from tapeviz.engine.variable import Variable
from tapeviz.train.checkpoint import Checkpoint as EagerCheckpoint
from tapeviz.train.trackable import reachable

__all__ = ["Checkpoint", "SessionStatus"]


class Checkpoint(EagerCheckpoint):
    """Saves the variables that objects are made of, by the names of attributes, and gives them back.

    What eager programs have written, graphs can restore, and back. Where variables are of a graph, writing takes their
    values from ``session``, or the default session, and the status that :meth:`restore` gives puts them into one by
    ``initialize_or_restore`` or ``run_restore_ops``.

    Args:
        **kwargs: objects by the names under which to save them.

    >>> import tapeviz.compat.v1 as tf, tempfile
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     w = tf.get_variable("w", initializer=[1.0, 2.0])
    ...     session.run(w.initializer)
    ...     checkpoint = tf.train.Checkpoint(w=w)
    ...     path = checkpoint.save(tempfile.mkdtemp() + "/ckpt")
    ...     session.run(w.assign([0.0, 0.0]))
    ...     checkpoint.restore(path).assert_consumed().run_restore_ops()
    ...     session.run(w)
    array([0., 0.], dtype=float32)
    array([1., 2.], dtype=float32)
    """

    def __init__(self, **kwargs: Any) -> None:
        self._session: Any = None
        self._later: dict[GraphVariable, np.ndarray] = {}
        super().__init__(**kwargs)

    def _is_traced(self) -> bool:
        return local.state.graph is not None and not isinstance(local.state.graph, Graph)

    def _values(self, variables: Sequence[Variable]) -> Sequence[Any]:
        return values_in(get_default_session() if self._session is None else self._session, variables)

    def _held(self, variable: Variable, value: np.ndarray) -> bool:
        if isinstance(variable, GraphVariable):
            self._later[variable] = value
        return isinstance(variable, GraphVariable)

    def write(self, file_prefix: Any, session: Any = None) -> str:
        """Write a checkpoint under a prefix as it is.

        Args:
            file_prefix: the prefix.
            session: has the values of variables of graphs; the default session unless said.

        Raises:
            TypeError: there is no session, and one is needed.
        """
        self._session = session
        try:
            return super().write(file_prefix)
        finally:
            self._session = None

    def save(self, file_prefix: Any, session: Any = None) -> str:
        """Write the next checkpoint: a number is added to the prefix. Arguments as for :meth:`write`."""
        return super().save(file_prefix, session)

    def read(self, save_path: Any, options: Any = None) -> Any:
        """Read what was written. Variables of graphs get their values by a method of the status that is returned."""
        self._later = {}
        return SessionStatus(super().read(save_path, options), self)

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """Read what was saved. Variables of graphs get their values by a method of the status that is returned."""
        status = super().restore(save_path, options)
        return status if isinstance(status, SessionStatus) else SessionStatus(status, self)

    def variables_in_graphs(self) -> list[GraphVariable]:
        """The variables of graphs that the objects are made of."""
        return [node.owner for node in reachable(self) if isinstance(node.owner, GraphVariable)]

    def give_to(self, session: Any, *, initialize: bool) -> None:
        """Give the values that were read to the variables in a session; ``initialize`` others, too."""
        session = get_default_session() if session is None else session
        variables = self.variables_in_graphs()
        if not variables:
            return
        others = [variable for variable in variables if variable not in self._later]
        if initialize and others:
            session.run([variable.initializer for variable in others])
        session._restored(self._later)


class SessionStatus:
    """The state of a restoration, and the way of the values into a session."""

    def __init__(self, status: Any, checkpoint: Checkpoint) -> None:
        self._status = status
        self._checkpoint = checkpoint

    def run_restore_ops(self, session: Any = None) -> None:
        """Give the variables of graphs their values in ``session``, or the default session."""
        self._status.run_restore_ops(session)  # says when there was nothing to restore
        self._checkpoint.give_to(session, initialize=False)

    def initialize_or_restore(self, session: Any = None) -> None:
        """Likewise; variables that the checkpoint has no value for are initialized."""
        self._checkpoint.give_to(session, initialize=True)

    def __getattr__(self, name: str) -> Any:
        asked = getattr(self._status, name)

        def answer() -> SessionStatus:
            asked()
            return self

        return answer


public["checkpoint_of_graph"] = Checkpoint
