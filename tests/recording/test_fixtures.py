"""The fixtures of the front end's tests are what the writer writes today."""

import pytest

from tapeviz.recording import Builder, read
from tests.recording import fixtures
from tests.recording.equality import assert_same

OUTPUTS = fixtures.outputs()


@pytest.mark.parametrize("name", OUTPUTS)
def test_a_fixture_is_up_to_date(name):
    value, path = OUTPUTS[name], fixtures.FOLDER / name
    if isinstance(value, Builder):
        # Other builds of zlib deflate to other bytes, so the rows are compared.
        assert_same(read(path), value.recording())
    else:
        assert path.read_text(encoding="utf-8") == fixtures.as_json(value), "run: python -m tests.recording.fixtures"
