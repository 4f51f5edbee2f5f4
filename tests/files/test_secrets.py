"""A secret of a user's own: one for all processes, and for nobody else."""

import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from tapeviz.files import secrets
from tapeviz.files.secrets import shared_secret


def test_all_that_ask_at_once_get_the_same(tmp_path):
    path = tmp_path / "own" / "key"
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(shared_secret, [path] * 16))
    assert found == {path.read_bytes()}
    assert len(path.read_bytes()) == 64


def test_what_somebody_has_left_empty_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(secrets, "_PATIENCE", 0.0)
    path = tmp_path / "key"
    path.touch(mode=0o600)
    with pytest.raises(OSError, match=r"it is empty: remove it: '.*key'"):
        shared_secret(path)


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes there")
def test_others_cannot_read_it(tmp_path):
    path = tmp_path / "own" / "key"
    shared_secret(path)
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    path.chmod(0o604)
    with pytest.raises(PermissionError, match="other users can read it: chmod 600"):
        shared_secret(path)
