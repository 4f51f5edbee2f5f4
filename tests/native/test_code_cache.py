"""Compiled code on disk: taken by the next process, and only from whole files of the user's own."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tapeviz.native.addresses import TABLE, pointer, without_addresses
from tapeviz.native.code_cache import CodeCache

_TEXT = "define void @run() { ret void }"
_PROGRAM = """
import numpy as np
import llvmlite.binding as llvm
import tapeviz as tf
from tapeviz.process.background import wait_for_all

assembled = []
parse = llvm.parse_assembly
llvm.parse_assembly = lambda text, *more: assembled.append(text) or parse(text, *more)
x = tf.constant(np.linspace(-2, 2, 300, dtype="f4").reshape(20, 15))
step = tf.function(lambda x: tf.nn.softmax(tf.exp(x) @ tf.transpose(x) * 2.0 + 1.0), jit_compile=True)
for _ in range(4):
    found = step(x).numpy()
wait_for_all()
print(sum(bool(text) for text in assembled), found.tobytes().hex())
"""


@pytest.fixture
def cache(tmp_path: Path) -> CodeCache:
    return CodeCache(tmp_path / "code", "this machine")


def only_file(tmp_path: Path) -> Path:
    (path,) = (tmp_path / "code").iterdir()
    return path


def test_what_was_put_is_found_by_its_text_and_machine(cache, tmp_path):
    assert cache.get(_TEXT) is None
    cache.put(_TEXT, b"code")
    assert cache.get(_TEXT) == b"code"
    assert cache.get(_TEXT + " ") is None
    assert CodeCache(tmp_path / "code", "another machine").get(_TEXT) is None


def test_the_folder_is_the_users_own(cache, tmp_path):
    cache.put(_TEXT, b"code")
    assert stat.S_IMODE((tmp_path / "code").stat().st_mode) == 0o700
    (tmp_path / "code").chmod(0o750)
    assert cache.get(_TEXT) is None
    cache.put("other", b"code")
    assert len(list((tmp_path / "code").iterdir())) == 1


def test_a_folder_that_is_a_link_is_not_used(cache, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "code").symlink_to(tmp_path / "elsewhere")
    cache.put(_TEXT, b"code")
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize(
    "damage", [lambda code: code[:-1], lambda code: code[:-1] + b"x", lambda _code: b"", lambda code: code + b"x"]
)
def test_a_torn_file_is_ignored_and_replaced(cache, tmp_path, damage):
    cache.put(_TEXT, b"code")
    path = only_file(tmp_path)
    path.write_bytes(damage(path.read_bytes()))
    assert cache.get(_TEXT) is None
    cache.put(_TEXT, b"code")
    assert cache.get(_TEXT) == b"code"


def test_a_file_of_another_text_and_a_link_are_ignored(cache, tmp_path):
    cache.put("other", b"other code")
    other = only_file(tmp_path)
    cache.put(_TEXT, b"code")
    (mine,) = (path for path in (tmp_path / "code").iterdir() if path != other)
    mine.write_bytes(other.read_bytes())
    assert cache.get(_TEXT) is None
    mine.unlink()
    mine.symlink_to(other)
    assert cache.get(_TEXT) is None


def test_no_file_is_written_where_none_can_be(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    cache = CodeCache(tmp_path / "file" / "code", "")
    cache.put(_TEXT, b"code")
    assert cache.get(_TEXT) is None


def test_addresses_are_in_a_table():
    lines = [
        "define ptr @run(ptr %x) {",
        "start:",
        f"  call void {pointer(7)}(ptr {pointer(9)})",
        f"  ret ptr {pointer(7)}",
        "}",
    ]
    text, found = without_addresses("\n".join([*lines, "define void @other() {", "start:", "  ret void", "}"]))
    assert found == [7, 9]
    assert "inttoptr" not in text
    assert f"@{TABLE} = global [2 x ptr]" in text
    assert text.index("ptr @addresses, i64 1") < text.index("call void %addresses.0(ptr %addresses.1)")
    assert text.count("load ptr") == 2


def test_the_next_process_compiles_nothing_and_gives_the_same_bits(tmp_path):
    environment = {**os.environ, "TAPEVIZ_HOME": str(tmp_path)}
    environment.pop("TAPEVIZ_CODE_CACHE")
    said = []
    for _ in range(2):
        ended = subprocess.run(
            [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
        )
        said.append(ended.stdout.split())
    assert int(said[0][0]) > 0
    assert said[1][0] == "0"
    assert np.array_equal(said[0][1], said[1][1])
    for path in (tmp_path / "code").iterdir():  # torn, all of them
        path.write_bytes(path.read_bytes()[:100])
    ended = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, text=True, check=True
    )
    assert ended.stdout.split() == said[0]
