"""``tf.debugging``: checks that raise, and say what they found."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.ops.debugging.assertions": (
            "Assert assert_equal assert_greater assert_greater_equal assert_integer assert_less assert_less_equal "
            "assert_near assert_negative assert_non_negative assert_non_positive assert_none_equal assert_positive "
            "assert_proper_iterable assert_rank assert_rank_at_least assert_rank_in assert_same_float_dtype "
            "assert_scalar assert_shapes assert_type is_numeric_tensor"
        ),
        "tapeviz.ops.debugging.check_numerics": (
            "assert_all_finite check_numerics disable_check_numerics enable_check_numerics"
        ),
        "tapeviz.ops.debugging.settings": (
            "disable_traceback_filtering enable_traceback_filtering get_log_device_placement "
            "is_traceback_filtering_enabled set_log_device_placement"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
