"""Every view opens on what is recorded of PyTorch: what each is made of, and for some programs the views of a page."""

from __future__ import annotations

import json
import warnings

import pytest

import tapeviz
from tapeviz.exports.view_names import VIEWS
from tests.adapters.torch.programs import PROGRAMS
from tests.browser.conftest import browser  # noqa: F401 - the fixture
from tests.browser.saved_page import SavedPage

PAGES = ["transformer", "gan", "gru", "checkpoint", "third_derivative", "module_hooks", "functional_transforms"]
TABS = ["Timeline", "Gradient flow", "Tensor", "Code", "Step"]
MOST = 12  # tensors and ops that are asked about, of each program


def recorded(name: str) -> tapeviz.Tape:
    with warnings.catch_warnings(), tapeviz.record(framework="torch", values="all") as tape:
        warnings.simplefilter("ignore")
        PROGRAMS[name]()
    return tape


def spread(items):
    """Some of them from the beginning to the end."""
    return items[:: max(1, len(items) // MOST)]


def whole(shape: list[int]) -> dict:
    """What the tensor view asks for, of a small tensor: all of it, with its last axes as rows and columns."""
    axes = [-1, -1, *range(len(shape))][-2:]
    size = [1 if axis < 0 else shape[axis] for axis in axes]
    return {"axes": axes, "index": [0] * len(shape), "start": [0, 0], "size": size, "stride": [1, 1]}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_view_is_made(name):
    tape = recorded(name)
    fields, buffers = tape.answer({"kind": "ready"})
    assert buffers, fields
    assert all(tape.text(view) for view in VIEWS)
    assert tape._repr_html_()
    steps = tape.steps()
    for number in spread(range(1, len(steps) + 1)):
        assert steps.show(number)
    assert tape.plot.timeline()
    assert tape.plot.gradients()
    for event in spread([event.id for event in tape.events if event.op >= 0]):
        assert tape.answer({"kind": "python", "events": [event]})[0]["text"]
    for row in spread(list(tape.tensors)):
        shape = json.loads(tape.recording.strings.text[row.shape])
        fields, parts = tape.answer({"kind": "window", "tensor": row.id, **whole(shape)})
        assert parts or fields["state"] == "unknown", fields
        elements = tape.elements(row.id)
        assert elements is None or list(elements.shape) == shape
        if elements is not None:
            drawn = row.id
    assert tape.plot.tensor(drawn)
    assert str(tape.why()) if len(tape.recording.requests) else True


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_no_view_of_a_page_is_blank(browser, tmp_path, name):  # noqa: F811 - the fixture
    page = SavedPage(browser, recorded(name).save(tmp_path / "run.html"))
    seen = []
    for title in page.views():
        seen.append(title)
        assert not page.is_blank(), title
        assert len(page.in_words()) > 100, title
        page.press("ArrowRight", "Enter", "ArrowRight", "Enter")
        assert not page.is_blank(), title
        page.press("Backspace", "f")
    assert seen == TABS
    page.close()
