"""The two sets of PyTorch's programs."""

from tests.adapters.catalogue import Catalogue

CATALOGUE = Catalogue("torch")
bug, sound = CATALOGUE.bug, CATALOGUE.sound
