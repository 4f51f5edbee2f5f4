"""The lecture: a student steps through a two-layer network by keyboard alone, in JupyterLab and on a hand-out."""

import json
import re

import pytest
from playwright.sync_api import expect

import tapeviz as tf
from tests.browser.legibility import serious_violations, text_faults
from tests.browser.test_findings_by_keys import VIEW, Student, told

pytestmark = pytest.mark.browser

NETWORK = """\
x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
y = tf.constant([[1.0], [0.0], [1.0]])
w1 = tf.Variable([[0.1, 0.2, 0.3], [0.4, -0.5, 0.6]], name="w1")
b1 = tf.Variable([0.1, 0.2, 0.3], name="b1")
w2 = tf.Variable([[1.0], [-2.0], [3.0]], name="w2")
with tf.GradientTape() as g:
    h = tf.tanh(x @ w1 + b1)
    p = h @ w2
    loss = tf.reduce_mean((p - y) ** 2)
d = g.gradient(loss, [w1, b1, w2])
"""
STEPS = 17
TO_W2 = "d loss / d w2"
CHOSEN = "td.tvw-chosen"
MINUS = "\N{MINUS SIGN}"


@pytest.fixture
def student(notebook):
    notebook.page.set_viewport_size({"width": 1280, "height": 1000})
    yield Student(notebook)
    notebook.assert_quiet()


def numbers(figure):
    """The numbers that a figure of the equation shows, row by row."""
    texts = figure.locator("td").all_inner_texts()
    return [float(text.replace(MINUS, "-")) for text in texts]


def test_to_the_transposed_weight_by_keys(student):
    shell = student.run(f"%%step\n{NETWORK}")
    student.tab_to(VIEW)
    student.press("Home")
    expect(shell.locator(".tvw-where")).to_have_text(f"1 of {STEPS}, forward")
    student.press("b")
    expect(shell.locator(".tvw-told h3")).to_contain_text("The backward pass begins: d loss / d loss")
    for _ in range(STEPS):
        if TO_W2 in shell.locator(".tvw-told h3").inner_text():
            break
        student.press("ArrowRight")
    expect(shell.locator(".tvw-told h3")).to_contain_text(f"Back through matmul: {TO_W2}")
    names = shell.locator(".tvw-equation .tvw-name")
    expect(names).to_have_text(["h\N{DOWN TACK}", "d loss / d p", TO_W2])
    expect(shell.locator(".tvw-note")).to_contain_text("That is why h, (3, 3), is transposed.")
    gradient = student.notebook.ask_kernel("d[2].numpy().ravel().tolist()")
    assert numbers(shell.locator(".tvw-figure").last) == pytest.approx(gradient, rel=5e-3)
    transposed = student.notebook.ask_kernel("h.numpy().T.ravel().tolist()")
    assert numbers(shell.locator(".tvw-figure").first) == pytest.approx(transposed, rel=5e-3)
    student.press("ArrowDown")
    worked = shell.locator(".tvw-worked").inner_text()
    sum_, made = re.sub(r"^\[1, 0\] ", "", worked.replace(MINUS, "-")).split(" = ")
    terms = [[float(factor.strip("()")) for factor in term.split("·")] for term in sum_.split(" + ")]
    assert sum(a * b for a, b in terms) == pytest.approx(float(made), rel=1e-2) == pytest.approx(gradient[1], rel=1e-2)
    expect(told(shell)).to_contain_text(worked)
    expect(shell.locator(CHOSEN)).to_have_count(1)


def test_a_bias_is_summed_and_the_adjoint_is_nothing_before(student):
    shell = student.run(f"%%step\n{NETWORK}")
    student.tab_to(VIEW)
    bias = shell.locator(".tvw-tape tr").filter(has=student.notebook.page.locator("th", has_text=re.compile("^b1$")))
    student.press("b")
    expect(bias.locator("td").last).to_have_text("—")
    student.press("End", "ArrowLeft")
    expect(shell.locator(".tvw-told h3")).to_contain_text("d loss / d b1")
    expect(shell.locator(".tvw-formula")).to_contain_text("axis 0")
    expect(shell.locator(".tvw-note")).to_contain_text("b1 was broadcast along axis 0")
    expect(bias.locator("td").last).not_to_have_text("—")
    assert numbers(shell.locator(".tvw-figure").last) == pytest.approx(
        student.notebook.ask_kernel("d[1].numpy().tolist()"), rel=5e-3
    )


def test_the_quiz_is_answered_by_keys_and_known_to_python(student):
    shell = student.run(f"%%tape --view step -o lecture\n{NETWORK}")
    student.tab_to(VIEW)
    student.press("Home", "q")
    expect(shell.locator(".tvw-question")).to_contain_text("Which shape has matmul")
    expect(shell.locator(".tvw-figure").last.locator(".tvw-shape")).to_have_text("?")
    choices = shell.locator(".tvw-choice").all_inner_texts()
    right = next(i for i, text in enumerate(choices) if "(3, 3)" in text)
    student.press("abcd"[right])
    expect(shell.locator(".tvw-verdict")).to_have_text("Right: (3, 3).")
    student.press("ArrowRight", "ArrowRight")
    expect(shell.locator(".tvw-question input")).to_be_visible()
    expect(shell.locator(".tvw-figure").last.locator("td").first).to_have_text("?")
    student.tab_to(".tvw-question input")
    student.press("7", "Enter")
    expect(shell.locator(".tvw-verdict")).to_contain_text("Not 7")
    expect(shell.locator(".tvw-quiz")).to_have_text("Quiz: 1 of 2")
    student.press("ArrowRight", "r")
    expect(shell.locator(".tvw-verdict")).to_contain_text("It is")
    assert student.notebook.ask_kernel("[answer.right for answer in lecture.quiz]") == [True, False]
    assert "1 of 2 right" in student.notebook.ask_kernel("repr(lecture.quiz)")
    student.press("4", "7")  # the answers outlive the view
    expect(shell.locator(".tvw-quiz")).to_have_text("Quiz: 1 of 2")


