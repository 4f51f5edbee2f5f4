"""``LearningRateSchedule``: a learning rate that changes with the steps."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from tapeviz.engine.conversion import convert_to_tensor

__all__ = ["LearningRateSchedule"]


class LearningRateSchedule:
    """A learning rate as a function of the number of the step, which begins with 0.

    A class of your own gives it in :meth:`__call__`; :meth:`get_config` tells the arguments that :attr:`_config` names.

    >>> import tapeviz as tf
    >>> class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** tf.cast(step, tf.float32)
    >>> tf.keras.optimizers.SGD(Halving()).learning_rate.numpy()
    np.float32(1.0)
    """

    _config: ClassVar[tuple[str, ...] | None] = None

    def __call__(self, step: Any) -> Any:
        """The learning rate of a step.

        Raises:
            NotImplementedError: the class does not say it.
        """
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `__call__(self, step)`."
        )

    def get_config(self) -> dict[str, Any]:
        """The arguments that make another schedule like this one.

        Raises:
            NotImplementedError: the class does not say them.
        """
        if self._config is None:
            raise NotImplementedError(
                f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in order to be "
                "serializable."
            )
        return {name: getattr(self, name) for name in self._config}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """The schedule of that :meth:`get_config`."""
        return cls(**config)


def first_rate(schedule: Any) -> Any:
    """The initial learning rate as a tensor, in whose dtype the schedule computes."""
    return convert_to_tensor(schedule.initial_learning_rate)


def positive(name: str, value: Any) -> None:
    """Raise ValueError where an argument is not above 0. Of a tensor that is not asked: it may have no value yet."""
    if not hasattr(value, "dtype") and value <= 0:
        raise ValueError(f"Argument `{name}` must be > 0. Received: {name}={value}")
