"""Showing a tape at a view, and saving a page that opens at one."""

import pytest

import tapeviz as tf


@pytest.fixture
def tape():
    with tf.record(values="all") as made:
        h = tf.constant([1.0, 2.0]) * 2.0
    assert h.shape == (2,)
    return made


def test_elsewhere_than_in_a_notebook_it_is_printed(tape, capsys):
    tape.show()
    assert capsys.readouterr().out == f"{tape}\n"
    tape.show("step")
    assert capsys.readouterr().out == f"{tape.steps()}\n"
    tape.show("flow")
    assert capsys.readouterr().out == f"{tape}\n"


def test_in_a_notebook_the_view_is_opened(tape, monkeypatch):
    shown = []
    publisher = type("Publisher", (), {"publish": lambda _, data: shown.append(data)})()
    shell = type("Shell", (), {"display_pub": publisher, "kernel": None})()
    monkeypatch.setattr("tapeviz.tape.tape.notebook", lambda: shell)
    tape.show("step")
    assert tape.view.view == "step"
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)


def test_a_view_that_there_is_not_is_named_with_what_is_near(tape, tmp_path):
    with pytest.raises(ValueError, match="did you mean 'step'"):
        tape.show("steps")
    with pytest.raises(ValueError, match="choose timeline, flow"):
        tape.save(tmp_path / "run.html", view="zzz")


def test_a_page_opens_at_a_view_and_other_files_have_none(tape, tmp_path):
    assert ' data-view="step">' in tape.save(tmp_path / "run.html", view="step").read_text(encoding="utf-8")
    assert "data-view" not in tape.save(tmp_path / "run.html").read_text(encoding="utf-8").split("<script>")[0]
    with pytest.raises(ValueError, match=r"a \.tape file opens at no view"):
        tape.save(tmp_path / "run.tape", view="step")
