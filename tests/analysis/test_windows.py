"""Windows of a tensor, against NumPy's own indexing."""

import numpy as np
import pytest

from tapeviz.analysis.windows import LIMIT, window

IMAGES = np.arange(6 * 5 * 7 * 3, dtype="float32").reshape(6, 5, 7, 3)


def ask(array, **asked):
    fields, (data,) = window(array, {"kind": "window", "tensor": 1, **asked})
    assert fields["state"] == "ok"
    return np.frombuffer(data, fields["dtype"]).reshape(fields["shape"])


def sheet(planes, across, gap):
    """The planes laid out by hand."""
    count, tall, wide = planes.shape
    down = -(-count // across)
    out = np.zeros((down * (tall + gap) - gap, across * (wide + gap) - gap), planes.dtype)
    for number, plane in enumerate(planes):
        top, left = number // across * (tall + gap), number % across * (wide + gap)
        out[top : top + tall, left : left + wide] = plane
    return out


def test_two_axes_with_strides_in_either_order():
    across = {"index": [2, 3, 4, 1], "start": [1, 0], "size": [2, 3], "stride": [2, 2]}
    assert np.array_equal(ask(IMAGES, axes=[0, 2], **across), IMAGES[1:4:2, 3, 0:5:2, 1])
    turned = {"index": [2, 0, 4, 0], "start": [0, 1], "size": [3, 2], "stride": [1, 2]}
    assert np.array_equal(ask(IMAGES, axes=[3, 1], **turned), IMAGES[2, 1:4:2, 4, :].T)


def test_one_axis_cut_into_rows_ends_in_zeros():
    found = ask(np.arange(13.0), axes=[-1, 0], index=[0], start=[0, 0], size=[2, 10], stride=[1, 1], wrap=10)
    assert found.ravel().tolist() == [*range(13), *[0] * 7]


def test_a_scalar():
    assert ask(np.array(3.5), axes=[-1, -1], index=[], start=[0, 0], size=[1, 1], stride=[1, 1]).tolist() == [[3.5]]


@pytest.mark.parametrize(("across", "gap"), [(3, 1), (4, 2), (6, 1), (1, 3)])
def test_planes_side_by_side(across, gap):
    whole = sheet(IMAGES[..., 2], across, gap)
    asked = {"axes": [1, 2], "index": [0, 0, 0, 2], "facets": [0, across, gap]}
    assert np.array_equal(ask(IMAGES, start=[0, 0], size=list(whole.shape), stride=[1, 1], **asked), whole)
    part = whole[2::2, 1::4]
    assert np.array_equal(ask(IMAGES, start=[2, 1], size=list(part.shape), stride=[2, 4], **asked), part)


@pytest.mark.parametrize(
    "asked",
    [
        {"axes": [0, 4], "index": [0, 0, 0, 0]},
        {"axes": [0, 1], "index": [0, 0]},
        {"axes": [0, 1], "index": [0, 0, 0, 0], "facets": [7, 2, 1]},
        {"axes": [0, 1], "index": [0, 0, 0, 0], "size": [LIMIT, 2]},
        {"axes": [0, 1], "index": [0, 0, 0, 0], "start": [5, 0]},
    ],
)
def test_what_is_no_window_is_refused(asked):
    with pytest.raises(ValueError, match=r"window|axes|elements"):
        ask(IMAGES, **{"start": [0, 0], "size": [2, 2], "stride": [1, 1], **asked})
