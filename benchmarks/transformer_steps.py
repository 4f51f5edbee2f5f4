"""A training step of a language model of 5 million parameters on 8 x 64 tokens, op by op, in each library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from benchmarks.peers import load
from benchmarks.training_steps import torch_step
from tests.zoo.models import LARGE
from tests.zoo.ways import eager

__all__ = ["ours", "peers"]

Work = Callable[[], Any]

_WIDTH: Final = 256
_BLOCKS: Final = 6
_HEADS: Final = 8
_LENGTH: Final = 64
_WORDS: Final = 1000


def ours() -> Work:
    """Return the step of tapeviz's model, which is the zoo's."""
    step = eager(LARGE["transformer"]())
    step()
    return step


def peers() -> dict[str, Work]:
    """Return the step in PyTorch."""
    torch = load("torch")
    return {} if torch is None else {"torch": _torch(torch)}


def _torch(torch: Any) -> Work:
    """The same model of PyTorch's layers, attention by its one function for it."""
    nn, functional = torch.nn, torch.nn.functional

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.attention_norm, self.dense_norm = nn.LayerNorm(_WIDTH), nn.LayerNorm(_WIDTH)
            self.query, self.key, self.value, self.out = (nn.Linear(_WIDTH, _WIDTH) for _ in range(4))
            self.wide, self.narrow = nn.Linear(_WIDTH, 4 * _WIDTH), nn.Linear(4 * _WIDTH, _WIDTH)

        def forward(self, x: Any) -> Any:
            y = self.attention_norm(x)
            q, k, v = (
                part(y).view(*y.shape[:2], _HEADS, -1).transpose(1, 2) for part in (self.query, self.key, self.value)
            )
            found = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(found.transpose(1, 2).reshape(x.shape))
            return x + self.narrow(functional.gelu(self.wide(self.dense_norm(x))))

    words, places = nn.Embedding(_WORDS, _WIDTH), nn.Embedding(_LENGTH, _WIDTH)
    rest = nn.Sequential(*[Block() for _ in range(_BLOCKS)], nn.LayerNorm(_WIDTH), nn.Linear(_WIDTH, _WORDS))
    example = LARGE["transformer"]()
    ids, targets = (torch.from_numpy(np.asarray(each).astype("i8")) for each in (example.inputs, example.targets))
    at = torch.arange(_LENGTH)
    optimizer = torch.optim.Adam([p for module in (words, places, rest) for p in module.parameters()])

    def loss() -> Any:
        scores = rest(words(ids) + places(at))
        return functional.cross_entropy(scores.flatten(0, 1), targets.flatten())

    return torch_step(optimizer, loss)
