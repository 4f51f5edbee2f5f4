"""From the text of a function in LLVM's language to a Python function on arrays.

The function is one of CPython's own kind, as those of an extension module are: a call of it costs what a call of a
built-in costs, and it is handed the arrays themselves. It finds an array's memory as NumPy's C interface lays it down;
whether that is so here is looked up before anything is compiled.
"""

from __future__ import annotations

import ctypes
import platform
import sysconfig
from collections.abc import Callable
from functools import cache, partial
from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from tapeviz.native.addresses import TABLE, without_addresses
from tapeviz.native.code_cache import code_cache
from tapeviz.process.background import checkpoint, in_background

__all__ = ["AXES", "CONTIGUOUS", "DATA", "DTYPE", "FLAGS", "HEAD", "KIND", "ORDER", "RANK", "TYPE", "CompilationError",
           "address_of", "code_of", "compiled", "converts_halves", "is_available", "is_installed",
           "vectors"]  # fmt: skip

HEAD: Final = object.__basicsize__
TYPE: Final = HEAD - ctypes.sizeof(ctypes.c_void_p)
"""Where an object has the address of its type, in bytes."""
DATA: Final = HEAD
"""Where an array has the address of its memory, in bytes."""
RANK: Final = HEAD + 8
"""Where it has the number of its axes."""
AXES: Final = HEAD + 16
"""Where it has the address of their sizes."""
DTYPE: Final = HEAD + 40
"""Where it has the address of its dtype."""
FLAGS: Final = HEAD + 48
"""Where it has its flags."""
ORDER: Final = HEAD + 10
"""Where a dtype has the character of its byte order."""
KIND: Final = HEAD + 12
"""Where it has its number."""
CONTIGUOUS: Final = 0x101
"""The flags of an array that lies row by row, and whose elements lie where a processor wants them."""

_FASTCALL: Final = 0x80
_PROBE: Final = """define ptr @run(ptr %self, ptr %args, i64 %count) {
  %first = load ptr, ptr %args
  call void inttoptr (i64 COUNT to ptr)(ptr %first)
  ret ptr %first
}"""


class CompilationError(RuntimeError):
    """Code could not be compiled."""


class _Method(ctypes.Structure):
    """``PyMethodDef``."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("function", ctypes.c_void_p), ("flags", ctypes.c_int), ("doc", ctypes.c_char_p),
    )  # fmt: skip


_make: Any = ctypes.pythonapi.PyCFunction_NewEx
_make.restype = ctypes.py_object
_make.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]


@cache
def is_installed() -> bool:
    """Whether there is a compiler. It is an extra of the package, and takes 50 ms to import: only who compiles does."""
    return find_spec("llvmlite") is not None


def is_available() -> bool:
    """Whether there is a compiler, and an interpreter and arrays of the kind that the code is written for."""
    return is_installed() and _is_as_expected()


@cache
def _llvm() -> Any:
    return import_module("llvmlite.binding")


@cache
def _is_as_expected() -> bool:
    if sysconfig.get_config_var("Py_GIL_DISABLED") or ctypes.sizeof(ctypes.c_void_p) != 8:  # noqa: PLR2004
        return False
    arrays = np.zeros((3, 5), np.float32), np.zeros((5, 3), np.float32).T, np.zeros(4, ">i2"), np.zeros((), np.bool_)
    return all(map(_is_laid_out, arrays)) and _runs_code()


def _is_laid_out(array: np.ndarray) -> bool:
    """Whether an array has everything where NumPy's headers say."""
    place = id(array)
    axes, dtype = (ctypes.c_void_p.from_address(place + where).value or 0 for where in (AXES, DTYPE))
    if dtype != id(array.dtype) or ctypes.c_int.from_address(place + RANK).value != array.ndim:
        return False
    return (
        ctypes.c_void_p.from_address(place + TYPE).value == id(np.ndarray)
        and ctypes.c_void_p.from_address(place + DATA).value == array.ctypes.data
        and (ctypes.c_int.from_address(place + FLAGS).value & CONTIGUOUS == CONTIGUOUS) is array.flags.c_contiguous
        and tuple((ctypes.c_ssize_t * array.ndim).from_address(axes)) == array.shape
        and ctypes.c_char.from_address(dtype + ORDER).value == array.dtype.byteorder.encode()
        and ctypes.c_int.from_address(dtype + KIND).value == array.dtype.num
    )


