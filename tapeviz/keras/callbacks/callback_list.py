"""The callbacks of a training, called one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tapeviz.keras.callbacks.callback import Callback, LambdaCallback
from tapeviz.keras.callbacks.history import History
from tapeviz.keras.callbacks.progress import ProgbarLogger

__all__ = ["CallbackList"]

_BATCH_HOOKS: Final = (
    "on_train_batch_begin", "on_train_batch_end", "on_test_batch_begin", "on_test_batch_end",
    "on_predict_batch_begin", "on_predict_batch_end",
)  # fmt: skip
_OLD_NAMES: Final = {"on_train_batch_begin": "on_batch_begin", "on_train_batch_end": "on_batch_end"}


class CallbackList:
    """Callbacks that are called together.

    Args:
        callbacks: the callbacks: a list or one.
        add_history: whether to have a ``History`` among them, which becomes ``model.history``.
        add_progbar: whether to have a progress bar; unless said, where ``verbose`` is not 0.
        model: the model.
        verbose: 0, 1, 2 or ``"auto"``.
        history: the same as ``add_history``.
        **params: ``epochs`` and ``steps``.

    Raises:
        TypeError: one of them is not a callback.
    """

    def __init__(
        self, callbacks: Any = None, add_history: bool = False, add_progbar: bool | None = None, model: Any = None,
        verbose: str | int = 0, history: bool = False, **params: Any,
    ) -> None:  # fmt: skip
        given = [callbacks] if isinstance(callbacks, Callback) else list(callbacks or ())
        for callback in given:
            if not hasattr(callback, "on_epoch_end"):
                raise TypeError(f"callbacks must be instances of `keras.callbacks.Callback`. Received: {callback!r}")
        kept = next((one for one in given if isinstance(one, History)), None)
        if kept is None and (add_history or history):
            kept = History()
            given.append(kept)
        _add_bar(given, wanted=verbose != 0 if add_progbar is None else add_progbar)
        self.callbacks: list[Any] = given
        self.params: dict[str, Any] = {
            "verbose": verbose,
            "epochs": params.get("epochs", 1),
            "steps": params.get("steps"),
        }
        if model is not None and kept is not None:
            model.history = kept
        for callback in given:
            callback.set_params(self.params)
            if model is not None:
                callback.set_model(model)
        # Batches come by the thousand: only who listens is called.
        self._listening = {hook: [getattr(one, hook) for one in given if _listens(one, hook)] for hook in _BATCH_HOOKS}

    def append(self, callback: Any) -> None:
        """Add a callback."""
        self.callbacks.append(callback)
        for hook, listening in self._listening.items():
            if _listens(callback, hook):
                listening.append(getattr(callback, hook))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.callbacks)

    @contextmanager
    def until_the_end(self) -> Iterator[None]:
        """A block at whose end, also by an error, all callbacks let go of what they have open."""
        error: BaseException | None = None
        try:
            yield
        except BaseException as raised:
            error = raised
            raise
        finally:
            for callback in self.callbacks:
                if (close := getattr(callback, "close", None)) is not None:
                    close(error)

    def _each(self, hook: str, *arguments: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, hook)(*arguments)

    # Batches.

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """Tell those who listen, as in all that follows."""
        for listening in self._listening["on_train_batch_begin"]:
            listening(batch, {} if logs is None else logs)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        for listening in self._listening["on_train_batch_end"]:
            listening(batch, logs)

    def on_test_batch_begin(self, batch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        for listening in self._listening["on_test_batch_begin"]:
            listening(batch, {} if logs is None else logs)

    def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        for listening in self._listening["on_test_batch_end"]:
            listening(batch, logs)

    def on_predict_batch_begin(self, batch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        for listening in self._listening["on_predict_batch_begin"]:
            listening(batch, {} if logs is None else logs)

    def on_predict_batch_end(self, batch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        for listening in self._listening["on_predict_batch_end"]:
            listening(batch, logs)

    # What is longer than a batch.

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_epoch_begin", epoch, logs or {})

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """See :class:`Callback`. All get the same dict: what one puts there, those after it see."""
        self._each("on_epoch_end", epoch, {} if logs is None else logs)

    def on_train_begin(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_train_begin", logs or {})

    def on_train_end(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_train_end", logs or {})

    def on_test_begin(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_test_begin", logs or {})

    def on_test_end(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_test_end", logs or {})

    def on_predict_begin(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_predict_begin", logs or {})

    def on_predict_end(self, logs: Any = None) -> None:
        """See :class:`Callback`."""
        self._each("on_predict_end", logs or {})


def _add_bar(callbacks: list[Any], *, wanted: bool) -> None:
    """Add a progress bar, unless there is one; it keeps quiet where another callback shows the progress."""
    bars = [one for one in callbacks if isinstance(one, ProgbarLogger)]
    if wanted and not bars:
        bars = [ProgbarLogger()]
        callbacks += bars
    for bar in bars:
        bar.yields = any(getattr(one, "shows_progress", False) for one in callbacks)


def _listens(callback: Any, hook: str) -> bool:
    """Whether a callback does anything at this moment: it overrides the method, or was given one."""
    if isinstance(callback, LambdaCallback) and hook in vars(callback):
        return True
    names = [hook, _OLD_NAMES.get(hook, hook)]
    return any(_own(callback, name) is not getattr(Callback, name) for name in names)


def _own(callback: Any, name: str) -> Callable[..., Any] | None:
    if name in getattr(callback, "__dict__", {}):
        return callback.__dict__[name]  # type: ignore[no-any-return]
    return getattr(type(callback), name, None)
