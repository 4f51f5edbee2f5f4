"""``tf.keras.initializers``, which is ``tf.initializers`` too: what new variables begin with."""

from __future__ import annotations

from typing import Any, Final

from tapeviz.namespace import Namespace

_names: Final = Namespace(
    __name__,
    {
        "tapeviz.keras.initializers.initializer": "Initializer",
        "tapeviz.keras.initializers.constants": (
            "Constant Identity Ones Zeros constant=Constant identity=Identity ones=Ones zeros=Zeros"
        ),
        "tapeviz.keras.initializers.draws": (
            "Orthogonal RandomNormal RandomUniform TruncatedNormal orthogonal=Orthogonal random_normal=RandomNormal "
            "random_uniform=RandomUniform truncated_normal=TruncatedNormal"
        ),
        "tapeviz.keras.initializers.scaling": (
            "GlorotNormal GlorotUniform HeNormal HeUniform LecunNormal LecunUniform VarianceScaling "
            "glorot_normal=GlorotNormal glorot_uniform=GlorotUniform he_normal=HeNormal he_uniform=HeUniform "
            "lecun_normal=LecunNormal lecun_uniform=LecunUniform variance_scaling=VarianceScaling"
        ),
        "tapeviz.keras.initializers.lookup": "deserialize get serialize",
    },
)
_offered: Final = list(_names.listed)
__all__ = list(_offered)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
