"""Each kind of file that the package writes: how a version of it is written, and which one is found.

A whole file holds a number, the version; a stream holds the numbers from 0 on.
"""

import csv
import json
import os
from pathlib import Path

import numpy as np

import tapeviz as tf
from tapeviz import keras, onnx
from tapeviz.exports import figures
from tapeviz.keras.datasets import download
from tapeviz.recording import Builder, FrameWriter, read
from tapeviz.recording.codegen import main  # noqa: F401 - imported before the fork
from tapeviz.summary.records import EventFile, events

SIZE = 5_000
VARIABLE = tf.Variable(tf.zeros([SIZE]))


def tape(version):
    """A recording that names its version."""
    with tf.record(name=f"version {version}") as recorded:
        for _ in range(40):
            tf.tanh(tf.ones([3]))
    return recorded


TAPES = [tape(version) for version in range(2)]
PICTURES = [figures.timeline(recorded.recording) for recorded in TAPES]
MODEL = keras.Sequential([keras.layers.Dense(SIZE // 2)])
MODEL(tf.zeros([1, 1]))


def save_tape(path, version):
    TAPES[version % 2].save(path)


def find_tape(path):
    recording = read(path)
    assert recording.problem is None
    return int(recording.meta_dict()["title"].split()[1])


def find_page(path):
    text = path.read_text()
    assert text.rstrip().endswith("</html>")
    return int(text.split("version ")[1][0])


def find_trace(path):
    text = path.read_text()
    json.loads(text)
    return int(text.split("version ")[1][0])


def save_picture(path, version):
    PICTURES[version % 2].savefig(path, dpi=20 + version % 2 * 20)


def find_picture(path):
    content = path.read_bytes()
    assert content.endswith(b"IEND\xaeB`\x82")
    return int(int.from_bytes(content[16:20], "big") > 0.03 * 1000 * PICTURES[0].get_size_inches()[0])


def save_checkpoint(path, version):
    VARIABLE.assign(tf.fill([SIZE], float(version)))
    tf.train.Checkpoint(v=VARIABLE).write(path)


def find_checkpoint(path):
    value = tf.Variable(tf.zeros([SIZE]))
    tf.train.Checkpoint(v=value).read(path).assert_consumed()
    return _number(value)


def save_model(path, version):
    MODEL.set_weights([np.full(weight.shape, version, np.float32) for weight in MODEL.get_weights()])
    MODEL.save(path)


def find_model(path):
    kernel, bias = keras.models.load_model(path).get_weights()
    assert kernel.max() == bias.max()
    return _number(kernel)


def save_module(path, version):
    module = tf.Module()
    module.v = tf.Variable(tf.fill([SIZE], float(version)))
    tf.saved_model.save(module, path)


def find_module(path):
    return _number(tf.saved_model.load(path).v)


GRAPHS = [
    tf.function(lambda x, version=version: x + tf.constant(np.full(SIZE, version, np.float32)))
    .get_concrete_function(tf.TensorSpec([SIZE], tf.float32))
    for version in range(2)
]  # fmt: skip


def save_graph(path, version):
    onnx.export(GRAPHS[version % 2], path)


def find_graph(path):
    import onnx as library

    model = library.load(path)
    (found,) = [library.numpy_helper.to_array(one) for one in model.graph.initializer if SIZE in one.dims]
    return _number(found)


def save_cache(path, version):
    path.with_name("cache.cache").unlink(missing_ok=True)
    for _ in tf.data.Dataset.from_tensors(tf.fill([SIZE], float(version))).repeat(4).map(lambda x: x).cache(str(path)):
        pass


def find_cache(path):
    file = path.with_name("cache.cache")
    if not file.exists():
        return None  # the writing removes it first: a cache that is there is never written
    dataset = tf.data.Dataset.from_tensors(tf.zeros([SIZE])).repeat(4).map(lambda x: x)
    found = [_number(one) for one in dataset.cache(str(path)).as_numpy_iterator()]
    assert len(found) == 4
    assert len(set(found)) == 1
    return found[0]


class Served:
    """A file of the web that is a number many times."""

    headers = {}  # noqa: RUF012 - none

    def __init__(self, version):
        self.rest = [bytes([version % 2]) * SIZE] * 8

    def read(self, _count):
        return self.rest.pop() if self.rest else b""

    def close(self):
        pass


SUMS = [__import__("hashlib").sha256(bytes([version]) * SIZE * 8).hexdigest() for version in range(2)]


def save_download(path, version):
    download.opened = lambda _url: Served(version)
    download._download("served", download.Remote(path.name, "https://example", SUMS[version % 2]), path)


def find_download(path):
    content = path.read_bytes()
    assert len(content) == 8 * SIZE
    assert len(set(content)) == 1
    return content[0]


def _number(values):
    (number,) = set(np.asarray(values).ravel().tolist())
    return int(number)


WHOLE = {
    "run.tape": (save_tape, find_tape),
    "run.html": (save_tape, find_page),
    "run.json": (save_tape, find_trace),
    "run.png": (save_picture, find_picture),
    "checkpoint": (save_checkpoint, find_checkpoint),
    "model.keras": (save_model, find_model),
    "module": (save_module, find_module),
    "graph.onnx": (save_graph, find_graph),
    "cache": (save_cache, find_cache),
    "download": (save_download, find_download),
}
"""By the name of the file: what writes a version, 0 or 1 by turns, and what says which is there."""


# Streams: what adds the next number, and what finds the numbers.


def recorded(path):
    writer, number = FrameWriter(path), 0
    builder = Builder(on_frame=writer.write)
    while True:
        builder.append("events", id=number, t0=float(number))
        builder.extend("sites", {"text": [f"line {line} of {number}" for line in range(50)]})
        builder.flush()
        number += 1
        yield writer.close


def find_recorded(path):
    recording = read(path)
    assert recording.problem is None or recording.problem.startswith("cut off after")
    return recording.events.id.tolist()


def logged(path):
    path.mkdir()
    file, number = EventFile(path), 0
    while True:
        from tensorboardX.proto.event_pb2 import Event

        file.add(Event(step=number, file_version="x" * 300, wall_time=1.0))
        number += 1
        yield file.close


def find_logged(path):
    return [event.step for event in _up_to_the_cut(events(next(path.iterdir())))][1:]


def tabled(path):
    logger, number = keras.callbacks.CSVLogger(path), 0
    logger.on_train_begin()
    while True:
        logger.on_epoch_end(number, {f"result{k}": float(number) for k in range(40)})
        number += 1
        yield lambda: logger.close(None)


def find_tabled(path):
    with path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if row and row[0] != "epoch"]
    return [int(row[0]) for row in rows if len(row) == 41 and float(row[40]) == float(row[0])]


def in_records(path, options=""):
    writer, number = tf.io.TFRecordWriter(str(path), options), 0
    while True:
        writer.write(b"%d " % number + os.urandom(400))
        writer.flush()
        number += 1
        yield writer.close


def in_packed_records(path):
    return in_records(path, "GZIP")


def find_records(path, options=""):
    records = tf.data.TFRecordDataset(str(path), options).as_numpy_iterator()
    return [int(record.split()[0]) for record in _up_to_the_cut(records)]


def _up_to_the_cut(records):
    """What can be read; a file may be cut off, and have no other damage."""
    try:
        yield from records
    except tf.errors.DataLossError as error:
        if "end" not in str(error):
            raise


def find_packed_records(path):
    return find_records(path, "GZIP")


def printed(path):
    number = 0
    while True:
        tf.print(number, "x" * 200, output_stream=f"file://{path}")
        number += 1
        yield lambda: None


def find_printed(path):
    if not path.exists():
        return []
    return [int(line.split()[0]) for line in path.read_text().splitlines(keepends=True) if line.endswith("x\n")]


STREAMS = {
    "stream.tape": (recorded, find_recorded),
    "events": (logged, find_logged),
    "log.csv": (tabled, find_tabled),
    "words.tfrecord": (in_records, find_records),
    "words.gz": (in_packed_records, find_packed_records),
    "print.txt": (printed, find_printed),
}


def leftovers(folder: Path):
    """What lies about besides."""
    return [path.name for path in folder.rglob("*") if ".partial" in path.name]
