"""Options of ``record`` that ``%%tape`` has too: gradients by name, mode, device, comparison, printed errors."""

import pytest

import tapeviz as tf

W = tf.Variable([1.0, 2.0], name="w")


@pytest.mark.parametrize("wrt", ["w,h", ["w", "h"], " w , h "])
def test_gradients_by_name(wrt):
    w = W
    with tf.record(wrt=wrt) as tape:
        h = w * 3.0
        loss = tf.reduce_sum(h * h)
    assert tape.wrt["w"].numpy().tolist() == [18.0, 36.0]
    assert tape.wrt["h"].numpy().tolist() == [6.0, 12.0]
    assert float(loss) == 45.0
    assert len(tape.requests) == 2


def test_of_a_model_its_variables():
    model = tf.keras.layers.Dense(1)
    model.build((None, 2))
    with tf.record(wrt="model") as tape:
        loss = tf.reduce_sum(model(tf.ones([3, 2])))
    assert [gradient.shape for gradient in tape.wrt["model"]] == [(2, 1), (1,)]
    assert loss.shape == ()


@pytest.mark.parametrize(
    ("wrt", "said"),
    [
        ("nothing_here", "nothing of that name"),
        ("W.nope", "nothing of that name"),
        ("pytest", "not a tensor or variable"),
    ],
)
def test_what_cannot_be_asked_is_said_and_the_tape_is_whole(wrt, said):
    block = tf.record(wrt=wrt)
    with pytest.raises(ValueError, match=said), block:
        loss = tf.reduce_sum(W * 2.0)
    assert float(loss) == 6.0
    assert len(block.tape.events) >= 2
    assert "stopped" not in block.tape.recording.meta_dict()


def test_without_a_scalar_there_is_nothing_to_differentiate():
    with pytest.raises(ValueError, match="stores none of floats"), tf.record(wrt="W"):
        doubled = W * 2.0
    assert doubled.shape == (2,)


@tf.function
def traced(x):
    ran.append(1)
    return x * 2.0


ran = []


def test_functions_run_as_python_in_eager_mode_and_only_there():
    traced(W)
    ran.clear()
    with tf.record(mode="eager"):
        traced(W)
        traced(W)
    traced(W)
    assert len(ran) == 2


def test_the_device_holds_inside_the_block():
    with tf.record(device="cpu") as tape:
        y = W * 2.0
    assert y.device.endswith("CPU:0")
    assert [*tape.devices.name] == ["CPU:0"]


def test_a_comparison_is_printed(capsys):
    def program(factor):
        return tf.reduce_sum(W * factor)

    with tf.record() as before:
        program(2.0)
    with tf.record(compare=before):
        program(3.0)
    assert "multiply" in capsys.readouterr().out


def test_an_error_is_printed_and_the_program_goes_on(capsys):
    with tf.record(keep_going=True) as tape:
        tf.matmul([[1.0]], [[1.0, 2.0], [3.0, 4.0]])
    assert "Matrix size-incompatible" in capsys.readouterr().err
    assert tape.recording.meta_dict()["stopped"]["type"] == "InvalidArgumentError"
    with pytest.raises(KeyboardInterrupt), tf.record(keep_going=True):
        raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("options", "said"),
    [({"mode": "graph"}, "a with block runs as the Python it is"), ({"mode": "lazy"}, "choose eager, graph"),
     ({"device": "tpu"}, "choose cpu, gpu, auto"), ({"view": "pie"}, "choose timeline")],
)  # fmt: skip
def test_what_cannot_be_is_said_at_once(options, said):
    with pytest.raises(ValueError, match=said):
        tf.record(**options)
