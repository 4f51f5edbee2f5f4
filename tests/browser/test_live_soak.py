"""A training that is watched for long: the memory of the page and of the kernel stays flat.

`make nightly` watches for thirty minutes; `TAPEVIZ_LIVE_MINUTES` sets another number.
"""

import os
import statistics

import pytest
from playwright.sync_api import expect

from tests.browser.test_live_strip import MODEL, start, strip

pytestmark = pytest.mark.browser

MINUTES = float(os.environ.get("TAPEVIZ_LIVE_MINUTES", "30"))
LOOKS = 12
KERNEL_GROWS = 24e6  # bytes, over the second half
PAGE_GROWS = 12e6

SOAK = """
import gc, os
resident = []
def look(batch, logs):
    if live.strip.steps % 500 == 0:
        gc.collect()
        with open("/proc/self/statm") as file:
            resident.append((time.time(), int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")))
ends = time.time() + SECONDS
class Until(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        look(batch, logs)
        self.model.stop_training = self.model.stop_training or time.time() > ends
live = tf.keras.callbacks.LiveTape(every=2000, budget="4M")
history = model.fit(x / 16.0, y, epochs=1_000_000, callbacks=[live, Until()])
"""


@pytest.fixture
def lab_page(notebook):
    yield notebook
    notebook.assert_quiet()


def heap(page):
    """Return the bytes of objects in the page after a collection."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    used = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return used


@pytest.mark.nightly
@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="asks Linux for the kernel's memory")  # noqa: PTH110
def test_memory_stays_flat_while_a_training_is_watched(lab_page, record_property):
    seconds = 60 * MINUTES
    lab_page.open_cells("%load_ext tapeviz\n" + MODEL, SOAK.replace("SECONDS", str(seconds)))
    start(lab_page, 0)
    lab_page.page.evaluate("async () => { await window.ran; }")
    start(lab_page, 1)
    place = strip(lab_page, 1)
    place.wait_for(timeout=20_000)
    heaps = []
    for _ in range(LOOKS):
        lab_page.page.wait_for_timeout(1000 * seconds / LOOKS)
        heaps.append(heap(lab_page.page))
    expect(place.locator(".tvs-now")).to_contain_text("Stopped early", timeout=60_000)
    assert lab_page.raised() == []
    sizes = lab_page.ask_kernel("[size for _, size in resident]")
    half, quarter = len(sizes) // 2, max(len(sizes) // 8, 1)
    kernel = statistics.median(sizes[-quarter:]) - statistics.median(sizes[half : half + quarter])
    page = statistics.median(heaps[-3:]) - statistics.median(heaps[LOOKS // 2 - 1 : LOOKS // 2 + 2])
    said = (
        f"{lab_page.ask_kernel('live.strip.steps'):,} steps; kernel {kernel / 1e6:+.1f} MB, page {page / 1e6:+.1f} MB"
    )
    record_property("grown over the second half", said)
    print(f"\n{said}; kernel {sizes[-1] / 1e6:.0f} MB, page {heaps[-1] / 1e6:.0f} MB")
    assert kernel < KERNEL_GROWS
    assert page < PAGE_GROWS
