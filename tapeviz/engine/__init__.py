"""The engine: tensors, the dispatch of ops, tapes. It knows nothing of recordings; it tells an observer."""
