"""The runner of strangers' programs itself: what it cuts, counts and reports."""

from __future__ import annotations

import ast
import json

from tests.strangers import run as runner
from tests.strangers.program import _Shorter
from tests.strangers.run import Stranger, listed, report, run

SCRIPT = """
import tensorflow as tf
from tensorflow.keras.datasets import mnist
(x, y), _ = mnist.load_data()
epochs = 500
count = 0
for _ in range(epochs):
    count += 1
assert (count, len(x), x.dtype.name) == (2, 64, "uint8"), (count, len(x))
print(tf.__version__)
"""


def test_the_list_names_programs_by_commit():
    programs = list(listed())
    assert len(programs) > 100
    assert len({(one.repository, one.commit, one.path) for one in programs}) == len(programs)
    assert {len(one.commit) for one in programs} == {40}
    assert all(one.path.endswith((".py", ".ipynb")) for one in programs)


def test_counts_of_steps_become_small():
    source = "epochs = 100\nfit(epochs=7, batch_size=64)\nfor i in range(1000): pass\nfor i in range(5): pass"
    cut = ast.unparse(_Shorter().visit(ast.parse(source)))
    assert cut.splitlines()[0] == "epochs = 2"
    assert "fit(epochs=2, batch_size=64)" in cut
    assert "range(300)" in cut
    assert "range(5)" in cut


def test_what_only_looks_like_a_count_of_steps_stays():
    source = "timesteps = 28\nn_steps = 20\nLSTM(time_steps=9)"
    assert ast.unparse(_Shorter().visit(ast.parse(source))) == source


def test_parts_of_large_sets_become_parts_of_small_ones():
    source = "x[:55000], x[5000:], x[:5]\nx.reshape(60000, 784)\nnp.reshape(x, (10000, 28))"
    cut = ast.unparse(_Shorter().visit(ast.parse(source)))
    assert cut == "(x[:32], x[32:], x[:5])\nx.reshape(-1, 784)\nnp.reshape(x, (-1, 28))"


def test_a_script_and_a_notebook_run_and_say_what_stops_them(tmp_path):
    (tmp_path / "good.py").write_text(SCRIPT)
    (tmp_path / "old.py").write_text("import tensorflow as tf\nx = tf.placeholder(tf.float32)")
    cells = ["%matplotlib inline\nimport tensorflow as tf", "tf.nothing", "x = tf.constant(1)\nx"]
    book = {"cells": [{"cell_type": "code", "source": cell} for cell in cells]}
    (tmp_path / "book.ipynb").write_text(json.dumps(book))
    strangers = [Stranger("a/b", "c", path, level) for path, level in (
        ("good.py", "2.21"), ("old.py", "2.21"), ("old.py", "1.15"), ("book.ipynb", "2.21"),
    )]  # fmt: skip
    found = {one: run(one, tmp_path) for one in strangers}
    assert [not result["stops"] for result in found.values()] == [True, False, True, False]
    assert found[strangers[3]]["ran"] == 2
    assert found[strangers[1]]["stops"][0]["line"] == "<module>:2: x = tf.placeholder(tf.float32)"
    text = report(found)
    assert text.startswith("2 of 4 programs whole; 4 of 6 scripts and cells")
    assert "import tapeviz.compat.v1 as tf" in text


def test_what_cannot_be_fetched_is_left_out(tmp_path):
    assert runner.fetch("nobody/nothing", "c", ["x.py"], tmp_path) is None


def test_a_programs_own_tests_are_found(tmp_path):
    source = """
        import tensorflow as tf
        class ATest(tf.test.TestCase):
            def test_it(self):
                self.assertEqual(1, 2)
        tf.test.main()
    """
    (tmp_path / "book.ipynb").write_text(json.dumps({"cells": [{"cell_type": "code", "source": source}]}))
    found = run(Stranger("a/b", "0", "book.ipynb", "2.21"), tmp_path)
    assert [stop["type"] for stop in found["stops"]] == ["SystemExit"]
