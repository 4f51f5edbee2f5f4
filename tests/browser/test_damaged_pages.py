"""Whatever is wrong in a recording, a page opens what is left of it: every view draws, answers keys and the pointer."""

import base64
import random

import pytest

import tapeviz as tf
from tests.browser.saved_page import PAINTED, SavedPage
from tests.recording.damage import damaged
from tests.recording.fixtures import opened
from tests.recording.gradient_health import judged
from tests.recording.network import training_step
from tests.recording.traced_function import traced
from tests.zoo.models import ZOO
from tests.zoo.ways import WAYS

pytestmark = pytest.mark.browser

LONGEST = 2000  # ms for one view, with all that is done to it
# Mounts a recording, and goes through its views: keys, and the pointer wherever there is a canvas. What was made by a
# script is no pointer that could be captured.
THROUGH = (
    """async (base64) => {
    Element.prototype.setPointerCapture = () => undefined;
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const painted = """
    + PAINTED
    + """;
    const root = document.createElement("div");
    document.body.replaceChildren(root);
    const seen = {failed: [], took: {}, views: []};
    const off = await window.tapeviz.mount(root, bytes);
    const home = [root, ...root.querySelectorAll("*")].find((element) => element.shadowRoot).shadowRoot;
    await painted();
    const look = (when) => {
        for (const failed of home.querySelectorAll(".tv-failed")) seen.failed.push(`${when}: ${failed.textContent}`);
    };
    seen.said = /malformed: .*/.exec(home.querySelector("section").innerText)?.[0] ?? null;
    for (const tab of home.querySelectorAll("[role=tab]")) {
        const started = performance.now();
        tab.click();
        await painted();
        look(tab.textContent);
        const main = home.querySelector("#tv-main");
        main.focus();
        for (const key of ["ArrowRight", "ArrowDown", "Enter", "ArrowRight", "Enter", "]", "f", "t", "t"]) {
            const event = new KeyboardEvent("keydown", {key, bubbles: true, cancelable: true});
            (home.activeElement ?? main).dispatchEvent(event);
        }
        const canvas = main.querySelector("canvas");
        for (let i = 0; canvas && i < 8; i++) {
            const {left, top, width, height} = canvas.getBoundingClientRect();
            const clientX = left + width * ((i * 0.37) % 1), clientY = top + height * ((i * 0.61) % 1);
            for (const name of ["pointermove", "pointerdown", "pointerup"]) {
                canvas.dispatchEvent(new PointerEvent(name, {clientX, clientY, bubbles: true}));
            }
            canvas.dispatchEvent(new MouseEvent("click", {clientX, clientY, bubbles: true}));
        }
        await painted();
        look(`${tab.textContent} after keys and clicks`);
        seen.views.push(tab.textContent);
        seen.took[tab.textContent] = performance.now() - started;
    }
    off();
    return seen;
}"""
)


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    with tf.record() as tape:
        tf.constant(1.0) + 1.0
    shown = SavedPage(browser, tape.save(tmp_path_factory.mktemp("page") / "run.html"))
    yield shown
    shown.page.context.close()


def assert_all_draws(page, source):
    page.complaints.clear()
    seen = page.page.evaluate(THROUGH, base64.b64encode(source).decode())
    assert seen["failed"] == []
    assert page.complaints == []
    assert len(seen["views"]) >= 4
    assert max(seen["took"].values()) < LONGEST
    problem = opened(source).problem or ""
    if problem.startswith("malformed: "):
        assert seen["said"].split("column")[0] == problem.split("column")[0]


@pytest.mark.parametrize("seed", range(20))
def test_every_view_of_a_damaged_recording_draws(page, seed):
    chance = random.Random(seed)
    assert_all_draws(page, damaged(chance.choice([training_step, traced, judged])().recording(), chance))


@pytest.mark.parametrize("way", WAYS)
def test_every_view_of_a_damaged_model_draws(page, way):
    step = WAYS[way](ZOO["second_order"]())
    with tf.record() as tape:
        step()
    for seed in range(4):
        assert_all_draws(page, damaged(tape.recording, random.Random(seed)))


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(20, 600))
def test_every_view_of_many_damaged_recordings_draws(page, seed):
    chance = random.Random(seed)
    assert_all_draws(page, damaged(chance.choice([training_step, traced, judged])().recording(), chance))
