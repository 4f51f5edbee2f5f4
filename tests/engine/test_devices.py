"""Devices: their names, where ops run, what is copied between them, and what is said when there is none."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.backends import NUMPY, detection
from tapeviz.engine.device_names import parsed
from tapeviz.engine.devices import Devices, devices
from tests.engine.strict_gpu import standing_in

CPU, GPU = "/job:localhost/replica:0/task:0/device:CPU:0", "/job:localhost/replica:0/task:0/device:GPU:0"
NAMES = {
    "/gpu:0": GPU, "GPU": GPU, "/device:GPU:0": GPU, "gpu": GPU, "/gpu:*": GPU, "device:gpu:0": GPU,
    "/job:localhost/replica:0/task:0/device:GPU:0": GPU, "/job:localhost/gpu:0": GPU, "/gpu:7": GPU,
    "/cpu:0": CPU, "CPU:0": CPU, "cpu": CPU, "/cpu:3": CPU, "CPU:*": CPU, "/cpu:0/": CPU, "/tpu:0": CPU, "": CPU,
}  # fmt: skip


@pytest.fixture
def gpu():
    with standing_in() as backend:
        yield backend


@pytest.fixture
def no_gpu(monkeypatch):
    """Hide the GPU that there may be."""
    monkeypatch.setattr(devices, "known", [NUMPY])
    monkeypatch.setattr(devices, "visible", [NUMPY])
    monkeypatch.setattr(devices, "_obstacle", "no usable GPU here: missing a device")


@pytest.mark.usefixtures("no_gpu")
@pytest.mark.parametrize("name", [*NAMES, None])
def test_without_a_gpu_everything_runs_on_the_cpu(name):
    with tf.device(name):
        assert (tf.constant(1.0) + 1.0).device == CPU


@pytest.mark.parametrize(("name", "device"), NAMES.items())
@pytest.mark.usefixtures("gpu")
def test_with_one_names_say_which(name, device):
    with tf.device(name):
        made = tf.constant(1.0)
        assert made.device == made.backing_device == (made + 1.0).device == tf.zeros([2]).device == device


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/ gpu:0", "Unknown attribute ' gpu' .* Did you mean '/gpu:0'"),
        ("/gpu 0", "Unknown attribute 'gpu 0' .* Did you mean '/gpu:0'"),
        ("gpu0", "Did you mean 'gpu:0'"),
        ("gpu_0", "Did you mean 'gpu:0'"),
        ("gpu:x", "invalid literal for int.* Did you mean 'gpu:0'"),
        ("/XLA_GPU:0", "Unknown attribute 'XLA_GPU'"),
        ("/cpu:0:1", "Unknown attribute 'cpu'"),
        ("nonsense", "A device is written as '/cpu:0' or '/gpu:0'"),
        ("/CPU:0/device:GPU:0", "Multiple device types are not allowed"),
        (5, "Expecting a string device name. Got <class 'int'>"),
    ],
)
def test_a_malformed_name_is_refused_with_a_hint(name, said):
    with pytest.raises(ValueError, match=said), tf.device(name):
        pass


def test_functions_and_other_processes_are_refused():
    with pytest.raises(RuntimeError, match="does not support functions"):
        tf.device(lambda _op: "/cpu:0")
    with pytest.raises(tf.errors.InvalidArgumentError, match="/job:worker/replica:0/task:1/device:CPU:0 unknown"):
        tf.device("/job:worker/task:1/cpu:0").__enter__()
    assert str(parsed("/task:1")) == "/job:localhost/replica:0/task:1/device:CPU:0"


@pytest.mark.usefixtures("no_gpu")
def test_without_soft_placement_a_device_that_is_missing_is_refused():
    tf.config.set_soft_device_placement(False)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Could not satisfy device specification .*missing"):
            tf.device("/gpu:0").__enter__()
        with tf.device("/cpu:0"):
            assert tf.ones([]).device == CPU
    finally:
        tf.config.set_soft_device_placement(True)


@pytest.mark.usefixtures("gpu")
def test_blocks_nest_and_none_is_outside_of_all():
    with tf.device("/gpu:0"):
        with tf.device("/cpu:0"):
            assert tf.ones([]).device == CPU
            with tf.device(None):
                assert tf.ones([]).device == CPU
        assert tf.ones([]).device == GPU
        with tf.device(None):
            assert tf.ones([]).device == CPU
        with tf.device("/job:localhost"):
            assert tf.ones([]).device == GPU
    assert tf.ones([]).device == CPU
    scope = tf.device("/gpu:0")
    with scope, scope:
        assert tf.ones([]).device == GPU
    assert tf.ones([]).device == CPU


@pytest.mark.usefixtures("gpu")
def test_a_block_left_by_an_error_is_left():
    def fail():
        with tf.device("/gpu:0"):
            tf.ones([2]) + tf.ones([3])

    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        fail()
    assert tf.ones([]).device == CPU


@pytest.mark.usefixtures("gpu")
def test_the_block_decides_where_an_op_runs_and_copies_its_inputs():
    here = tf.constant([1.0, 2.0])
    there = here.gpu()
    assert (there.device, there.cpu().device, here.cpu()) == (GPU, CPU, here)
    with tf.device("/gpu:0"):
        assert (here * 2.0).device == tf.exp(here).device == tf.identity(here).device == GPU
        assert tf.concat([here, there], 0).device == tf.add_n([here, here]).device == GPU
    with tf.device("/cpu:0"):
        assert (there * 2.0).device == tf.identity(there).device == CPU
    assert (here + there).device == (there + here).device == (there + 1.0).device == GPU
    np.testing.assert_array_equal((np.array([1.0, 1.0]) + there).numpy(), [2.0, 3.0])


@pytest.mark.usefixtures("gpu")
def test_the_policy_can_refuse_to_copy():
    here = tf.constant([1.0, 2.0])
    there = here.gpu()
    assert tf.config.experimental.get_device_policy() == "silent"
    tf.config.experimental.set_device_policy("explicit")
    try:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"conflicting devices.* x on GPU:0, y on CPU:0"):
            there * here
    finally:
        tf.config.experimental.set_device_policy(None)
    with pytest.raises(ValueError, match="not a valid device policy"):
        tf.config.experimental.set_device_policy("sometimes")


@pytest.mark.usefixtures("gpu")
def test_strings_stay_on_the_host():
    with tf.device("/gpu:0"):
        text = tf.constant(["a", "b"])
        assert text.device == tf.identity(text).device == CPU


@pytest.mark.usefixtures("gpu")
def test_variables_stay_where_they_were_made():
    with tf.device("/gpu:0"):
        w = tf.Variable([1.0, 2.0])
    w.assign([3.0, 4.0])
    w.assign_add(tf.constant([1.0, 1.0]))
    with tf.device("/cpu:0"):
        w.assign_sub([1.0, 1.0])
        assert (w * 2.0).device == CPU
    assert w.device == (w * 2.0).device == GPU
    assert w.numpy().tolist() == [3.0, 4.0]


@pytest.mark.usefixtures("gpu")
def test_gradients_come_back_to_where_their_sources_are():
    x, w = tf.constant([1.0, 2.0, 3.0]), tf.Variable([1.0, 1.0, 1.0])
    with tf.device("/gpu:0"):
        v = tf.Variable([2.0, 2.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            loss = tf.reduce_sum((x.gpu() * v + w) ** 3.0)
        found = tape.gradient(loss, [x, w, v])
    assert [g.device for g in found] == [CPU, CPU, GPU]
    np.testing.assert_allclose(found[0].numpy(), 6.0 * (2.0 * x.numpy() + 1.0) ** 2)
    np.testing.assert_allclose(found[2].numpy(), 3.0 * x.numpy() * (2.0 * x.numpy() + 1.0) ** 2)
    second = outer.gradient(found[0], x)
    assert second.device == CPU
    np.testing.assert_allclose(second.numpy(), 24.0 * (2.0 * x.numpy() + 1.0))


@pytest.mark.usefixtures("gpu")
def test_upstream_gradients_may_come_from_elsewhere():
    x = tf.constant([1.0, 2.0]).gpu()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found = tape.gradient(y, x, output_gradients=tf.constant([1.0, 10.0]))
    assert found.device == GPU
    assert found.numpy().tolist() == [2.0, 40.0]


@pytest.mark.usefixtures("gpu")
def test_a_recording_knows_devices_transfers_and_times():
    x = tf.constant([1.0, 2.0])
    with tf.record(values="all") as tape:
        with tf.device("/gpu:0"):
            y = x * 3.0
        z = tf.reduce_sum(y.cpu())
    r = tape.recording
    assert z.numpy() == 9.0
    assert list(r.devices.name) == ["CPU:0", "GPU:0"]
    kinds = {r.ops.name[op]: r.devices.name[d] for op, d in zip(r.events.op, r.events.device, strict=True) if op >= 0}
    assert kinds == {"copy_to_device": "CPU:0", "multiply": "GPU:0", "reduce_sum": "CPU:0"}
    moves = [r.strings.text[p] for p, op in zip(r.events.params, r.events.op, strict=True) if op >= 0 and p >= 0]
    assert '{"source": "CPU:0", "target": "GPU:0", "nbytes": 8}' in moves
    assert '{"source": "GPU:0", "target": "CPU:0", "nbytes": 8}' in moves
    timed = [r.ops.name[r.events.op[event]] for event in r.device_times.event]
    assert timed == ["multiply", "copy_to_device"]
    assert list(r.device_times.dur) == [1000.0, 1000.0]


@pytest.mark.usefixtures("no_gpu")
def test_a_recording_says_when_the_device_asked_for_is_not_there():
    with tf.record() as tape, tf.device("/gpu:0"):
        tf.constant(1.0) + 1.0
    assert "CPU:0 (no /gpu:0 here)" in str(tape)


def test_new_tensors_go_to_the_gpu_unless_told_otherwise(gpu):
    assert devices.choose("auto") is gpu
    made = tf.constant([1.0, 2.0])
    assert made.device == tf.Variable(1.0).device == tf.random.normal([2]).device == GPU
    seen = []
    thread = threading.Thread(target=lambda: seen.append(tf.zeros([2]).device))
    thread.start()
    thread.join()
    assert seen == [GPU]
    with tf.device("/cpu:0"):
        assert tf.constant(1.0).device == CPU
    devices.choose("cpu")
    assert tf.constant(1.0).device == CPU
    tf.config.set_visible_devices([], "GPU")
    with pytest.raises(RuntimeError, match="set_visible_devices hides it"):
        devices.choose("gpu")


@pytest.mark.usefixtures("gpu")
def test_the_lists_of_devices():
    both = tf.config.list_physical_devices()
    assert [device.name for device in both] == ["/physical_device:CPU:0", "/physical_device:GPU:0"]
    assert tf.config.experimental.list_physical_devices("GPU") == [both[1]]
    assert [device.name for device in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:GPU:0"]
    assert tf.config.list_physical_devices("TPU") == []
    assert tf.test.is_gpu_available()
    assert not tf.test.is_gpu_available(min_cuda_compute_capability=(7, 0))
    assert tf.test.is_built_with_cuda()
    assert tf.test.gpu_device_name() == "/device:GPU:0"
    assert tf.config.experimental.get_device_details(both[1])["device_name"] == "stand-in"
    assert tf.config.experimental.get_memory_info("GPU:0") == {"current": 0, "peak": 0}
    assert tf.config.experimental.get_memory_growth(both[1])
    tf.config.experimental.set_memory_growth(both[1], True)
    tf.config.set_visible_devices(both[0], "CPU")
    tf.config.set_visible_devices([], "GPU")
    assert tf.config.get_visible_devices() == both[:1]
    assert tf.test.gpu_device_name() == ""
    with tf.device("/gpu:0"):
        assert tf.ones([]).device == CPU


@pytest.mark.usefixtures("gpu")
def test_what_cannot_be_configured_is_refused():
    cpu, there = tf.config.list_physical_devices()
    with pytest.raises(RuntimeError, match="the CPU is always needed"):
        tf.config.set_visible_devices([], "CPU")
    with pytest.raises(ValueError, match="Unrecognized device: 'x'"):
        tf.config.set_visible_devices(["x"])
    with pytest.raises(ValueError, match="is not of type CPU"):
        tf.config.set_visible_devices([there], "CPU")
    with pytest.raises(ValueError, match="Unrecognized device"):
        tf.config.experimental.get_device_details("GPU:1")
    with pytest.raises(ValueError, match="No matching devices found for 'GPU:3'"):
        tf.config.experimental.get_memory_info("GPU:3")
    with pytest.raises(ValueError, match="non-GPU"):
        tf.config.experimental.set_memory_growth(cpu, True)
    with pytest.raises(ValueError, match="non-GPU"):
        tf.config.experimental.get_memory_growth(cpu)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as it is needed"):
        tf.config.experimental.set_memory_growth(there, False)


@pytest.mark.parametrize(
    ("cuda", "cupy", "missing"),
    [
        ((False, 0), False, "missing NVIDIA's driver .* and CuPy"),
        ((False, 0), True, "missing NVIDIA's driver"),
        ((True, 0), True, "missing a device"),
        ((True, 1), False, "missing CuPy .pip install"),
        ((True, 1), True, "CuPy cannot use it"),
    ],
)
def test_what_is_missing_is_said(monkeypatch, cuda, cupy, missing):
    monkeypatch.setattr(detection, "cuda", lambda: cuda)
    monkeypatch.setattr(detection, "find_spec", lambda _name: object() if cupy else None)
    monkeypatch.setitem(__import__("sys").modules, "cupy", None)
    looked = Devices()
    looked.find()
    with pytest.raises(RuntimeError, match=f"GPU:0 unknown device: no usable GPU here: .*{missing}"):
        looked.choose("gpu")
    monkeypatch.setattr(devices, "_obstacle", looked.obstacle)
    monkeypatch.setattr(devices, "visible", looked.visible)
    with pytest.raises(RuntimeError, match=missing):
        tf.constant(1.0).gpu()
    assert looked.choose("auto").name == "CPU:0"
    with pytest.raises(LookupError, match="no device is called GPU:0"):
        looked.named("GPU:0")


@pytest.mark.usefixtures("gpu")
def test_a_gradient_goes_to_the_device_and_back_to_the_host():
    with tf.device("CPU:0"):
        x = tf.constant([[1.0, 2.0, 3.0]])

    def slope(there):
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.device("CPU:0"):
                a = tf.exp(x) * tf.sin(x) * x
            with tf.device(there):
                b = tf.identity(a) * 2.0
                b = b * b + b
            with tf.device("CPU:0"):
                c = tf.reduce_sum(tf.identity(b) * 3.0)
        return tape.gradient(c, x).numpy().tolist()

    assert slope("GPU:0") == slope("CPU:0")
