"""What holds for the cells of a shell until it is chosen otherwise: the mode, and the device of new tensors."""

from __future__ import annotations

from typing import Final

from tapeviz.engine.devices import devices
from tapeviz.engine.state import default
from tapeviz.magics import choices
from tapeviz.magics.choices import Choice

__all__ = ["SETTINGS", "Settings"]

SETTINGS: Final = ("mode", "device")


class Settings:
    """What is chosen in one shell.

    ``mode`` is read when a cell runs. A device is chosen at once, and becomes that of new tensors when :meth:`settle`
    is called on the thread that runs cells: pages choose on another one.
    """

    def __init__(self) -> None:
        self.mode: str = "eager"
        self._device = ""  # nothing was chosen here
        self._settled = True

    @property
    def device(self) -> str:
        """What is chosen: ``auto``, or where new tensors are made."""
        return self._device if self._device == "auto" or not self._settled else default[0].kind.lower()

    def choose(self, what: str, word: str) -> None:
        """Choose a mode or a device. ValueError: there is none such."""
        if what not in SETTINGS:
            raise ValueError(f"{what} is not a setting; choose from {' and '.join(SETTINGS)}")
        if what == "mode":
            self.mode = choices.chosen(word, choices.MODES)
        else:
            self._device, self._settled = choices.device(word), False

    def settle(self) -> None:
        """Make the chosen device that of this thread's new tensors."""
        if not self._settled:
            devices.choose(self._device)
            self._settled = True

    @property
    def device_now(self) -> str:
        """Where new tensors are made, or will be as soon as a cell runs."""
        word = self.device
        return word if word != "auto" else "cpu" if devices.gpu is None else "gpu"

    def choices(self, what: str) -> list[Choice]:
        """What there is to choose."""
        return choices.modes_to_choose() if what == "mode" else choices.devices_to_choose()

    def state(self, what: str) -> str:
        """What is chosen and the choices, as text."""
        now = self.mode if what == "mode" else self.device_now
        return "\n".join([f"{what}: {now}", *(f"  {choice.word:5}  {choice.meaning}" for choice in self.choices(what))])
