"""Four programs go through the rooms as the architecture page says, and no call goes up that it does not name."""

import json
import re
import subprocess
import sys

import pytest

from tests.structure.rooms import INNER, NAMESPACES, ROOMS, below
from tests.structure.sources import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
HEADINGS = {
    "add": "`tf.add([1.0, 2.0], x)`",
    "traced call": "A `tf.function`, called twice",
    "fit step": "A step of `fit`",
    "tape cell": "A `%%tape` cell, from magic to pixels",
}
STEP = re.compile(r"^\d+\. (?:`([\w/]+\.py)` → )?`([\w/]+\.py)`: ", re.MULTILINE)


def section(heading: str) -> str:
    """Return the text of the page under a heading."""
    (text,) = re.findall(rf"^#+ {re.escape(heading)}$(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    return text


def room(file: str) -> str:
    """Return the room of a file."""
    return file.split("/", maxsplit=1)[0].removesuffix(".py")


CALLS_UP = set(re.findall(r"^\| `(\w+)` \| `(\w+)` \|", section("Calls that go up"), re.MULTILINE))


@pytest.fixture(scope="module")
def walks(tmp_path_factory) -> dict[str, list[tuple[str, str]]]:
    """Give the calls of the four programs, followed in a process where nothing else has run."""
    env = {"IPYTHONDIR": str(tmp_path_factory.mktemp("ipython")), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", "tests.structure.walks"], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    return {name: [(caller, called) for caller, called in calls] for name, calls in json.loads(done.stdout).items()}


def calls_up(calls: list[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the pairs of rooms between which a call goes to where no import may."""
    pairs = {(room(caller), room(called)) for caller, called in calls if caller}
    return {(caller, called) for caller, called in pairs if called not in {caller, *below(caller)}}


@pytest.mark.parametrize("name", HEADINGS)
def test_a_program_goes_the_way_on_the_page(walks, name):
    steps = STEP.findall(section(HEADINGS[name]))
    assert [step for step in steps if step not in walks[name]] == []
    assert steps == sorted(steps, key=walks[name].index)


@pytest.mark.parametrize("name", HEADINGS)
def test_each_room_that_is_entered_is_on_the_page(walks, name):
    told = {room(file) for step in STEP.findall(section(HEADINGS[name])) for file in step if file}
    assert {room(called) for _, called in walks[name]} == told


@pytest.mark.parametrize("name", HEADINGS)
def test_no_call_goes_up_that_is_not_on_the_page(walks, name):
    assert calls_up(walks[name]) <= CALLS_UP


def test_the_page_names_no_call_up_that_there_is_not(walks):
    assert set().union(*map(calls_up, walks.values())) == CALLS_UP


SENTENCES = dict(re.findall(r"^- `(\w+)`: (.*?)(?=^[-*]|\n\n)", section("The rooms"), re.MULTILINE | re.DOTALL))


def test_each_room_has_its_sentence():
    assert SENTENCES.keys() == ROOMS.keys() - NAMESPACES


def test_the_page_goes_from_the_top_to_the_ground():
    order = list(SENTENCES)
    up = {(room, other) for room in order for other in ROOMS[room].split() if other not in NAMESPACES}
    assert {(room, other) for room, other in up if order.index(other) < order.index(room)} == set()


@pytest.mark.parametrize("name", [name for name in INNER if "/" not in name])
def test_the_rooms_in_a_room_are_named(name):
    told = set(re.findall(r"`([\w/]+)`", SENTENCES[name]))
    folders = {path.name for path in (ROOT / "tapeviz" / name).iterdir() if (path / "__init__.py").exists()}
    assert folders - told == set()


def test_each_word_of_the_glossary_stands_in_its_file():
    text = section("Glossary")
    rows = re.findall(r"^\| ([\w ]+) \| .+ \| `([\w/.-]+)` \|$", text, re.MULTILINE)
    assert 0 < len(rows) == text.count("\n| ") - 1
    for word, file in rows:
        path = ROOT / file if file.startswith("labextension/") else ROOT / "tapeviz" / file
        assert word.replace(" ", "_") in path.stem + path.read_text(encoding="utf-8").lower()