def _runs_code() -> bool:
    """Whether code can be compiled and called: some systems let no program make code, some compilers do not load."""
    try:
        function, _keeper = compiled(_PROBE.replace("COUNT", str(address_of("Py_IncRef"))))
    except (CompilationError, OSError, ImportError, AttributeError):
        return False
    return function(found := object()) is found


def address_of(name: str) -> int:
    """The address of a function of Python's C interface."""
    return int(ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0)


@cache
def _target() -> Any:
    llvm = _llvm()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    return llvm.Target.from_default_triple(), llvm.get_host_cpu_name(), features


@cache
def converts_halves() -> bool:
    """Whether the processor converts between single and half precision; otherwise LLVM calls what is not there."""
    return platform.machine() in ("aarch64", "arm64") or bool(_llvm().get_host_cpu_features().get("f16c"))


@cache
def vectors() -> tuple[int, int]:
    """How many bytes the processor's vectors have, and how many it keeps; none where it has no fused products."""
    _, _, features = _target()
    has = {name[1:] for name in features.split(",") if name.startswith("+")}
    if {"avx512f", "avx512vl"} <= has:
        return 64, 32
    if {"avx2", "fma"} <= has:
        return 32, 16
    return (16, 32) if "neon" in has or "fp-armv8" in has else (0, 0)


def _machine() -> Any:
    target, cpu, features = _target()
    return target.create_target_machine(cpu=cpu, features=features, opt=2, jit=True)


@cache
def _described() -> str:
    """What code depends on besides its text."""
    llvm, (target, cpu, features) = _llvm(), _target()
    versions = version("llvmlite"), llvm.llvm_version_info
    return f"{versions} {target.name} {llvm.get_process_triple()} {cpu} {features}"


def _object_of(text: str) -> bytes:
    """The code of a text without addresses: as it was kept, or made now and kept from here on."""
    kept = code_cache(_described())
    code = None if kept is None else kept.get(text)
    if code is None:
        code = _machine().emit_object(_llvm().parse_assembly(text))
        if kept is not None:
            in_background(partial(kept.put, text, code))
    return bytes(code)


class _Code:
    """The machine code of a text, as long as this lives."""

    def __init__(self, text: str) -> None:
        llvm, (text, addresses) = _llvm(), without_addresses(text)
        self._engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _machine())
        self._engine.add_object_file(llvm.ObjectFileRef.from_data(_object_of(text)))
        self._engine.finalize_object()
        if addresses:
            table = (ctypes.c_size_t * len(addresses)).from_address(self._engine.get_global_value_address(TABLE))
            table[:] = addresses  # type: ignore[assignment]
        self.address = int(self._engine.get_function_address("run"))


def code_of(text: str) -> _Code:
    """The code of the function ``run`` of a text, which has an address.

    Raises:
        CompilationError: LLVM refuses the text, or the system does not let code be made.
    """
    checkpoint()  # LLVM does not stop in between
    try:
        return _Code(text)
    except RuntimeError as error:
        raise CompilationError(str(error)) from error


class _Compiled:
    """What a function needs as long as it lives: the code, and what CPython refers to."""

    def __init__(self, text: str) -> None:
        self._code = code_of(text)
        self._method = _Method(b"run", self._code.address, _FASTCALL, None)
        self.function = _make(ctypes.addressof(self._method), None, None)


def compiled(text: str) -> tuple[Callable[..., Any], Any]:
    """The function ``run`` of a text, and what must be kept as long as it may be called.

    Raises:
        CompilationError: LLVM refuses the text, or the system does not let code be made.
    """
    made = _Compiled(text)
    return made.function, made
