"""A recorded program computes what it computes by itself, bit for bit, and every face of its tape opens."""

from __future__ import annotations

import warnings

import pytest
import torch

import tapeviz
from tests.adapters.torch.programs import PROGRAMS


def bits(tensors) -> list[bytes]:
    """Values and gradients, to be compared to the bit: NaN is itself here."""
    parts = [part for t in tensors for part in (t, t.grad) if part is not None]
    return [part.detach().to_dense().reshape(-1).contiguous().view(torch.uint8).numpy().tobytes() for part in parts]


def run(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bits(program())


def test_there_are_sixty_programs():
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("name", PROGRAMS)
def test_recorded_program_is_the_same_to_the_bit(name, tmp_path):
    alone = run(PROGRAMS[name])
    after_alone = torch.get_rng_state()
    with tapeviz.record(framework="torch", values="all") as tape:
        recorded = run(PROGRAMS[name])
    assert torch.equal(torch.get_rng_state(), after_alone)
    assert recorded == alone
    assert len(tape.events) > 0
    assert tapeviz.load(tape.save(tmp_path / "a.tape")).recording.problem is None
    for suffix in ("html", "json"):
        assert tape.save(tmp_path / f"a.{suffix}").stat().st_size > 0
    assert str(tape)
    assert str(tape.steps())
    tape.verdicts()
    str(tape.nonfinite())


@pytest.mark.parametrize("name", ["mlp_ReLU_3", "gru", "conv_norm", "attention_by_hand", "accumulated", "views"])
def test_gradients_of_the_recording_are_those_of_the_leaves(name):
    with tapeviz.record(framework="torch", values="all") as tape:
        leaves = [t for t in PROGRAMS[name]() if t.requires_grad and t.is_leaf]
    recording = tape.recording
    asked = recording.requests
    found = {int(v): int(g) for v, g in zip(asked.variable.tolist(), asked.gradient.tolist(), strict=True)}
    for leaf in leaves:
        number, variable = tape._numbers_of(leaf)
        array = tape.elements(found[variable])
        expected = leaf.grad.numpy()
        if name != "accumulated":
            assert (array == expected).all()
        assert array.shape == expected.shape
        assert number >= 0
