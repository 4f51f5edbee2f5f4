# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz.lookup import experimental
from tapeviz.ops.array.lookup_tables import (
    KeyValueTensorInitializer,
    StaticHashTable,
    StaticVocabularyTable,
    TextFileIndex,
    TextFileInitializer,
)

__all__ = [
    "KeyValueTensorInitializer",
    "StaticHashTable",
    "StaticVocabularyTable",
    "TextFileIndex",
    "TextFileInitializer",
    "experimental",
]
