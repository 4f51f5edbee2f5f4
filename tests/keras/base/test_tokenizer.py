"""``tf.keras.preprocessing.text``, by what Keras says of the same texts."""

import json
from pathlib import Path

import pytest

import tapeviz as tf
from tests.keras.base.tokenizer_cases import OPTIONS, answers

ANSWERS = json.loads((Path(__file__).parent / "tokenizer_answers.json").read_text())


@pytest.mark.parametrize("name", OPTIONS)
def test_a_tokenizer_numbers_and_counts_as_keras_does(name):
    assert answers(tf, name) == ANSWERS[name]


def test_a_tokenizer_comes_back_from_its_text():
    text = tf.keras.preprocessing.text
    tokenizer = text.Tokenizer(num_words=4, oov_token="?")
    tokenizer.fit_on_texts(["a b a", "b c"])
    again = text.tokenizer_from_json(tokenizer.to_json())
    assert again.get_config() == tokenizer.get_config()
    assert again.texts_to_sequences(["a c d"]) == tokenizer.texts_to_sequences(["a c d"])


def test_hashes_do_not_depend_on_the_process():
    assert tf.keras.preprocessing.text.hashing_trick("to be to or Not", 50, "md5") == ANSWERS["hashed"]


def test_a_matrix_needs_a_width_and_a_known_mode():
    tokenizer = tf.keras.preprocessing.text.Tokenizer()
    with pytest.raises(ValueError, match="Specify a dimension"):
        tokenizer.texts_to_matrix(["a"])
    tokenizer.fit_on_texts(["a"])
    with pytest.raises(ValueError, match="Unknown vectorization mode: sum"):
        tokenizer.texts_to_matrix(["a"], mode="sum")
    with pytest.raises(TypeError, match="Unrecognized keyword arguments"):
        tf.keras.preprocessing.text.Tokenizer(words=3)
