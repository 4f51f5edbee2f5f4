"""The picture of a strip without scripts: its scale, names, words, curve and axis are there, and it is well-formed."""

import base64
import re
from xml.etree import ElementTree as ET

import numpy as np

from tapeviz.exports.strip_columns import StripColumns
from tapeviz.widgets import strip_summary


def svg_of(strip, show="gradient"):
    page = strip_summary.html({**strip.payload(), "progress": {}, "marks": [], "loop": 3}, show)
    data = re.search(r"data:image/svg\+xml;base64,([^\"]+)", page)[1]
    return ET.fromstring(base64.b64decode(data))


def texts(svg):
    return [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]


def filled(steps, measured=lambda _step: True):
    strip = StripColumns(["encoder/block<0>/attention/a_name_that_is_long", "b"], columns=64)
    for step in range(steps):
        figures = {"gradient": [10.0 ** (-step / 4), 1.0]} if measured(step) else {}
        strip.add(figures, loss=1.0 / (1 + step))
    return strip


def test_all_of_it_is_there():
    svg = svg_of(filled(60))
    found = texts(svg)
    assert {"gradient norm", "1e-06", "100", "held", "exactly 0", "NaN, inf", "not measured", "steps", "loss"} <= {
        *found
    }
    assert "encoder/block<0>/attention/a_name_that_is_long" in found
    assert "vanishing" in found
    assert "log axis" in found
    assert svg.get("width") == svg.get("viewBox").split()[2]


def test_what_is_held_has_a_picture_of_its_own():
    images = "{http://www.w3.org/2000/svg}image"
    assert len([*svg_of(filled(60)).iter(images)]) == 1
    held = [*svg_of(filled(60, lambda step: step % 7 == 0)).iter(images)]
    assert ["clip-path" in image.attrib for image in held] == [True, False]


def test_a_loop_without_layers_has_its_curve_alone():
    strip = StripColumns([], columns=8)
    for step in range(5):
        strip.add({})
        strip.add_metrics({"accuracy": step / 10})
    found = texts(svg_of(strip))
    assert "accuracy" in found
    assert "0.4" in found


def test_every_loss_may_be_nan():
    strip = StripColumns(["a"], columns=8)
    strip.add({"gradient": [np.nan]}, loss=np.nan)
    assert "NaN" in texts(svg_of(strip))
