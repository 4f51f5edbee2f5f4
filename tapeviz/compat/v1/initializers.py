"""``tf.initializers``: what variables begin with, by short names."""

from __future__ import annotations

from typing import Any

from tapeviz.namespace import Namespace

_names = Namespace(
    __name__,
    {
        "tapeviz.compat.v1.variables.graph_initializers": (
            "constant=Constant glorot_normal=GlorotNormal glorot_uniform=GlorotUniform identity=Identity ones=Ones "
            "random_normal=RandomNormal random_uniform=RandomUniform truncated_normal=TruncatedNormal "
            "variance_scaling=VarianceScaling zeros=Zeros"
        ),
        "tapeviz.compat.v1.variables.variables": (
            "global_variables=global_variables_initializer local_variables=local_variables_initializer "
            "variables=variables_initializer"
        ),
    },
)
__all__ = list(_names.listed)


def __getattr__(name: str) -> Any:
    return _names.find(name)


def __dir__() -> list[str]:
    return __all__
