"""Texts, ways to make words of them, and all that a tokenizer says of them. No plain import of either library."""

from __future__ import annotations

from typing import Any

TEXTS = ["The cat sat on the mat!", "A dog, a cat; the END?", "nothing  here\tbut tabs", ["List", "Of", "the"]]
ASKED = ["the cat unknown mat", "zzz", ["the", "dog"]]
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "most frequent": {"num_words": 4},
    "unknown": {"oov_token": "<u>"},
    "most frequent, unknown": {"oov_token": "<u>", "num_words": 4},
    "letters": {"char_level": True},
    "capitals": {"lower": False},
    "other spaces": {"split": "a"},
    "own words": {"analyzer": lambda text: text.split("t")},
}


def answers(tf: Any, name: str) -> list[Any]:
    """What a tokenizer with these options counts, and what it makes of texts."""
    plain = [text for text in TEXTS if isinstance(text, str)]
    letters = "char_level" in OPTIONS[name]
    tokenizer = tf.keras.preprocessing.text.Tokenizer(**OPTIONS[name])
    tokenizer.fit_on_texts(plain if letters else TEXTS)
    asked = plain[:1] if letters else ASKED
    numbers = tokenizer.texts_to_sequences(asked)
    counted = (tokenizer.word_counts, tokenizer.word_index, tokenizer.word_docs)
    matrices = [
        tokenizer.texts_to_matrix(asked, mode).round(10).tolist() for mode in ("binary", "count", "freq", "tfidf")
    ]
    back = tokenizer.sequences_to_texts([*numbers, [1, 99, 2]])
    return [*map(dict, counted), sorted(map(list, tokenizer.index_docs.items())), numbers, back, *matrices]
