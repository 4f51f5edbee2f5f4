"""CuPy's names and signatures, as `make_cupy_surface.py` wrote them down from its oldest and newest wheel."""

from __future__ import annotations

import functools
import inspect
import json
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "cupy_surface"
VERSIONS = sorted(path.stem for path in FOLDER.glob("*.json"))
OLDEST, NEWEST = VERSIONS[0], VERSIONS[-1]
# What a ufunc of CuPy's takes besides its inputs and outputs; anything else is an error of it.
_KNOWN = np.typecodes["All"]  # CuPy 14 has loops for bfloat16, too
UFUNC_OPTIONS = {"out", "dtype", "casting"}


@functools.cache
def names(version):
    """Return the names of each module and class of a version, with what they are."""
    return json.loads((FOLDER / f"{version}.json").read_text(encoding="utf-8"))["names"]


def check_call(what, said, args, kwargs):
    """Raise TypeError where a call does not fit what CuPy says of a function."""
    if isinstance(said, dict):
        _check_ufunc(what, said, args, kwargs)
    elif isinstance(said, list):
        try:
            _signature(json.dumps(said)).bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{what} of CuPy: {error}") from error
    elif said == "value":
        raise TypeError(f"{what} of CuPy is no function")


def signature(said):
    """Return a signature as `inspect` has it; None where CuPy says none."""
    return _signature(json.dumps(said)) if isinstance(said, list) else None


@functools.cache
def _signature(said):
    default = {True: None, False: inspect.Parameter.empty}
    return inspect.Signature([
        inspect.Parameter(name, inspect._ParameterKind[kind], default=default[optional])
        for name, kind, optional in json.loads(said)
    ])  # fmt: skip


def _check_ufunc(what, said, args, kwargs):
    inputs, outputs = said["nin"], said["nout"]
    if not inputs <= len(args) <= inputs + outputs or not kwargs.keys() <= UFUNC_OPTIONS:
        raise TypeError(f"{what} of CuPy takes {inputs} arrays and {sorted(UFUNC_OPTIONS)}, not {sorted(kwargs)}")
    dtypes = [arg.dtype for arg in args[:inputs] if hasattr(arg, "dtype")]
    if kwargs.get("dtype") is not None or not dtypes:
        return
    common = np.result_type(*dtypes)
    loops = [loop.partition("->")[0] for loop in said["types"]]
    if not any(np.can_cast(common, letter) for loop in loops for letter in loop[:1] if letter in _KNOWN):
        raise TypeError(f"{what} of CuPy has no loop for {common}: {loops}")
