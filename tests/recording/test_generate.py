from tapeviz.recording import codegen
from tests.structure.sources import ROOT


def test_what_is_generated_is_what_is_there():
    stale = [path.name for path, text in codegen.outputs(ROOT).items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run: python -m tapeviz.recording.codegen"


def test_it_writes_into_the_repository_it_runs_in(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert codegen.main() == 1
    assert "no docs/format.md here" in capsys.readouterr().err
    page, script = tmp_path / "docs/format.md", tmp_path / "labextension/packages/recording/src/tables.gen.ts"
    for path in (page, script):
        path.parent.mkdir(parents=True)
        path.write_text(f"before\n{codegen.BEGIN}\nstale\n{codegen.END}\nafter\n")
    assert codegen.main() == 0
    assert page.read_text().startswith("before\n")
    assert page.read_text().endswith("\nafter\n")
    assert "stale" not in page.read_text()
    assert script.read_text() == codegen.typescript()
