"""``all_reduce``: the sum or the mean of a tensor over the replicas of a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from tapeviz.backends import NUMPY, moved
from tapeviz.engine import rules
from tapeviz.engine.conversion import convert_to_tensor
from tapeviz.engine.op_definition import op
from tapeviz.engine.samples import cases
from tapeviz.engine.types import NUMBERS
from tapeviz.ops.collective.replicas import here

__all__ = ["all_reduce", "reduced_gradients"]

_WORLD: Final = ("world",)


def _reduced(xp: Any, x: Any, *, reduce: str, group: Sequence[str]) -> Any:
    if here.replica is None:
        return x.copy()
    own = np.asarray(moved(x, NUMPY), order="C")
    # What was pickled has a dtype that is equal to the engine's own, which tells dtypes apart by identity.
    array = np.asarray(here.replica.all_reduce(own, reduce)).view(own.dtype)
    return array if xp is np else xp.asarray(array)


all_reduce = op(
    "all_reduce",
    doc="The sum or the mean of a tensor over all replicas of a program, the same in each.",
    family="collective",
    tf_name="CollectiveReduceV2",
    effects="write",
    forward=_reduced,
    infer=rules.elementwise,
    types=NUMBERS,
    vjp={"x": lambda F, g, reduce, group: F.all_reduce(g, reduce=reduce, group=group)},
    formula=r"y = \sum_{r} x^{(r)}",
    vjp_formula=(r"\bar x = \sum_{r} \bar y^{(r)}",),
    samples=cases(([(2, 3)], {"reduce": "sum", "group": _WORLD}), ([()], {"reduce": "mean", "group": _WORLD})),
    traits="replicated",
)


def reduced_gradients(gradients: list[Any]) -> list[Any]:
    """An optimizer's gradients over all replicas, where several run: one after the other, in the same order in each."""
    replica = here.replica
    if replica is None:
        return gradients
    return [all_reduce.run(convert_to_tensor(g), reduce=replica.reduce, group=_WORLD) for g in gradients]
