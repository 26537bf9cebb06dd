"""Bounds on what scoring costs, on a tenth of the corpus; `python -m tests.bench.scoring` prints the whole picture."""

from pathlib import Path

import pytest

from scripts.evals.answers import Sample
from scripts.evals.cohort import read_cohort
from scripts.evals.definitions import Definition, PatternStage
from scripts.evals.scorers import load_scorer
from scripts.evals.staged import Staged
from scripts.evals.texts import Text
from tests.bench import scoring
from tests.bench.corpus import build


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a corpus of 16 x 3 long records."""
    folder = tmp_path_factory.mktemp("corpus")
    build(folder, problems=3)
    return folder


@pytest.mark.parametrize(("scorer", "times"), [("strict", 10), ("seed-compat", 10), ("regex", 20)])
def test_a_rescore_costs_a_few_line_scans(folder: Path, scorer: str, times: int) -> None:
    files = sorted(folder.glob("*.jsonl"))
    scoring.scan(files, slices=True)
    limit = scoring.cpu(lambda: scoring.scan(files, slices=True))
    assert scoring.cpu(lambda: read_cohort(files, [load_scorer(scorer)], "integer")) <= times * limit


def test_memory_stays_below_150_mb(folder: Path, tmp_path: Path) -> None:
    assert scoring.rescore(folder, tmp_path, "regex")[1] <= 150


def test_a_rescore_of_480_small_records_takes_at_most_300_ms_of_cpu(tmp_path: Path) -> None:
    build(tmp_path / "small", shortest=200, longest=2000)
    costs = [
        scoring.command("scripts.rescore", str(tmp_path / "small"), "--out", str(tmp_path / "out"))[0] for _ in range(3)
    ]
    assert min(costs) <= 0.3


def test_a_quadratic_pattern_on_a_long_text_ends_with_its_timeout() -> None:
    scorer = Staged("slow", Definition((PatternStage(r"answer[^0-9]*(\d+)"),), part="whole", timeout=2.0))
    text = Text.of("answer " * (1_600_000 // 7))
    assert scoring.cpu(lambda: scorer.extract(Sample(text))) <= 2.2
