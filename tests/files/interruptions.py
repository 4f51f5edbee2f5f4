"""Writers that are killed again and again, and writers whose disk is full.

python -m tests.files.interruptions kill FOLDER COUNT SEED [KIND]   kill -9 at random moments
python -m tests.files.interruptions fill FOLDER COUNT [KIND]        the disk takes so many bytes, at COUNT places
"""

import itertools
import os
import random
import resource
import shutil
import signal
import sys
import time
import traceback
from pathlib import Path

import tapeviz as tf
from tests.files.kinds import STREAMS, WHOLE, leftovers

ERRORS = (OSError, tf.errors.ResourceExhaustedError)


def in_child(work):
    """Run in a process of its own; its number."""
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:  # noqa: BLE001 - all that there is to tell
            traceback.print_exc()
        finally:
            os._exit(1)
    return child


def outcome(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def versions(path, save, begin, told):
    """Write one version after the other, and tell each that is done."""
    version = begin
    while True:
        save(path, version % 2)
        os.write(told, bytes([version % 2]))
        version += 1


def frames(path, add, told):
    """Add to a stream without end, and tell each that is added."""
    for count, _ in enumerate(add(path)):
        os.write(told, count.to_bytes(8, "little"))


def killed(work, seconds):
    """Kill it so long after it has told something; all that it has told."""
    reading, writing = os.pipe()
    child = in_child(lambda: work(writing))
    os.close(writing)
    said = os.read(reading, 1 << 16)
    assert said, "it ended by itself"
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    while more := os.read(reading, 1 << 16):
        said += more
    os.close(reading)
    return said


def kill_whole(folder, name, count, chance):
    """Kill a writer of whole files; how often that left something beside."""
    save, find = WHOLE[name]
    path, interrupted = folder / name, 0
    for attempt in range(count):
        said = killed(lambda told, begin=attempt: versions(path, save, begin, told), chance.random() * 0.03)
        found = find(path)
        assert found in {said[-1], 1 - said[-1]} or (found is None and name == "cache"), (name, found)
        interrupted += bool(leftovers(folder))
    save(path, 0)
    assert not leftovers(folder), f"{name}: {leftovers(folder)}"
    return interrupted


def kill_stream(folder, name, count, chance):
    """Kill a writer of a stream; how many frames there were in all."""
    add, find = STREAMS[name]
    total = 0
    for attempt in range(count):
        path = folder / f"{attempt}-{name}"
        said = killed(lambda told, path=path: frames(path, add, told), chance.random() * 0.03)
        told = int.from_bytes(said[-8:], "little") + 1
        found = find(path)
        assert found == list(range(len(found))), name
        assert told <= len(found) <= told + 1, f"{name}: {len(found)} of {told}"
        total += told
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
    return total


def limited(work, most):
    """Run with files that cannot get larger than so; 3 where an error said so, 0 where it ended."""

    def run():
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        try:
            work()
        except ERRORS as error:
            os._exit(3 if "File too large" in str(error) and ".partial" not in str(error) else 4)
        os._exit(0)

    return outcome(in_child(run))


def fill_whole(folder, name, count, chance):
    """Let the disk get full at many places of a file; how often that was an error."""
    save, find = WHOLE[name]
    path, errors = folder / name, 0
    largest = 0
    for version in (1, 0):
        save(path, version)
        largest = max(largest, *(found.stat().st_size for found in folder.rglob("*") if found.is_file()))
    for attempt in range(count):
        most = largest + 4096 if attempt == count - 1 else attempt and chance.randrange(largest)
        code = limited(lambda: save(path, 1), most)
        assert code in {0, 3}, (name, most)
        found = find(path)
        assert found == (1 if code == 0 else 0) or (found is None and name == "cache"), (name, most, found)
        assert not leftovers(folder), (name, most, leftovers(folder))
        errors += code == 3
        save(path, 0)
    assert errors < count, name
    return errors


def fill_stream(folder, name, count, chance):
    """Let the disk get full at many places of a stream; how often that was an error."""
    add, find = STREAMS[name]
    errors = 0
    for attempt in range(count):
        path = folder / f"{attempt}-{name}"
        reading, writing = os.pipe()
        code = limited(lambda path=path, told=writing: add_some(path, add, told), 1000 + chance.randrange(60_000))
        os.close(writing)
        said = b""
        while more := os.read(reading, 1 << 16):
            said += more
        os.close(reading)
        assert code == 3, name
        found, told = find(path), len(said)
        assert found == list(range(len(found))), name
        assert len(found) in {told, told + 1} or name == "stream.tape", f"{name}: {len(found)} of {told}"
        errors += 1
        shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink()
    return errors


def add_some(path, add, told):
    stream = add(path)
    for _ in itertools.islice(stream, 2000):
        os.write(told, b"x")
    next(stream)()  # closes it


def main(what, where, count, *rest):
    """Run over all kinds, or one; print what there was of each."""
    folder, seed = Path(where), int(rest[0]) if what == "kill" else 1
    names = rest[1:] if what == "kill" else rest
    whole, stream = (kill_whole, kill_stream) if what == "kill" else (fill_whole, fill_stream)
    for name in names or (*WHOLE, *STREAMS):
        inside = folder / f"of {name}"
        inside.mkdir(parents=True)
        found = (whole if name in WHOLE else stream)(inside, name, int(count), random.Random(seed))
        print(name, found, flush=True)
        shutil.rmtree(inside)


if __name__ == "__main__":
    main(*sys.argv[1:])
