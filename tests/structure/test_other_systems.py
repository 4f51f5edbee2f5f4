"""tapeviz imports, records and keeps files where the modules and calls of Linux are missing, as on Windows or macOS."""

import os
import subprocess
import sys

import pytest

from tests.structure.sources import ROOT

# What other libraries take from the system they have taken before; ours find less than Windows has.
TAKEN_AWAY = """
import asyncio, ctypes, multiprocessing, os, pathlib, signal, socket, subprocess, sys, tempfile
import google.protobuf, matplotlib.figure, numpy, safetensors.numpy, scipy.special, tensorboardX, tqdm.auto

for name in ("fcntl", "resource", "pwd", "grp", "termios", "posix", "pty", "syslog"):
    sys.modules[name] = None
for name in ("fork", "forkpty", "sysconf", "register_at_fork", "sched_getaffinity", "getuid", "geteuid", "getpgid",
             "killpg", "mkfifo", "chown", "wait", "waitpid", "uname", "nice", "getloadavg", "posix_fallocate", "pread",
             "O_CLOEXEC", "memfd_create", "statvfs", "setsid"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGKILL", "SIGALRM", "SIGUSR1", "SIGUSR2", "SIGHUP", "SIGQUIT", "setitimer", "pthread_kill", "alarm"):
    delattr(signal, name)

load = ctypes.CDLL
def without_c_library(name, *arguments, **options):
    if name is None or str(name).startswith("libc."):
        raise TypeError("there is no such library here")
    return load(name, *arguments, **options)
ctypes.CDLL = without_c_library
sys.platform = PLATFORM
"""
USES = """
import tapeviz as tf

folder = pathlib.Path(sys.argv[1])
with tf.record(save=folder / "stream.tape") as tape:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as gradients:
        loss = tf.reduce_sum(tf.function(lambda x: x * x + 1.0)(w))
    gradients.gradient(loss, w)
for name in ("run.tape", "run.html", "run.json", "run.tape"):
    tape.save(folder / name)
assert len(tf.load(folder / "run.tape").recording.events)
tape.plot.timeline().savefig(folder / "run.png")
prefix = tf.train.Checkpoint(w=w).save(folder / "ckpt")
tf.train.Checkpoint(w=tf.Variable([0.0, 0.0])).restore(prefix).assert_consumed()
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse")
model.fit(tf.ones([4, 2]), tf.ones([4, 1]), verbose=0, callbacks=[tf.keras.callbacks.CSVLogger(folder / "log.csv")])
model.save(folder / "m.keras")
tf.keras.models.load_model(folder / "m.keras")
with tf.summary.create_file_writer(folder / "events").as_default():
    tf.summary.scalar("loss", 1.0, step=0)
with tf.io.TFRecordWriter(str(folder / "words")) as writer:
    writer.write(b"word")
data = tf.data.Dataset.range(5).map(lambda x: x).cache(str(folder / "kept"))
assert [int(x) for x in data] == [int(x) for x in data] == [0, 1, 2, 3, 4]
tf.config.experimental.free_unused_memory()
tf.config.list_physical_devices()
assert not [path for path in folder.rglob("*.partial")]
print("done")
"""


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["win32", "darwin", "emscripten"])
def test_it_records_and_keeps_files_without_what_only_linux_has(platform, tmp_path):
    code = TAKEN_AWAY.replace("PLATFORM", repr(platform)) + USES
    command = [sys.executable, "-W", "error", "-c", code, str(tmp_path)]
    # Without locks it would take what other processes are writing for left behind.
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "done"
