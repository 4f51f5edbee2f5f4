"""Figures: nothing is cut off or written over other words, nothing is said by colour alone, pyplot is left alone."""

import itertools
import re
import subprocess
import sys

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tapeviz.exports import figures
from tapeviz.exports.figures import palette
from tapeviz.exports.figures.board import fit, printable, width_of
from tapeviz.recording import Builder, read
from tests.exports.snapshots import RECORDING, recording
from tests.recording.network import Network
from tests.structure.sources import ROOT

CORE = ROOT / "labextension/packages/core/src"


def long_names() -> Builder:
    """Return a builder with names, lines and shapes that no figure has room for."""
    net = Network()
    x = net.tensor([128, 3, 224, 224], "host")
    net.name(x, "x" * 200)
    for number in range(40):
        x = net.op("a_rather_long_name_of_an_op" * (1 + number % 3), [x], [128, 3, 224, 224], 1 + number % 7)
        net.name(x, f"漢字 {'name' * 30}\n$x^2$ {number}")
    return net.builder


RECORDINGS = {
    "network": recording,
    "empty": lambda: Builder().recording(),
    "long names": lambda: long_names().recording(),
}
DRAW = {
    "timeline": figures.timeline,
    "timeline by time": lambda r: figures.timeline(r, scale="time"),
    "timeline by order": lambda r: figures.timeline(r, scale="order", width=5),
    "gradients": figures.gradients,
    "tensor": lambda r: figures.tensor(r, int(r.tensors.id[-1])),
}
PAIRS = [(n, d) for n, d in itertools.product(RECORDINGS, DRAW) if (n, d) != ("empty", "tensor")]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "draw"), PAIRS)
def test_no_text_is_cut_off_or_overlaps(name, draw):
    picture = DRAW[draw](RECORDINGS[name]())
    canvas = FigureCanvasAgg(picture)
    canvas.draw()
    page = picture.bbox
    drawn = [text for axes in picture.axes for text in axes.texts if text.get_text()]
    texts = [(text.get_text(), text.get_window_extent()) for text in drawn]
    cut = [t for t, box in texts if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y0 < -2 or box.y1 > page.y1 + 2]
    assert cut == []
    assert [(a, b) for (a, one), (b, two) in itertools.combinations(texts, 2) if _overlap(one, two)] == []


def _overlap(one, two):
    wide = min(one.x1, two.x1) - max(one.x0, two.x0)
    high = min(one.y1, two.y1) - max(one.y0, two.y0)
    # Boxes of neighbouring lines may touch.
    return wide > 2 and high > min(one.height, two.height) / 3


def test_families_are_those_of_the_views():
    source = (CORE / "families.ts").read_text(encoding="utf-8")
    found = re.findall(r'family\(\s*"(\w+)",\s*"([\w ]+)",\s*"(#\w+)",\s*"(.)"', source)
    ours = [*palette.FAMILIES, palette.ERROR, palette.OTHER]
    assert [(f.name, f.title, f.color, f.glyph) for f in ours] == found


def test_signed_colours_are_those_of_the_views():
    source = (CORE / "color.ts").read_text(encoding="utf-8")
    for name, ours in (("PURPLE", palette.PURPLE), ("ORANGE", palette.ORANGE)):
        assert list(ours) == re.findall(r"#\w{6}", re.search(rf"const {name} = \[([^]]*)\]", source)[1])


def test_a_figure_says_in_words_what_it_shows():
    step = recording()
    assert "11 ops forward, 9 backward" in figures.timeline(step).alt
    assert figures.gradients(step).alt == "Gradient of loss: w1 1×10⁻⁸, w2 0.75, c None."
    assert figures.tensor(step, int(step.tensors.id[1])).alt.startswith("w1, (3, 5) float32: values")
    png, size = figures.timeline(step)._repr_png_()
    assert png.startswith(b"\x89PNG")
    assert size["width"] == 760


def test_none_zero_nan_and_not_measured_are_words():
    texts = [text.get_text() for text in figures.gradients(recording()).axes[0].texts]
    assert "∅ None" in texts
    none = read(RECORDING).with_rows("stats", [{"tensor": t, "norm": float("nan"), "nan": 1} for t in range(60)])
    assert "✕ NaN" in [text.get_text() for text in figures.gradients(none).axes[0].texts]
    zero = read(RECORDING).with_rows("stats", [{"tensor": t, "norm": 0.0} for t in range(60)])
    assert "0  exactly zero" in [text.get_text() for text in figures.gradients(zero).axes[0].texts]


def test_there_is_no_such_tensor():
    with pytest.raises(LookupError, match="no tensor 12345"):
        figures.tensor(recording(), 12_345)


def test_texts_are_cut_where_there_is_no_room_and_printable():
    assert fit("matmul", 10) == "matmul"
    cut = fit("sparse_softmax_cross_entropy", 0.8)
    assert cut.endswith("…")
    assert width_of(cut) <= 0.8
    assert fit("matmul", 0.05) == ""
    assert printable("a\t漢\x00b") == "a □b"


@pytest.mark.slow
def test_pyplot_is_left_alone():
    code = (
        "import sys; from tapeviz.exports import figures; from tapeviz.recording import read\n"
        f"figures.timeline(read({str(RECORDING)!r})).png(50); assert 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
