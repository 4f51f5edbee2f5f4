"""docs/ops.md is what the declarations say now."""

from __future__ import annotations

from tapeviz.engine.declaration import registry
from tools.reference_page import PAGE, page


def test_the_page_is_current():
    assert PAGE.read_text() == page(), "run python -m tools.reference_page"


def test_every_op_is_on_it():
    text = page()
    assert [name for name in registry if f"**{name}**" not in text] == []
    assert "`tf.reduce_sum(input_tensor, axis, keepdims, name)`" in text
