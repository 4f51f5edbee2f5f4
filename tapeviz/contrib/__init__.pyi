# Made from the table of namespaces and the declarations of ops by `python -m tools.stubs`.
from tapeviz import keras, signal
from tapeviz.contrib import checkpoint, cudnn_rnn, data, eager, layers, opt, rnn, seq2seq, summary, training

__all__ = [
    "checkpoint",
    "cudnn_rnn",
    "data",
    "eager",
    "keras",
    "layers",
    "opt",
    "rnn",
    "seq2seq",
    "signal",
    "summary",
    "training",
]
