"""Whole files: modes, links, long names, devices, what is left behind, and what errors say."""

import errno
import os
import stat
import threading

import pytest

from tapeviz.files import AppendFile, atomic_path, atomic_writer, locks, scratch_folder, write_atomic


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def test_the_mode_of_a_file_is_kept_and_a_new_one_has_the_usual_one(tmp_path):
    path, plain = tmp_path / "kept", tmp_path / "plain"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomic(path, [b"new"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    plain.write_bytes(b"")
    write_atomic(tmp_path / "made", [b""])
    assert (tmp_path / "made").stat().st_mode == plain.stat().st_mode


def test_a_link_stays_one(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file").write_bytes(b"old")
    (tmp_path / "link").symlink_to("folder/file")
    write_atomic(tmp_path / "link", [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "folder" / "file").read_bytes() == b"new"
    assert names(tmp_path / "folder") == ["file"]


def test_a_link_to_nothing_makes_the_file(tmp_path):
    (tmp_path / "link").symlink_to("file")
    write_atomic(tmp_path / "link", [b"new"])
    assert (tmp_path / "file").read_bytes() == b"new"


def test_a_relative_path_and_a_long_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("plain", "ä" * 127, "x" * 255):
        write_atomic(name, [b"content"])
        assert (tmp_path / name).read_bytes() == b"content"


def test_a_pipe_is_written_to(tmp_path):
    path, found = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write_atomic(path, [b"through ", b"it"])
    reader.join(10)
    assert found == [b"through it"]
    assert names(tmp_path) == ["pipe"]


def test_a_full_device_is_said():
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write_atomic("/dev/full", [b"x" * 100_000])
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        AppendFile("/dev/full", "a").append(b"x")


@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_what_was_there_stays_when_a_step_fails(step, tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(OSError, match=r"No space left on device: '.*file'"):
        write_atomic(path, [b"new"])
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


def test_an_error_of_the_writer_leaves_what_was_there(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), atomic_writer(path) as file:
        file.write(bytes([1 // (file.write(b"half") - 4)]))
    with pytest.raises(ConnectionError, match="gone"), atomic_path(path):
        raise ConnectionError("gone")
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("name", "error"),
    [("missing/file", FileNotFoundError), ("folder", IsADirectoryError), ("file/inside", NotADirectoryError)],
)
def test_errors_name_the_file_that_was_asked_for(name, error, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for write in (lambda path: write_atomic(path, [b"x"]), AppendFile):
        with pytest.raises(error) as caught:
            write(tmp_path / name)
        assert caught.value.filename == str(tmp_path / name)


def test_a_file_that_must_not_be_written_is_not(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda _path, mode: mode != os.W_OK)  # who runs the tests may write everything
    with pytest.raises(PermissionError, match="file"):
        write_atomic(path, [b"new"])
    assert path.read_bytes() == b"old"


def test_only_what_nobody_writes_any_more_is_removed(tmp_path):
    path = tmp_path / "file"
    for name in ("file.01234567.partial", "other.01234567.partial", "file.0123.partial", "file.01234567.partial.txt"):
        (tmp_path / name).write_bytes(b"left")
    with atomic_writer(path) as first:
        first.write(b"first")
        write_atomic(path, [b"second"])
        assert path.read_bytes() == b"second"
        assert sum(name.startswith("file.") for name in names(tmp_path)) == 3  # the first one is being written
    assert path.read_bytes() == b"first"
    assert names(tmp_path) == ["file", "file.0123.partial", "file.01234567.partial.txt", "other.01234567.partial"]


def test_threads_that_write_one_file_leave_one_of_theirs(tmp_path):
    path = tmp_path / "file"

    def write(number):
        for _ in range(30):
            write_atomic(path, [bytes([number]) * 10_000])

    threads = [threading.Thread(target=write, args=[number]) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(path.read_bytes())) == 1
    assert names(tmp_path) == ["file"]


def test_without_locks_of_the_system_the_files_of_this_process_are_known(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    test_only_what_nobody_writes_any_more_is_removed(tmp_path)


def test_a_frame_that_does_not_fit_is_not_there_in_part(tmp_path, monkeypatch):
    file, write = AppendFile(tmp_path / "stream"), os.write
    file.append(b"first")

    def half(number, data):
        if len(data) < 4:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(number, data[:3])

    monkeypatch.setattr(os, "write", half)
    with pytest.raises(OSError, match=r"No space left on device: '.*stream'"):
        file.append(b"second")
    monkeypatch.undo()
    assert (tmp_path / "stream").read_bytes() == b"first"
    file.append(b"third")
    file.close()
    assert (tmp_path / "stream").read_bytes() == b"firstthird"
    with pytest.raises(ValueError, match="closed"):
        file.append(b"x")


def test_a_scratch_folder_is_gone_afterwards_and_so_are_those_left_behind(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = tmp_path / "tapeviz-scratch-left"
    left.mkdir()
    (left / "in-use").write_bytes(b"")
    with scratch_folder() as first, scratch_folder() as second:
        assert not left.exists()
        (first / "file").write_bytes(b"")
        assert second != first
    assert names(tmp_path) == []


def test_a_scratch_folder_whose_lock_cannot_be_removed_stays_whole(tmp_path, monkeypatch):
    """As on Windows, where a file that another process has open cannot be removed, and locks are none."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(locks, "fcntl", None)
    other = tmp_path / "tapeviz-scratch-other"
    (other / "content").mkdir(parents=True)
    (other / "content" / "file").write_bytes(b"in use")
    (other / "in-use").write_bytes(b"")

    def refused(path, **_):
        raise PermissionError(errno.EACCES, "somebody has it open", str(path))

    monkeypatch.setattr(type(tmp_path), "unlink", refused)
    with scratch_folder():
        assert (other / "content" / "file").read_bytes() == b"in use"
    monkeypatch.undo()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with scratch_folder():
        assert not other.exists()


def test_what_is_left_is_closed_before_it_is_removed_where_there_are_no_locks(tmp_path, monkeypatch):
    monkeypatch.setattr(locks, "fcntl", None)
    (tmp_path / "left").write_bytes(b"")
    opened, closed = [], []
    open_, close = os.open, os.close
    monkeypatch.setattr(os, "open", lambda *args: opened.append(open_(*args)) or opened[-1])
    monkeypatch.setattr(os, "close", lambda number: closed.append(number) or close(number))
    locks.remove_abandoned(str(tmp_path / "left"), lambda: closed.append("removed"))
    assert closed == [*opened, "removed"]
