"""What the exporters make of a stored recording, as stored files: a change of an export is a visible difference.

python -m tests.exports.snapshots
"""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

from tapeviz.analysis.verdicts import with_verdicts
from tapeviz.exports import chrome_trace, summary_text
from tapeviz.recording import Recording, read
from tests.structure.sources import ROOT

# A training step of a small network, with a failed op, NaN and a gradient that is None.
RECORDING = ROOT / "labextension/packages/recording/fixtures/network.tape"
# A function that was traced three times, and ran.
TRACED = ROOT / "labextension/packages/recording/fixtures/traced.tape"
EXPECTED = Path(__file__).parent / "expected"


def recording() -> Recording:
    """Return the stored recording with its verdicts, as a tape hands it to the exporters."""
    return with_verdicts(read(RECORDING))


def functions() -> str:
    """Return the summary of a recording of traced functions as text."""
    return summary_text.summary(read(TRACED)) + "\n"


def traced() -> str:
    """Return its Chrome trace."""
    target = io.BytesIO()
    chrome_trace.write(recording(), target)
    return target.getvalue().decode()


def in_words() -> str:
    """Return its summary as text."""
    return summary_text.summary(recording()) + "\n"


OUTPUTS: dict[str, Callable[[], str]] = {"network.json": traced, "network.txt": in_words, "traced.txt": functions}


def main() -> None:
    """Write the expected files."""
    EXPECTED.mkdir(exist_ok=True)
    for name, make in OUTPUTS.items():
        (EXPECTED / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
