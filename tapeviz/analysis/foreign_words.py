"""Advice in the words of the framework that was recorded: what to call is called otherwise there."""

from __future__ import annotations

import re
from typing import Final

from tapeviz.recording import Recording

__all__ = ["framework_of", "in_its_words"]

# In their order: longer names first.
_TORCH: Final = tuple((re.compile(pattern), said) for pattern, said in (
    (r"tf\.math\.divide_no_nan", "torch.where on a divisor that is not 0"),
    (r"tf\.maximum\((\w+), ([^()]+)\)", r"\1.clamp(min=\2)"),
    (r"tf\.clip_by_value\((\w+), ([^(),]+), ([^(),]+)\)", r"\1.clamp(\2, \3)"),
    (r"tf\.clip_by_global_norm", "torch.nn.utils.clip_grad_norm_"),
    (r"tf\.clip_by_value", "torch.clamp"),
    (r"tf\.math\.reduce_(variance|std)", lambda m: f"torch.{ {'variance': 'var', 'std': 'std'}[m[1]] }"),
    (r"tf\.reduce_logsumexp", "torch.logsumexp"),
    (r"tf\.reduce_(sum|mean|prod)", r"torch.\1"),
    (r"tf\.reduce_(max|min)", r"torch.a\1"),
    (r"axis=", "dim="),
    (r"keepdims=", "keepdim="),
    (r"tf\.nn\.", "torch.nn.functional."),
    (r"tf\.cast\((\w+|\.\.\.), tf\.(\w+)\)", r"\1.to(torch.\2)"),
    (r"tf\.cast", ".to()"),
    (r"tf\.squeeze\((\w+), -1\)", r"\1.squeeze(-1)"),
    (r"tf\.newaxis", "None"),
    (r"tf\.concat", "torch.cat"),
    (r"tf\.custom_gradient", "torch.autograd.Function"),
    (r"from_logits=True", "a loss that takes logits, such as cross_entropy"),
    (r"tf\.keras\.mixed_precision\.LossScaleOptimizer", "torch.amp.GradScaler"),
    (r"optimizer\.apply_gradients\(zip\(gradients, variables\)\)", "call optimizer.step() after backward()"),
    (r"tf\.math\.", "torch."),
    (r"tf\.Variable\(\.\.\., dtype=tf\.float32\)", "torch.tensor(..., dtype=torch.float32, requires_grad=True)"),
    (r"a tf\.Variable", "a leaf with requires_grad=True"),
    (r"tf\.", "torch."),
))  # fmt: skip


def framework_of(recording: Recording) -> str:
    """The framework that was recorded, empty for tapeviz's own engine."""
    found = recording.meta_dict().get("framework")
    return found if isinstance(found, str) else ""


def in_its_words(recording: Recording, text: str) -> str:
    """The text with the names that the recorded framework has for what it says to call."""
    if framework_of(recording) == "torch":
        for pattern, said in _TORCH:
            text = pattern.sub(said, text)
    return text
