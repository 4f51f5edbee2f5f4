"""What a trace says beyond the stored ones."""

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
