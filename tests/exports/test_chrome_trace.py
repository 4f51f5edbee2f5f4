"""What a trace says beyond the stored ones."""

import tapeviz as tf
from tapeviz.exports.chrome_trace import trace
from tapeviz.recording import Builder


def test_a_devices_pool_is_a_counter_of_its_process():
    builder = Builder()
    builder.append("devices", name="CPU:0")
    gpu = builder.append("devices", name="GPU:0")
    for t, used in ((1500, 512), (2500, 1024)):
        builder.append("pools", device=gpu, t=t, used=used, total=2048)
    entries = list(trace(builder.recording()))
    (process,) = [entry["pid"] for entry in entries if entry["ph"] == "M" and entry["args"].get("name") == "GPU:0"]
    assert [entry for entry in entries if entry["ph"] == "C"] == [
        {"ph": "C", "name": "pool", "pid": process, "ts": 1.5, "args": {"used": 512, "free": 1536}},
        {"ph": "C", "name": "pool", "pid": process, "ts": 2.5, "args": {"used": 1024, "free": 1024}},
    ]


def named(entries, name):
    """The slices on the track of a name."""
    (track,) = [(e["pid"], e["tid"]) for e in entries if e["name"] == "thread_name" and e["args"]["name"] == name]
    return [e for e in entries if e["ph"] == "X" and (e["pid"], e["tid"]) == track]


def test_setups_are_slices_of_a_track_of_their_own():
    builder = Builder()
    builder.append("setups", kind="import", name="pandas", t0=5000, dur=2000, site=-1)
    builder.append("setups", kind="first_use", name="atan", t0=1000, dur=500, site=-1)
    found = [(e["name"], e["ts"], e["dur"]) for e in named(list(trace(builder.recording())), "setup")]
    assert found == [("first use of atan", 1.0, 0.5), ("import pandas", 5.0, 2.0)]


def test_functions_are_slices_around_their_ops_forward_and_backward():
    def scaled(x):
        return tf.tanh(x) * 2.0

    def loss_of(x):
        return tf.reduce_sum(scaled(x)) + 0.0

    x = tf.Variable([0.5, 1.0])
    loss_of(x)  # the first use of an op may take long enough to set what follows apart
    with tf.record(values="none") as tape:
        with tf.GradientTape() as g:
            loss = loss_of(x)
        g.gradient(loss, x)
    entries = list(trace(tape.recording))
    slices = [e for e in named(entries, "functions") if "test_" not in e["name"]]
    # A busy machine may stand still between two ops, which sets them apart.
    assert {name: sum(e["args"]["ops"] for e in slices if e["name"] == name) for name in ("scaled()", "loss_of()")} == {
        "scaled()": 2,
        "loss_of()": 2,
    }
    backward = [e["name"] for e in named(entries, "functions, backward")]
    assert list(dict.fromkeys(backward)) == ["loss_of()", "scaled()"]
    inside = [e for e in slices if e["name"] == "scaled()"]
    ops = [e for e in named(entries, "forward") if e["name"] in {"tanh", "multiply"}]
    assert inside[0]["ts"] == ops[0]["ts"]
    # Microseconds with decimals: two ways to one end differ by a rounding.
    assert inside[-1]["ts"] + inside[-1]["dur"] >= ops[-1]["ts"] + ops[-1]["dur"] - 1e-6
