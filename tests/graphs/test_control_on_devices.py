"""Control flow of graphs on a device that refuses to mix its arrays with the host's."""

import pytest

import tapeviz as tf
from tests.engine.strict_gpu import standing_in
from tests.graphs.test_axis_loops import PROGRAMS as ALONG
from tests.graphs.test_control import BRANCHES
from tests.graphs.test_loops import LOOPS
from tests.graphs.test_tensor_arrays import PROGRAMS as ARRAYS
from tests.graphs.ways import agree

ROWS = [
    pytest.param(f, values, id=name)
    for table, values in (
        (BRANCHES, [3.0, 4.0]),
        (LOOPS, [0.3, 0.4]),
        (ALONG, [3.0, 4.0, 5.0]),
        (ARRAYS, [3.0, 4.0, 5.0]),
    )
    for name, f in table.items()
    if name != "scan of nothing"  # where nothing is, it is on the host
]


def gradients(f, tensors):
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        results = f(*tensors)
    return results, tape.gradient(results, tensors, unconnected_gradients="zero")


@pytest.mark.parametrize(("f", "values"), ROWS)
def test_as_on_the_host(f, values):
    wanted = gradients(f, (tf.constant(1.5), tf.constant(values)))
    with standing_in():
        with tf.device("GPU:0"):
            tensors = tf.constant(1.5), tf.constant(values)
        found, slopes = gradients(tf.function(f), tensors)
        assert all(slope.device.endswith("GPU:0") for slope in slopes)
        agree(tf.nest.map_structure(lambda t: t.cpu(), (found, slopes)), wanted)
