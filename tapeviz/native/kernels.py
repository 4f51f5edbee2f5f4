"""Kernels: machine code that computes a stretch of elements, or of rows, of large arrays in one pass through memory.

A kernel is compiled beside the program, after it would have been of use a few times; until then, and where there is no
compiler, NumPy computes the same. A kernel is only kept where it gives what NumPy gives, to the bit, for a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tapeviz.native.functions import Function
from tapeviz.native.machine import DATA, CompilationError, address_of, compiled, is_available, is_installed
from tapeviz.process.background import Job, in_background

__all__ = ["Kernel", "kernel_text"]

_CALLS: Final = 16
"""How often a kernel is asked for before it is compiled, which takes the time of some calls."""


def kernel_text(functions: Sequence[Function], arrays: int, numbers: int, addresses: int = 0) -> str:
    """The text of what Python calls: ``run(start, stop, *arrays, *numbers, *addresses)``.

    Args:
        functions: those of the kernel; ``block(i64 start, i64 stop, ptr ..., double ..., i64 ...)`` is its body.
        arrays: how many arrays it is given. Nothing is asked of them: who calls knows that they are right.
        numbers: how many of Python's numbers.
        addresses: how many whole numbers.
    """
    f = Function("ptr", "run", "ptr %self, ptr %args, i64 %count")
    given = [f.load("ptr", f.at("%args", "ptr", place)) for place in range(2 + arrays + numbers + addresses)]
    kinds = [*["i64"] * 2, *["ptr"] * arrays, *["double"] * numbers, *["i64"] * addresses]
    readers = {"i64": "PyLong_AsLongLong", "double": "PyFloat_AsDouble"}
    values = []
    for kind, one in zip(kinds, given, strict=True):
        if kind == "ptr":
            values.append(f.load("ptr", f.at(one, "i8", DATA)))
        else:
            values.append(f.value(f"call {kind} {_python(readers[kind])}(ptr {one})"))
    thread = f.value(f"call ptr {_python('PyEval_SaveThread')}()")
    passed = ", ".join(f"{kind} {value}" for kind, value in zip(kinds, values, strict=True))
    f.line(f"call void @block({passed})")
    f.line(f"call void {_python('PyEval_RestoreThread')}(ptr {thread})")
    f.line(f"call void {_python('Py_IncRef')}(ptr {given[0]})")
    f.ret(f"ptr {given[0]}")
    declared = {line: None for function in functions for line in function.declared}
    return "\n".join([*declared, *map(str, functions), str(f)])


def _python(name: str) -> str:
    """A function of Python's C interface."""
    return f"inttoptr (i64 {address_of(name)} to ptr)"


class Kernel:
    """What computes a stretch of arrays, once it has been compiled.

    Args:
        write: gives its text.
        agrees: whether a function that was made of it gives NumPy's numbers for a sample; where IEEE 754 defines the
            numbers nobody has to ask.
    """

    def __init__(
        self, write: Callable[[], str], agrees: Callable[[Callable[..., Any]], bool] = lambda _function: True
    ) -> None:
        self._write, self._agrees = write, agrees
        self._asked = 0
        self._job: Job | None = None
        self._kept: list[Any] = []
        self._function: Callable[..., Any] | None = None

    def ready(self) -> Callable[..., Any] | None:
        """The function ``run``; None as long as there is none, or where there can be none."""
        if self._function is not None:
            return self._function
        if self._job is None:
            self._asked += 1
            if self._asked == _CALLS and is_installed():
                self._job = in_background(self.compiled)
        elif self._job.is_done():
            self._function = self._job.result
        return self._function

    def compiled(self) -> Callable[..., Any] | None:
        """The function, compiled now; None where there can be none. It may be called as long as the kernel lives."""
        if not is_available():
            return None
        try:
            function, keeper = compiled(self._write())
        except CompilationError:
            return None
        self._kept.append(keeper)
        return function if self._agrees(function) else None
