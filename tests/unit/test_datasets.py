import json
import re
from pathlib import Path

import pytest

from seedbed.core.errors import InputError
from seedbed.datasets.prepare import prepare
from seedbed.records.dataset import read_rows, write_rows

GOOD = b'{"id": "a", "problem": "1+1?", "expected_answer": "2"}\n'


def test_rows_keep_their_other_fields_and_numbers_become_text(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 7, "problem": "p", "expected_answer": 12, "options": ["x", "y"]}\n\n')
    assert read_rows(path) == [{"id": "7", "problem": "p", "expected_answer": "12", "options": ["x", "y"]}]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "found no row; expected at least one JSON object a line"),
        (GOOD + b'{"id": "b", "problem": "2?"}\n', "line 2: the field 'expected_answer' is missing"),
        (GOOD + GOOD, "line 2: id 'a' is on line 1 already; expected every id once"),
        (GOOD + b'{"id": "b", "prob', "line 2: not whole JSON"),
        (GOOD + b'{"id": "\xff"}\n', "line 2: byte 8 of the line is not UTF-8"),
        (GOOD + b"[1]\n", "line 2: found list; expected a JSON object"),
        (
            b'{"id": "a", "problem": "", "expected_answer": "2"}\n',
            "line 1: problem is ''; expected some text or an integer",
        ),
        (
            b'{"id": "a", "problem": "p", "expected_answer": null}\n',
            "line 1: expected_answer is None; expected some text or an integer",
        ),
        (
            b'{"id": "a", "problem": "p", "expected_answer": 0.5}\n',
            "line 1: expected_answer is 0.5; expected some text or an integer",
        ),
    ],
)
def test_a_bad_row_is_named_by_file_and_line(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError, match=re.escape(str(path)) + ".*" + re.escape(message)):
        read_rows(path)


def test_written_rows_are_ascii_and_read_back_equal(tmp_path: Path) -> None:
    rows = [{"id": "a", "problem": "√2 ≥ 1?\u2028", "expected_answer": "是"}]
    write_rows(rows, tmp_path / "out" / "test.jsonl")
    assert (tmp_path / "out" / "test.jsonl").read_bytes().isascii()
    assert read_rows(tmp_path / "out" / "test.jsonl") == rows


def test_a_prepared_dataset_records_where_it_came_from(tmp_path: Path) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_bytes(GOOD)
    record = prepare({"name": "mine", "source": {"file": str(source)}}, tmp_path / "test.jsonl")
    assert record["rows"] == 1
    assert record["source"] == {"file": str(source)}
    assert len(record["sha256"]) == len(record["source_sha256"]) == 64


@pytest.mark.parametrize(
    ("pin", "message"),
    [
        ({"rows": 3}, "has 1 rows; expected 3 (source.rows)"),
        ({"sha256": "0" * 64}, f"expected {'0' * 64} (source.sha256)"),
    ],
)
def test_a_source_that_differs_from_its_pin_is_refused(tmp_path: Path, pin: dict[str, object], message: str) -> None:
    source = tmp_path / "rows.jsonl"
    source.write_bytes(GOOD)
    with pytest.raises(InputError, match=re.escape(message)):
        prepare({"name": "mine", "source": {"file": str(source)} | pin}, tmp_path / "test.jsonl")
    assert not (tmp_path / "test.jsonl").exists()


def test_the_shipped_warmup_has_twelve_integer_problems() -> None:
    rows = read_rows(Path(__file__).parents[2] / "config" / "benchmarks" / "warmup.jsonl")
    assert len(rows) == 12
    assert all(int(row["expected_answer"]) >= 0 for row in rows)
    assert json.dumps([row["id"] for row in rows]) == json.dumps([f"warmup-{i}" for i in range(12)])
