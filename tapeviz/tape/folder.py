"""A folder of tapes, such as handed-in homework, by what was found in them.

``python -m tapeviz.tape.folder FOLDER`` prints it; ``--html PAGE`` writes it as a page, and words name the kinds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from tapeviz.analysis.verdicts import verdicts, with_thresholds
from tapeviz.exports import folder_page
from tapeviz.exports.folder_page import Checked
from tapeviz.exports.target import put
from tapeviz.recording import RecordingError
from tapeviz.recording.reader import read_sound
from tapeviz.tape.check import known_kinds

__all__ = ["CheckedFolder", "check_folder", "main"]


class CheckedFolder(Sequence[Checked]):
    """The tapes of a folder with their findings; prints as them by kind, and in a notebook as the page.

    Each has ``path``, ``findings``, ``notes`` and ``problem``.
    """

    def __init__(self, folder: Path, files: Sequence[Checked]) -> None:
        self.folder = folder
        self._files = tuple(files)

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, position: int | slice) -> Checked | tuple[Checked, ...]:  # type: ignore[override]
        return self._files[position]

    def __repr__(self) -> str:
        return folder_page.text(self._files)

    def save(self, path: str | Path) -> Path:
        """Write the findings as one self-contained page, ``.html``, or as text, ``.txt``.

        Raises:
            ValueError: another suffix.
            OSError: it cannot be written.
        """
        target = Path(path)
        if target.suffix not in (".html", ".txt"):
            raise ValueError(f"cannot save to {str(path)!r}: the suffix says what to write: .html or .txt")
        html = target.suffix == ".html"
        title = f"Findings in {self.folder.name or self.folder.resolve().name}"
        whole = folder_page.page(self._files, title) if html else folder_page.text(self._files) + "\n"
        put([whole.encode()], target)
        return target


def check_folder(
    folder: str | Path, *kinds: str, severity: int = 2, thresholds: Mapping[str, float] | None = None
) -> CheckedFolder:
    """The findings in all ``.tape`` files of a folder, those in folders inside it included.

    Args:
        folder: where they are.
        kinds: which findings count, as for :meth:`Tape.check`; all of them unless named.
        severity: from which one on: 1 worth knowing, 2 likely a fault, 3 a fault.
        thresholds: as for :meth:`Tape.verdicts`.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: a kind, a severity or a threshold that there is not.

    >>> import tapeviz as tf, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with tf.record() as tape:
    ...         y = tf.math.sqrt(tf.constant(4.0))
    ...     _ = tape.save(f"{folder}/ada.tape")
    ...     tf.check_folder(folder)
    1 tape: 0 with findings, 1 without.
    <BLANKLINE>
    without findings
      ada.tape
    """
    root = Path(folder)
    if not root.is_dir():
        raise NotADirectoryError(f"{str(folder)!r} is not a folder")
    wanted = known_kinds(kinds, severity)
    files = [_checked(root, path, wanted, severity, thresholds or {}) for path in sorted(root.rglob("*.tape"))]
    return CheckedFolder(root, files)


def _checked(root: Path, path: Path, kinds: Collection[str], severity: int, thresholds: Mapping[str, float]) -> Checked:
    try:
        recording = read_sound(path)
    except (RecordingError, OSError) as error:
        return Checked(path.relative_to(root), problem=str(error), opened=False)
    found = verdicts(with_thresholds(recording, thresholds) if thresholds else recording)
    named = tuple(one for one in found if one.severity >= severity and (not kinds or one.kind in kinds))
    notes = [f"not looked at: {sentence}" for sentence in found.unseen]
    notes += [found.coverage.dismissed] if found.expected and found.coverage is not None else []
    return Checked(path.relative_to(root), named, tuple(notes), recording.problem or "")


def main(arguments: Sequence[str]) -> int:
    """The command line; the exit status is 1 where something was found."""
    parser = argparse.ArgumentParser(prog="python -m tapeviz.tape.folder", description="Findings in a folder of tapes.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*", help="such as none nan retrace; all unless named")
    parser.add_argument("--html", type=Path, help="write a page here")
    parser.add_argument("--severity", type=int, default=2, choices=(1, 2, 3))
    given = parser.parse_args(arguments)
    try:
        found = check_folder(given.folder, *given.kinds, severity=given.severity)
    except (ValueError, NotADirectoryError) as error:
        parser.error(str(error))
    sys.stdout.write(f"{found}\n")
    if given.html is not None:
        found.save(given.html.with_suffix(".html"))
    return int(any(one.findings or not one.opened for one in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
