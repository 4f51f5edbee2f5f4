"""Only `tapeviz/files` opens a file for writing, so that no other place can leave half of one."""

import ast

import pytest

from tests.structure.sources import modules

ROOM = "tapeviz.files"
# Libraries that open paths get one from `atomic_path`; files and buffers that are open already are no paths.
LIBRARIES = {
    ("tapeviz.train.files", "save_file(dict(stored), beside)"),
    ("tapeviz.keras.saving.model_files", "zipfile.ZipFile(file, 'w', zipfile.ZIP_STORED)"),
    (
        "tapeviz.exports.figures.board",
        "self.savefig(buffer, format='png', dpi=dpi, facecolor=BACKGROUND, metadata={'Description': self.alt})",
    ),
    ("tapeviz.keras.models.plot", "figure.savefig(beside, format=str(to_file).rpartition('.')[2] or 'png', dpi=dpi)"),
    ("tapeviz.keras.pictures", "_pillow().open(path)"),
    ("tapeviz.ops.files.pictures", "library.open(io.BytesIO(data))"),
    ("tapeviz.exports.figures.board", "super().savefig(file, **{'format': kind, **kwargs})"),
    ("tapeviz.exports.figures.board", "super().savefig(fname, **kwargs)"),
}  # fmt: skip
METHODS = {
    "write_text", "write_bytes", "rename", "touch", "tofile", "memmap", "savefig", "save_file", "savez", "savetxt",
    "NamedTemporaryFile", "TemporaryFile", "mkstemp", "mkdtemp", "TemporaryDirectory", "copyfile", "copy2",
    "symlink_to", "hardlink_to",
}  # fmt: skip
READING = {"r", "rb", "rt", "r:*"}


def writings(source):
    """The calls in a source that write files, as text."""
    return [ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call) and _writes(node)]


def _writes(call):
    name = ast.unparse(call.func)
    last = name.rpartition(".")[2]
    if last in METHODS or name in {"os.open", "os.replace", "os.rename", "shutil.move", "shutil.copy"}:
        return "RDONLY" not in ast.unparse(call)
    if last == "save" and name.startswith(("np.", "numpy.")):
        return True
    if last == "replace":  # a text's takes two
        return len(call.args) == 1 and not call.keywords and "." in name and not isinstance(call.args[0], ast.Dict)
    if last not in {"open", "ZipFile", "TarFile", "GzipFile", "FileIO"}:
        return False
    path_first = name in {"open", "io.open", "gzip.open", "tarfile.open", "bz2.open", "lzma.open"} or last != "open"
    return not _reads(call, 1 if path_first else 0)


def _reads(call, place):
    """Whether a call of `open` has a mode of reading, or none; that of a dataset takes a run."""
    modes = [word.value for word in call.keywords if word.arg == "mode"] + call.args[place : place + 1]
    if not modes:
        return True
    if isinstance(modes[0], ast.Constant):
        return modes[0].value in READING
    return place == 0 and ast.unparse(modes[0]).startswith("run")


def test_no_other_place_writes_files():
    found = [
        (name, call)
        for name, path in modules().items()
        if not name.startswith(ROOM)
        for call in writings(path.read_text())
    ]
    assert {one for one in found if one not in LIBRARIES} == set()
    assert set(found) == LIBRARIES


@pytest.mark.parametrize(
    "source",
    [
        "open(path, 'w')", "path.open('wb')", "path.open(mode='a')", "path.open('a' if more else 'w')", "open(p, how)",
        "path.write_text(text)", "path.write_bytes(data)", "os.open(path, os.O_WRONLY)", "os.replace(a, b)",
        "partial.replace(path)", "zipfile.ZipFile(path, 'w')", "tarfile.open(path, 'w')", "gzip.open(path, 'wt')",
        "np.savez(path)", "np.save(path, x)", "figure.savefig(path)", "tempfile.TemporaryDirectory()",
        "io.FileIO(p, 'w')",
    ],
)  # fmt: skip
def test_writing_is_noticed(source):
    assert writings(source) == [ast.unparse(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    ["open(path)", "path.open('rb')", "text.replace('a', 'b')", "source.open(run.input())", "zipfile.ZipFile(path)",
     "tarfile.open(path, 'r:*')"],
)  # fmt: skip
def test_reading_is_none(source):
    assert writings(source) == []
