"""The workflow passes Snakemake's linter, and what the linter finds is not lost."""

from pathlib import Path

import pytest

from tests.workflow import lint


def test_the_workflow_passes_the_linter(capfd: pytest.CaptureFixture[str]) -> None:
    assert lint.main() == 0
    assert "nothing that applies" in capfd.readouterr().err


def test_other_findings_and_errors_of_the_workflow_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lint, "ROOT", tmp_path)
    (tmp_path / "Snakefile").write_text("rule a:\n    output: 'x.txt'\n    shell: 'touch {output}'\n")
    assert lint.main() == 1
    assert capfd.readouterr().err == f"rule a (line 1, {tmp_path}/Snakefile): No log directive defined\n"
    (tmp_path / "Snakefile").write_text("rule a:\n    nonsense: 'x.txt'\n")
    assert lint.main() == 1
    assert "nonsense" in capfd.readouterr().err
