"""What if, digits and code in the views: a transformer's step and a recurrent network in JupyterLab, a page alone."""

import base64
from pathlib import Path

import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults

pytestmark = pytest.mark.browser

STATIC = Path(tf.__file__).parent / "widgets" / "static"
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>run</title><body style="margin:0">
<script type="application/octet-stream+base64" data-tapeviz>{data}</script><script>{script}</script></body></html>"""
SETUP = "import numpy as np\nimport tapeviz as tf\n%load_ext tapeviz"
TRANSFORMER = """%%tape --values inputs
tf.random.set_seed(1)
tokens = tf.constant([[1, 4, 2, 0], [3, 3, 1, 2]])
table = tf.Variable(tf.random.normal([5, 8]), name="table")
attention = tf.keras.layers.MultiHeadAttention(num_heads=2, key_dim=4)
head = tf.keras.layers.Dense(5)
with tf.GradientTape() as g:
    h = tf.gather(table, tokens)
    h = h + attention(h, h)
    logits = head(h)
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(tokens, logits))
    if loss > 1.0:
        loss = loss * 1.0
dtable = g.gradient(loss, table)"""
RNN = """%%tape --values inputs
w = tf.Variable(np.random.default_rng(2).normal(size=(3, 3)).astype("float32"), name="w")
scale = tf.Variable(1.0, name="scale")
with tf.GradientTape() as g:
    state = tf.zeros([1, 3])
    for x in np.eye(3, dtype="float32"):
        state = tf.tanh(state @ w + scale * x)
    loss = tf.math.log(1.0 + tf.exp(tf.reduce_sum(state) - 20.0))
