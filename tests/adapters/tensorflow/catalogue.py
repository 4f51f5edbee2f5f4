"""The two sets of TensorFlow's programs."""

from tests.adapters.catalogue import Catalogue

CATALOGUE = Catalogue("tensorflow")
bug, sound = CATALOGUE.bug, CATALOGUE.sound
