"""The public names equal the stored list."""

from tests.structure.public_names import STORED, public_names
from tests.structure.sources import ROOT


def test_public_names_equal_the_stored_list():
    stored = (ROOT / STORED).read_text().splitlines()
    assert public_names() == stored, f"if you meant it: python tests/structure/public_names.py > {STORED}"