dw, dscale = g.gradient(loss, [w, scale])"""


def choose(notebook, name, cell=1):
    number = notebook.ask_kernel(f"_tape.number({name!r})")
    assert notebook.ask_kernel(f"_tape.view.select(tensor={number})") is None
    shell = notebook.shell(cell)
    expect(shell.locator(".tv-inspector h3")).to_contain_text(name)
    return shell


def give(shell, text, index=None):
    if index is not None:
        shell.get_by_label("index of the element").fill(index)
        shell.get_by_label("index of the element").press("Enter")
    field = shell.get_by_label("value", exact=True)
    expect(field).to_be_enabled()
    field.fill(text)
    field.press("Enter")
    return field


def test_a_transformers_weight_is_edited(notebook):
    notebook.open_cells(SETUP, TRANSFORMER).run_all()
    assert notebook.raised() == []
    shell = choose(notebook, "table")
    give(shell, "25", "1, 0")
    moves = shell.locator(".tv-moves tbody tr")
    expect(moves.first).to_contain_text("loss")
    expected = notebook.ask_kernel(
        "float(_tape.rerun({'table': np.where(np.arange(40).reshape(5, 8) == 8, np.float32(25), "
        "_tape.value(_tape.recording.requests.source[0]))}).value('loss'))"
    )
    expect(moves.first.locator("td").last).to_have_text(f"{expected:.4g}")
    expect(shell.locator(".tv-moves tr", has_text="∇table").locator("td").last).to_have_class("tv-moved")
    expect(shell.locator(".tv-tensor.tv-changed .tv-now")).to_contain_text("25")
    assert text_faults(shell) == []
    assert serious_violations(shell) == []
    shell.get_by_role("button", name="Reset").click()
    expect(shell.locator(".tv-tensor.tv-changed")).to_have_count(0)
    expect(shell.locator(".tv-moves")).to_have_count(0)
    notebook.assert_quiet()


def test_a_branch_that_would_go_the_other_way_is_flagged(notebook):
    notebook.open_cells(SETUP, TRANSFORMER).run_all()
    shell = choose(notebook, "logits")
    for row, token in enumerate((1, 4, 2, 0)):
        give(shell, "60", f"0, {row}, {token}")
    for row, token in enumerate((3, 3, 1, 2)):
        give(shell, "60", f"1, {row}, {token}")
    warning = shell.locator(".tv-warning")
    expect(warning).to_contain_text("the program would go another way")
    line = next(n for n, text in enumerate(TRANSFORMER.split("\n"), 1) if "if loss" in text)
    expect(warning).to_contain_text(f"Line {line} branched on a value that is the opposite now")
    notebook.assert_quiet()


def test_elements_of_an_rnn_are_edited_in_the_tensor_view(notebook):
    notebook.open_cells(SETUP, RNN).run_all()
    shell = choose(notebook, "w")
    shell.locator("#tv-main").focus()
    page = notebook.page
    for key in ("3", "m"):
        page.keyboard.press(key)
    shell.get_by_label("index to go to").fill("2, 1")
    shell.get_by_label("index to go to").press("Enter")
    expect(shell.get_by_label("index of the element")).to_have_value("2, 1")
    shell.locator(".tvt-plane").focus()
    page.keyboard.press("e")
    field = shell.get_by_label("value", exact=True)
    expect(field).to_be_focused()
    give(shell, "-1.5")
    edited = shell.locator(".tvt-pane", has_text="With the edit")
    expect(edited.locator(".tvt-changed")).to_have_text("-1.5")
    expect(shell.locator(".tvt-pane")).to_have_count(2)
    # A slider for a scalar, too: both edits stand.
    shell = choose(notebook, "scale")
    slider = shell.get_by_label("value, by a slider")
    expect(slider).to_be_enabled()
    slider.focus()
    page.keyboard.press("End")
    expect(shell.get_by_role("list", name="Edits").locator("li")).to_have_count(2)
    expect(shell.locator(".tvt-scalar .tvt-changed")).to_contain_text("2")
    notebook.assert_quiet()


def test_the_line_that_loses_digits_is_one_click_away(notebook):
    notebook.open_cells(SETUP, RNN).run_all()
    shell = choose(notebook, "loss")
    shell.get_by_role("button", name="Show which digits are right").click()
    losses = shell.get_by_role("list", name="Lines that lose digits")
    expect(losses).to_contain_text("tf.math.softplus(")
    expect(shell.locator(".tv-digits").first).to_contain_text("right")
    losses.get_by_role("button").first.click()
    expect(shell.locator(".tv-inspector h3")).to_contain_text("log")
    expect(shell.locator(".tv-digits.tv-fault")).to_have_count(1)
    assert text_faults(shell) == []
    notebook.assert_quiet()


def test_an_op_is_copied_as_python(notebook):
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notebook.open_cells(SETUP, RNN).run_all()
    event = notebook.ask_kernel("int(_tape.query('op:tanh').events[0])")
    notebook.ask_kernel(f"_tape.view.select(event={event})")
    shell = notebook.shell(1)
    shell.get_by_role("button", name="Copy as Python", exact=True).click()
    expect(shell.locator(".tv-toast.tv-shown")).to_contain_text("Copied")
    copied = notebook.page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("import tapeviz as tf\n")
    assert "tanh(" in copied
    notebook.assert_quiet()


def test_what_was_not_kept_is_said(notebook):
    notebook.open_cells(SETUP, RNN.replace("--values inputs", "")).run_all()
    shell = choose(notebook, "scale")
    expect(shell.get_by_label("value, by a slider")).to_be_disabled()
    expect(shell.locator(".tv-what-if")).to_contain_text('record(values="inputs")')
    expect(shell.get_by_role("button", name="Show which digits are right")).to_be_disabled()
    notebook.assert_quiet()


@pytest.mark.parametrize("width", [1280, 800])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_alone_says_why_it_cannot(browser, tmp_path, width, scheme):
    with tf.record(values="inputs") as tape:
        x = tf.constant([1.0, 2.0])
        y = tf.exp(x)
    assert y.shape == (2,)
    file = tmp_path / "run.html"
    data = base64.b64encode(tape.recording.to_bytes()).decode()
    file.write_text(PAGE.format(data=data, script=(STATIC / "standalone.js").read_text("utf-8")), "utf-8")
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme, offline=True)
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator("#tv-main").focus()
    page.keyboard.press("ArrowRight")
    shell = page.locator("section.tapeviz")
    expect(shell.get_by_label("value, by a slider")).to_be_disabled()
    expect(shell.locator(".tv-what-if")).to_contain_text("This page has no kernel")
    expect(shell.get_by_role("button", name="Show which digits are right")).to_be_disabled()
    expect(shell.get_by_role("button", name="Copy as Python", exact=True)).to_be_disabled()
    expect(shell.locator(".tv-inspector")).to_contain_text("tape.as_python() in the notebook does")
    assert text_faults(shell) == []
    assert serious_violations(shell) == []
    context.close()
