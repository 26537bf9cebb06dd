"""A part of a benchmark, a prompt of one's own, and what a benchmark's file advises."""

import json
import re
import threading
from pathlib import Path
from typing import Any

import pytest

from seedbed.config.settings import Settings, load
from seedbed.core.errors import InputError
from seedbed.datasets.prepare import prepare
from seedbed.datasets.rows import chosen, label, shaped
from seedbed.workflow.snapshot import client, effective

ROWS = [(f"r{number}", ["odd" if number % 2 else "even", "all"]) for number in range(50)]


def test_a_higher_limit_keeps_what_a_lower_one_drew() -> None:
    drawn = [chosen(ROWS, {"limit": limit, "seed": 0}, "subset.b") for limit in (5, 10, 50)]
    assert [len(ids) for ids in drawn] == [5, 10, 50]
    assert drawn[0] < drawn[1] < drawn[2]
    assert chosen(ROWS, {"limit": 5, "seed": 0}, "subset.b") == drawn[0]
    assert chosen(ROWS, {"limit": 5, "seed": 1}, "subset.b") != drawn[0]


def test_what_is_drawn_does_not_hang_on_the_order_of_the_rows() -> None:
    assert chosen(ROWS[::-1], {"limit": 7}, "subset.b") == chosen(ROWS, {"limit": 7}, "subset.b")


