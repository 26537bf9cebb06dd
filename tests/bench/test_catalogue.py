"""What size may cost, asserted where machines are quiet: `pytest tests/bench`."""

from pathlib import Path

import pytest

from tests.bench.catalogue import dag, prepared


def test_a_dag_of_20_by_9_by_16_is_planned_within_three_times_bare_snakemake(tmp_path: Path) -> None:
    assert dag(tmp_path) <= 3


def test_twelve_thousand_rows_are_prepared_in_little_memory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(prepared(tmp_path, 12032).read_bytes().splitlines()) == 12032
    megabytes = int(capsys.readouterr().out.split(" MB")[-2].rsplit(" ", 1)[1])
    assert megabytes < 60
