"""Away from the host, the squares of gradients were summed in float16 or bfloat16: small ones gave 0, large ones inf.

Mended: they are summed in float64, and so are those of float32 where its own sum is 0 or infinite.
"""

import tapeviz as tf
from tapeviz.engine.declaration import registry
from tests.fuzz.values import tensor


def program(x, y, scale):
    figures = registry["gradient_figures"].run
    return [figures(*(tf.cast(part * scale, dtype) for part in (x, y))) for dtype in ("bfloat16", "float16", "float32")]


def arguments(call):
    return [tensor(call, [3, 4]), tensor(9 + call, [5]), tf.constant([1e-24, 1.0, 1e24, 3e2][call])]