def test_subsets_and_ids_both_narrow_a_part() -> None:
    assert len(chosen(ROWS, {"subsets": ["odd"]}, "subset.b")) == 25
    assert chosen(ROWS, {"subsets": ["odd"], "ids": ["r1", "r2"]}, "subset.b") == {"r1"}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"ids": ["r99"]}, "subset.b.ids: unknown 'r99'; did you mean 'r9'?"),
        ({"subsets": ["od"]}, "subset.b.subsets: unknown 'od'; did you mean 'odd'?"),
        ({"subsets": ["odd"], "ids": ["r2"]}, "subset.b: its subsets and ids have no problem in common"),
    ],
)
def test_a_part_that_is_not_there_is_named(part: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        chosen(ROWS, part, "subset.b")


def write(folder: Path, name: str = "mine", rows: int = 6, **changes: Any) -> Path:
    """Write a benchmark of sums; returns its file."""
    lines = [{"id": f"s{n}", "problem": f"{n} + 1", "expected_answer": str(n + 1)} for n in range(rows)]
    (folder / f"{name}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = folder / f"{name}.yaml"
    definition = {"source": {"file": f"{name}.jsonl"}, "prompt": "Solve {problem}", "answer_type": "integer"}
    path.write_text(json.dumps(definition | changes))
    return path


def settings(folder: Path, **changes: Any) -> Settings:
    """Return the settings of one model and the benchmark `mine`."""
    models = {"m": {"endpoint": "http://127.0.0.1:9/v1"}}
    return load({"models": models, "benchmarks": ["mine.yaml"]} | changes, "c.yaml", [folder])


def test_a_part_is_recorded_and_named_in_tables(tmp_path: Path) -> None:
    write(tmp_path)
    definition = settings(tmp_path, subset={"mine": {"limit": 2}}).benchmark("mine").definition
    record = prepare(definition, tmp_path / "d" / "test.jsonl")
    assert record["part"] == {"limit": 2, "seed": 0, "of": 6}
    (tmp_path / "d" / "source.json").write_text(json.dumps(record))
    assert label(tmp_path / "d") == "2 of 6"
    whole = prepare(settings(tmp_path).benchmark("mine").definition, tmp_path / "w" / "test.jsonl")
    assert whole["part"] is None
    (tmp_path / "w" / "source.json").write_text(json.dumps(whole))
    assert label(tmp_path / "w") == ""


def test_two_may_prepare_the_same_rows_at_once(tmp_path: Path) -> None:
    write(tmp_path, rows=400)
    definition = settings(tmp_path).benchmark("mine").definition
    records: list[dict[str, Any]] = []
    out = tmp_path / "d" / "test.jsonl"
    both = [threading.Thread(target=lambda: records.append(prepare(definition, out))) for _ in range(4)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len({record["sha256"] for record in records}) == 1
    assert len(records) == 4
    assert sorted(path.name for path in out.parent.iterdir()) == [".lock", "test.jsonl"]


def test_a_part_prepares_the_rows_anew_and_leaves_the_fingerprint(tmp_path: Path) -> None:
    write(tmp_path)
    whole, part = settings(tmp_path), settings(tmp_path, subset={"mine": {"ids": ["s1"]}})
    assert whole.benchmark("mine").shapes_rows() != part.benchmark("mine").shapes_rows()
    assert whole.request_fingerprint("m", "mine") == part.request_fingerprint("m", "mine")


def test_pins_and_words_about_a_benchmark_do_not_prepare_it_anew(tmp_path: Path) -> None:
    write(tmp_path)
    before = settings(tmp_path).benchmark("mine").shapes_rows()
    words, column = tmp_path / "words", tmp_path / "column"
    words.mkdir()
    column.mkdir()
    write(words, source={"file": "mine.jsonl", "rows": 6}, licence="MIT", description="sums", max_tokens=5)
    assert settings(words).benchmark("mine").shapes_rows() == before
    write(column, columns={"difficulty": "problem"})
    assert settings(column).benchmark("mine").shapes_rows() != before


@pytest.mark.parametrize("prompt", ["own.txt", "boxed"])
def test_a_prompt_of_ones_own_works_for_any_benchmark_and_changes_the_fingerprint(tmp_path: Path, prompt: str) -> None:
    (tmp_path / "own.txt").write_text("Do it: {problem}\n")
    before = settings(tmp_path, benchmarks=["aime25"])
    after = settings(tmp_path, benchmarks=["aime25"], prompts={"aime25": prompt})
    assert after.benchmark("aime25").definition["prompt"] != before.benchmark("aime25").definition["prompt"]
    assert after.request_fingerprint("m", "aime25") != before.request_fingerprint("m", "aime25")
    assert after.benchmark("aime25").shapes_rows() == before.benchmark("aime25").shapes_rows()
    again = load(effective(after), "results/config.yaml", [Path("elsewhere")])
    assert again.request_fingerprint("m", "aime25") == after.request_fingerprint("m", "aime25")


def test_the_same_prompt_from_a_file_or_in_the_benchmark_is_the_same(tmp_path: Path) -> None:
    write(tmp_path, prompt="Do it: {problem}")
    inline = settings(tmp_path).request_fingerprint("m", "mine")
    other = tmp_path / "other"
    other.mkdir()
    (other / "own.txt").write_text("Do it: {problem}\n")
    write(other, prompt={"file": "own.txt"})
    assert settings(other).request_fingerprint("m", "mine") == inline


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"prompts": {"mein": "boxed"}}, "c.yaml: prompts: unknown benchmark 'mein'; did you mean 'mine'?"),
        ({"subset": {"mein": {"limit": 1}}}, "c.yaml: subset: unknown benchmark 'mein'; did you mean 'mine'?"),
        ({"subset": {"mine": {"limit": 0}}}, "subset.mine.limit: found 0; expected at least 1"),
        ({"subset": {"mine": {"limt": 1}}}, "unknown key 'subset.mine.limt'; did you mean 'limit'?"),
        ({"prompts": {"mine": "boxd"}}, "prompt.name: unknown prompt 'boxd'; did you mean 'boxed'?"),
        ({"prompts": {"mine": "none.txt"}}, "none.txt: No such file or directory"),
        ({"prompts": {"mine": "empty.txt"}}, "prompts.mine: found no {problem}"),
    ],
)
def test_a_wrong_part_or_prompt_is_named_with_its_key(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    write(tmp_path)
    (tmp_path / "empty.txt").write_text("Solve it.")
    with pytest.raises(InputError, match=re.escape(message)):
        settings(tmp_path, **changes).benchmark("mine")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"source": {"huggingface": "us/set", "revision": "main", "path": "x"}}, "source.revision: found 'main'"),
        ({"source": {"huggingface": "us/set", "revision": "f" * 40, "path": "x"}}, "source.rows is missing"),
        ({"source": {"https": "https://example.org/x.jsonl"}}, "source.sha256 is missing"),
        ({"source": {"https": "http://example.org/x.jsonl", "sha256": "f" * 64}}, "source.https: found"),
        ({"columns": {"id": {"column": "a", "take": "("}}}, "columns.id: '(' is no regular expression"),
        ({"columns": {"id": {"colum": "a"}}}, "did you mean 'column'?"),
        ({"row": "shuffled_options"}, "row: 'shuffled_options' puts options together; found no options"),
        ({"row": "shuffled"}, "row: found 'shuffled'; expected one of"),
        ({"prompt": {"name": "boxed", "file": "x"}}, "prompt needs one of 'name' and 'file'"),
        ({"max_tokens": 0}, "max_tokens: found 0; expected at least 1"),
    ],
)
def test_every_wrong_key_of_a_benchmark_is_named(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    path = write(tmp_path, **changes)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        settings(tmp_path, scorers=["strict"]).benchmark("mine")
    assert str(path) in str(caught.value)


def test_advice_is_sent_where_the_configuration_says_nothing(tmp_path: Path) -> None:
    write(tmp_path, max_tokens=77)
    sampling = {"temperature": 0.5}
    advised = settings(tmp_path, sampling=sampling)
    assert advised.sampling("m", "mine") == {"max_tokens": 77, "temperature": 0.5}
    assert client(advised, "m", ["mine"])["benchmarks"]["mine"]["sampling"] == {"max_tokens": 77, "temperature": 0.5}
    assert settings(tmp_path, sampling=sampling | {"max_tokens": 5}).sampling("m", "mine")["max_tokens"] == 5
    (tmp_path / "other").mkdir()
    write(tmp_path / "other", max_tokens=78)
    assert settings(tmp_path / "other", sampling=sampling).request_fingerprint(
        "m", "mine"
    ) != advised.request_fingerprint("m", "mine")


def test_what_becomes_of_overlong_prompts_reaches_the_jobs_and_shapes_answers(tmp_path: Path) -> None:
    write(tmp_path, context="problem")
    by_default, skipping = settings(tmp_path), settings(tmp_path, context_overflow="skip")
    assert client(by_default, "m", ["mine"])["context_overflow"] == "error"
    assert client(skipping, "m", ["mine"])["context_overflow"] == "skip"
    assert client(skipping, "m", ["mine"])["benchmarks"]["mine"]["context"] == "problem"
    assert skipping.request_fingerprint("m", "mine") != by_default.request_fingerprint("m", "mine")
    # as computed before the key was renamed: samples of older runs are still found
    assert skipping.request_fingerprint("m", "mine").startswith("19c8fd3efc86adab")
    assert by_default.request_fingerprint("m", "mine").startswith("10a4bb2b6b306480")
    with pytest.raises(InputError, match="context_overflow: found 'cut'; expected one of"):
        settings(tmp_path, context_overflow="cut")


def test_a_benchmarks_own_scorers_count_where_the_configuration_names_none(tmp_path: Path) -> None:
    (tmp_path / "extra.yaml").write_text("stages: [{stage: box}]\n")
    write(tmp_path, scorers=["strict", "extra.yaml"])
    assert list(settings(tmp_path).scorers) == ["strict", "extra"]
    assert list(settings(tmp_path, benchmarks=["warmup", "mine.yaml"]).scorers) == ["strict", "regex", "extra"]
    assert list(settings(tmp_path, scorers=["regex"]).scorers) == ["regex"]


def test_columns_are_renamed_taken_and_grouped() -> None:
    definition = {
        "name": "b",
        "ids": "numbered",
        "columns": {
            "problem": "question",
            "expected_answer": {"column": "answer", "take": r"= (\d+)$"},
            "subset_for_metrics": ["level", {"column": "topic", "replace": {" ": "_"}, "groups": {"x": ["a_b"]}}],
        },
        "keep": ["note"],
    }
    raw = {"question": "q?", "answer": "1+1 = 2", "level": 3, "topic": "a b", "note": "n", "other": "o"}
    assert list(shaped([("line 1", raw)], definition, "rows")) == [
        {"id": "b-0", "problem": "q?", "expected_answer": "2", "subset_for_metrics": [3, "x"], "note": "n"}
    ]
    with pytest.raises(InputError, match=r"line 1: 'answer' is not like '= \(\\\\d\+\)\$'"):
        list(shaped([("line 1", raw | {"answer": "two"})], definition, "rows"))
    with pytest.raises(InputError, match="line 1: the field 'level' is missing; found 'question'"):
        list(shaped([("line 1", {key: raw[key] for key in raw if key != "level"})], definition, "rows"))
