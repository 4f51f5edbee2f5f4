"""Going through a dataset, eagerly."""

from __future__ import annotations

import json
import threading
from typing import Any, Self

import numpy as np

from tapeviz.backends import NUMPY
from tapeviz.data.examples_order import tell
from tapeviz.data.graph_iteration import GraphIterator
from tapeviz.data.handles import handle_of
from tapeviz.data.nodes import Draws, Element, Node, Run
from tapeviz.data.structures import packer
from tapeviz.data.workers import aside
from tapeviz.engine.errors import FailedPreconditionError, OutOfRangeError
from tapeviz.engine.state import active, local
from tapeviz.engine.tensor import EagerTensor, wrap

__all__ = ["Iterator", "NumpyIterator"]


class Iterator:
    """One pass through a dataset: ``iter(dataset)``. It gives each element once, as tensors.

    The pipeline works on the host, and neither tapes nor recorders follow it: data comes from outside. An iterator can
    be given to a traced function, which goes on where it is; and it takes part in checkpoints, as its position.

    Raises:
        OpError: when asked for an element: making it failed. Asked again, it raises the same error.

    >>> import tapeviz as tf
    >>> iterator = iter(tf.data.Dataset.range(2))
    >>> next(iterator)
    <tf.Tensor: shape=(), dtype=int64, numpy=0>
    >>> iterator.get_next()
    <tf.Tensor: shape=(), dtype=int64, numpy=1>
    >>> next(iterator, "no more")
    'no more'
    """

    def __init__(self, dataset: Any, run: Run | None = None) -> None:
        node: Node = dataset._step
        self._dataset = dataset
        self._spec = node.spec
        self._pack = packer(node.spec)
        self._state = aside()
        self._lock = threading.RLock()
        self.current: Element = ()
        self._symbolic: tuple[Any, GraphIterator] | None = None
        self._begin(run or Run())
        if local.state.observer is not None:
            tell(node)

    def _begin(self, run: Run) -> None:
        self._run = run
        self._position = 0
        self._error: BaseException | None = None
        before = local.state
        local.state = self._state
        try:
            self._source = self._dataset._step.open(run)
        finally:
            local.state = before

    @property
    def element_spec(self) -> Any:
        """The spec of the elements."""
        return self._spec

    def take(self) -> Element | None:
        """The components of the next element, None at the end."""
        with self._lock:
            if self._error is not None:
                raise self._error
            before = local.state
            local.state = self._state
            try:
                parts = next(self._source, None)
            except BaseException as error:
                # A generator that raised is over, which must not look like the end of the data.
                self._error = error if isinstance(error, Exception) else _interrupted(error)
                raise
            finally:
                local.state = before
            if parts is None:  # nothing more is needed of what it went through
                self._source, self._run = iter(()), Run(None, self._run.draws)
            else:
                self._position += 1
            return parts

    def advance(self) -> bool:
        """Whether there is another element, which is then :attr:`current`."""
        parts = self.take()
        self.current = () if parts is None else parts
        return parts is not None

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        if local.state.graph is not None:
            return next(self._graph_steps())
        parts = self.take()
        if parts is None:
            raise StopIteration
        return self._pack(tuple([_tensor(part) for part in parts]))

    def next(self) -> Any:
        """The next element. Raises StopIteration: there is none."""
        return self.__next__()

    def get_next(self) -> Any:
        """The next element.

        Raises:
            OutOfRangeError: there is none.
        """
        try:
            return self.__next__()
        except StopIteration:
            raise OutOfRangeError("End of sequence", "IteratorGetNext") from None

    # In graphs.

    def _graph_steps(self) -> GraphIterator:
        graph: Any = local.state.graph
        if self._symbolic is None or self._symbolic[0] is not graph:
            self._symbolic = (graph, GraphIterator(graph.own(self._argument()), self._spec))
        return self._symbolic[1]

    def _traced_as(self) -> Any:
        return ("iterator", repr(self._spec)), f"iterator of {self._spec}"

    def _argument(self) -> Any:
        return wrap(handle_of(self))

    def _inside(self, symbol: Any) -> GraphIterator:
        return GraphIterator(symbol, self._spec)

    # In checkpoints.

    def _saved_state(self) -> dict[str, Any]:
        """Where it is: how many elements it has given, and the seeds that were drawn. Plain data, fit for JSON."""
        with self._lock:
            drawn = {path: [base, list(passes)] for path, (base, passes) in self._run.draws.drawn.items()}
            return {"position": self._position, "draws": drawn}

    def _restore_state(self, state: dict[str, Any]) -> None:
        """Go to where a pass through the same dataset was: make it again up to there, in the same order.

        Raises:
            FailedPreconditionError: the dataset ends before that.
        """
        with self._lock:
            self._begin(Run(self._run.given, Draws(state["draws"])))
            for position in range(int(state["position"])):
                if self.take() is None:
                    raise FailedPreconditionError(
                        f"the iterator was saved after {state['position']} elements, and this dataset has {position}"
                    )

    def _checkpoint_values(self) -> dict[str, np.ndarray]:
        text = json.dumps(self._saved_state()).encode()
        return {"ITERATOR_STATE": np.frombuffer(text, np.uint8).copy()}

    def _restore_values(self, arrays: dict[str, np.ndarray]) -> None:
        self._restore_state(json.loads(np.asarray(arrays["ITERATOR_STATE"]).tobytes()))

    def __repr__(self) -> str:
        return f"<tapeviz.data.iterators.Iterator element_spec={self._spec}>"


def _interrupted(error: BaseException) -> Exception:
    return FailedPreconditionError(
        f"the iterator was interrupted ({type(error).__name__}) while it made an element: begin again with "
        "iter(dataset)"
    )


def _tensor(part: Any) -> Any:
    """A component as users get it, on the device of the moment."""
    if part.__class__ is not np.ndarray:
        return part
    state = local.state
    tensor: Any = EagerTensor()
    tensor._a = part
    if state.backend is not NUMPY and state.backend.takes(part.dtype):
        tensor = wrap(state.backend.from_host(part))
    if active and (observer := state.observer) is not None:
        observer.on_host_in(tensor, part)
    return tensor


class NumpyIterator:
    """One pass through a dataset whose elements are arrays: what ``as_numpy_iterator`` gives.

    >>> import tapeviz as tf
    >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
    [np.int64(0), np.int64(1), np.int64(2)]
    """

    def __init__(self, dataset: Any) -> None:
        self._iterator = Iterator(dataset)
        self._pack = packer(dataset.element_spec)

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> Any:
        parts = self._iterator.take()
        if parts is None:
            raise StopIteration
        return self._pack(tuple([_array(part) for part in parts]))


def _array(part: Any) -> Any:
    """A component as an array that cannot be written to, a NumPy scalar for rank 0."""
    if part.__class__ is not np.ndarray:
        return NumpyIterator(part)
    if part.ndim == 0:
        return part[()]
    view = part.view()
    view.flags.writeable = False
    return view
