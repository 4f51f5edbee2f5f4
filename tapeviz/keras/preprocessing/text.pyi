# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.keras.preprocessing.tokenizer import (
    Tokenizer,
    hashing_trick,
    one_hot,
    text_to_word_sequence,
    tokenizer_from_json,
)

__all__ = ["Tokenizer", "hashing_trick", "one_hot", "text_to_word_sequence", "tokenizer_from_json"]
