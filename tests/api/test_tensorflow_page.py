"""Each public name of TensorFlow's is here, or raises an error that says what to use; the page says the same."""

from __future__ import annotations

from importlib import import_module

import pytest

import tapeviz as tf
import tapeviz.compat.v1 as tf1
from tapeviz.namespaces.absent_names import ABSENT, LIMITS
from tools.tensorflow_page import LEVELS, PAGE, is_here, names, page

WORDS = ("use ", "record it in TensorFlow", "import tapeviz.compat.v1 as tf", *ABSENT.values())


def test_the_page_is_what_the_table_says():
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tools.tensorflow_page"


@pytest.mark.parametrize("level", LEVELS)
def test_each_absent_name_says_what_to_use(level):
    silent = []
    for of, space, listed in names():
        for name in listed if of == level else ():
            if is_here(level, space, name):
                continue
            found = import_module(LEVELS[level])
            try:
                for part in [*space.split(".")[1:], name]:
                    found = getattr(found, part)
            except AttributeError as error:
                if isinstance(found, type(tf)) and not any(word in str(error) for word in WORDS):
                    silent.append(str(error))
    assert silent == []


def test_no_advice_is_given_for_what_is_here():
    known = {f"{space}.{name}".partition(".")[2] for _, space, listed in names() for name in listed}
    here = [
        name
        for name in ABSENT
        for level in LEVELS
        if name in known
        and is_here(level, "tf." + name.rpartition(".")[0] if "." in name else "tf", name.rpartition(".")[2])
    ]
    assert here == []
    for name in LIMITS:
        space, _, last = name.rpartition(".")
        assert is_here("2.21", f"tf.{space}".rstrip("."), last), name


@pytest.mark.parametrize(
    ("look", "said"),
    [
        (lambda: tf.placeholder, "of TensorFlow 1: import tapeviz.compat.v1 as tf"),
        (lambda: tf.train.AdamOptimizer, "of TensorFlow 1"), (lambda: tf.estimator, "tf.GradientTape"),
        (lambda: tf1.estimator, "tf.GradientTape"),
        (lambda: tf.nn.fixed_unigram_candidate_sampler, "tf.random.log_uniform_candidate_sampler"),
        (lambda: tf1.nn.fixed_unigram_candidate_sampler, "log_uniform"), (lambda: tf.tpu, "record it in TensorFlow"),
        (lambda: tf.nn.conv9d, "if TensorFlow has it, record it in TensorFlow"), (lambda: tf.contrib.slim, "removed"),
    ],
)  # fmt: skip
def test_the_error_says_what_to_use(look, said):
    with pytest.raises(AttributeError, match=said):
        look()


def test_private_names_are_not_advised_on():
    with pytest.raises(AttributeError) as error:
        _ = tf.nn._nothing
    assert str(error.value) == "module 'tapeviz.nn' has no attribute '_nothing'"