def test_steps_follow_what_is_selected_elsewhere(student):
    shell = student.run(f"%%step\n{NETWORK}")
    event = student.notebook.ask_kernel(
        "[int(i) for i, p, o in zip(_tape.recording.events.id, _tape.recording.events.phase,"
        " _tape.recording.events.op) if p == 1 and o >= 0][0]"
    )
    student.notebook.ask_kernel(f"_tape.view.select(event={event})")
    expect(shell.locator(".tvw-where")).to_have_text(f"9 of {STEPS}, backward")
    student.tab_to(VIEW)
    student.press("ArrowRight")
    expect(shell.locator(".tvw-where")).to_have_text(f"10 of {STEPS}, backward")
    assert student.notebook.ask_kernel("_tape.view.selected['event']") > event


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [800, 1280])
def test_a_hand_out_steps_without_a_kernel(browser, tmp_path, width, scheme):
    names = {"tf": tf}
    with tf.record(values="all") as tape:
        exec(NETWORK, names)
    path = tape.save(tmp_path / "lecture.html", view="step")
    context = browser.new_context(offline=True, viewport={"width": width, "height": 640}, color_scheme=scheme)
    page = context.new_page()
    said = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    shell = page.locator("section.tapeviz")
    expect(shell.locator(".tvw-where")).to_have_text(f"1 of {STEPS}, forward")
    shell.locator("#tv-main").focus()
    for number in range(2, STEPS + 1):
        page.keyboard.press("ArrowRight")
        expect(shell.locator(".tvw-where")).to_contain_text(f"{number} of {STEPS}")
        assert text_faults(shell) == []
    assert numbers(shell.locator(".tvw-figure").last) == pytest.approx(names["d"][0].numpy().ravel(), rel=5e-3)
    assert serious_violations(shell) == []
    page.keyboard.press("t")
    expect(shell.locator(".tv-text")).to_contain_text("is transposed")
    assert json.dumps(said) == "[]"
    context.close()


def test_what_if_a_weight_were_other_by_keys(student):
    """A value is typed into the step's field: the program runs again, and all steps have its numbers."""
    shell = student.run(f"%%step\n{NETWORK}")
    student.tab_to(VIEW)
    student.press("Home", "e")
    field = shell.locator(".tvw-what-if").get_by_label("value", exact=True)
    expect(field).to_be_focused()
    expect(field).to_be_enabled()
    field.fill("0.75")
    field.press("Enter")
    moves = shell.locator(".tvw-what-if .tv-moves tbody tr")
    expect(moves.first).to_contain_text("loss")
    again = "_tape.rerun({'x': [[0.75, 2.0], [3.0, 4.0], [5.0, 6.0]]})"
    loss = student.notebook.ask_kernel(f"float({again}.value('loss'))")
    expect(moves.first.locator("td").last).to_have_text(f"{loss:.4g}")
    result = shell.locator(".tvw-equation .tvw-figure").last
    expect(result.locator("td.tvw-moved").first).to_be_visible()
    assert numbers(result)[:3] == pytest.approx(
        student.notebook.ask_kernel("(tf.constant([[0.75, 2.0]]) @ w1).numpy()[0].tolist()"), rel=5e-3
    )
    student.tab_to(VIEW)
    for _ in range(STEPS):
        if TO_W2 in shell.locator(".tvw-told h3").inner_text():
            break
        student.press("ArrowRight")
    gradient = student.notebook.ask_kernel(f"{again}.value({again}.requests.gradient[2]).ravel().tolist()")
    assert numbers(shell.locator(".tvw-equation .tvw-figure").last) == pytest.approx(gradient, rel=5e-3)
    # Of the run with the other value, all of it: the numbers bear the product out.
    expect(shell.locator(".tvw-note")).to_contain_text("That is why h, (3, 3), is transposed.")
    assert text_faults(shell) == []
    assert serious_violations(shell) == []
    shell.get_by_role("button", name="Reset").click()
    expect(shell.locator("td.tvw-moved")).to_have_count(0)


def test_a_cell_is_typed_into_where_it_stands(student):
    shell = student.run(f"%%step\n{NETWORK}")
    student.tab_to(VIEW)
    student.press("Home")
    weight = shell.locator(".tvw-equation .tvw-figure").nth(1)
    weight.locator("td[data-i='4']").dblclick()
    field = shell.locator(".tvw-what-if").get_by_label("value", exact=True)
    expect(field).to_be_focused()
    expect(field).to_have_value("-0.5")
    field.fill("2")
    field.press("Enter")
    expect(weight.locator("td[data-i='4']")).to_have_text("2")
    expect(weight.locator("td[data-i='4']")).to_have_class(re.compile("tvw-moved"))
    expect(weight.locator("td.tvw-moved")).to_have_count(1)
