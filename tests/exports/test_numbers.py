"""Numbers are said in Python as the views say them: the same cases as core/src/format.ts has."""

import math

import pytest

from tapeviz.exports import numbers


@pytest.mark.parametrize(
    ("x", "said"),
    [
        (0, "0"), (-0.0, "0"), (1, "1"), (0.12345, "0.123"), (-12.345, "−12.3"), (1234.5, "1234"), (99_999, "99999"),
        (1e5, "1×10⁵"), (1e-8, "1×10⁻⁸"), (-1.5e-10, "−1.5×10⁻¹⁰"), (math.nan, "NaN"), (math.inf, "+inf"),
        (-math.inf, "−inf"),
    ],
)  # fmt: skip
def test_numbers(x, said):
    assert numbers.number(x) == said


def test_times_sizes_and_shapes():
    assert [numbers.duration(t) for t in (0, 999, 1234, 999_900)] == ["0 ns", "999 ns", "1.23 µs", "1 ms"]
    assert [numbers.bytes_(n) for n in (0, 1023, 8192, 3 * 2**30)] == ["0 B", "1023 B", "8 KiB", "3 GiB"]
    assert [numbers.shape(s) for s in ((), (3,), (32, 64))] == ["scalar", "3", "32×64"]
    assert [numbers.spec(s, "int8") for s in ((), (3,), (32, 64))] == ["() int8", "(3,) int8", "(32, 64) int8"]
    assert [numbers.percent(p) for p in (0, 0.001, 0.5)] == ["0 %", "<1 %", "50 %"]
    assert [numbers.plural(n, "op") for n in (1, 12_345)] == ["1 op", "12\u202f345 ops"]
