"""The same text from several seeds."""

import json
from collections.abc import Callable
from pathlib import Path

from seedbed.health.repetition import find


def write(folder: Path, text: Callable[[int, int], str], seeds: int = 4, rows: int = 10) -> list[Path]:
    """Write output files whose generation for (seed, row) is `text`."""
    paths = []
    for seed in range(42, 42 + seeds):
        path = folder / f"output-rs{seed}.jsonl"
        records = ({"id": f"b-{row}", "generation": text(seed, row)} for row in range(rows))
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        paths.append(path)
    return paths


def test_seeds_that_differ_have_no_duplicates(tmp_path: Path) -> None:
    found = find(write(tmp_path, lambda seed, row: f"seed {seed} row {row}"), 1.0)
    assert (found.samples, found.seed_ignored, found.line("m")) == (0, False, None)


def test_two_seeds_with_one_text_are_named(tmp_path: Path) -> None:
    found = find(write(tmp_path, lambda seed, row: "same" * 20 if row == 3 and seed < 44 else f"{seed} {row}"), 1.0)
    assert found.groups == {"b-3": [[42, 43]]}
    assert found.samples == 1
    assert found.line("m") == "1 repeat another seed's text (b-3)"


def test_repeats_in_many_problems_are_counted_not_named(tmp_path: Path) -> None:
    found = find(write(tmp_path, lambda seed, row: "same" * 20 if row < 3 and seed < 44 else f"{seed} {row}"), 1.0)
    assert found.line("m") == "3 repeat another seed's text (3 problems)"


def test_a_server_that_ignores_the_seed_is_named(tmp_path: Path) -> None:
    found = find(
        write(tmp_path, lambda _seed, row: f"a long enough answer to problem number {row}, always the same"), 1.0
    )
    assert found.seed_ignored
    assert found.samples == 30
    assert "the server of 'm' ignores `seed`: 10 of 10 problems" in str(found.line("m"))


def test_short_answers_that_coincide_are_no_duplicates_and_accuse_no_server(tmp_path: Path) -> None:
    found = find(write(tmp_path, lambda _seed, row: f"\\boxed{{{row}}}"), 1.0)
    assert (found.samples, found.seed_ignored) == (0, False)


def test_temperature_0_and_a_single_seed_have_nothing_to_report(tmp_path: Path) -> None:
    paths = write(tmp_path, lambda _seed, row: "same " * 30)
    assert find(paths, 0.0).groups == {}
    assert find(paths[:1], 1.0).groups == {}
    assert find(paths, None).seed_ignored


def test_empty_generations_are_not_duplicates_but_equal_thoughts_are(tmp_path: Path) -> None:
    assert find(write(tmp_path, lambda _seed, _row: ""), 1.0).samples == 0
    for seed in (42, 43):
        line = {"id": "b-0", "generation": "", "reasoning_content": "the same thought, word for word, " * 3}
        (tmp_path / f"output-rs{seed}.jsonl").write_text(json.dumps(line) + "\n")
    assert find([tmp_path / "output-rs42.jsonl", tmp_path / "output-rs43.jsonl"], 1.0).samples == 1
