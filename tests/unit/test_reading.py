"""Reading outputs: what is jumped over, what is decoded from its end, and what is refused."""

import gzip
import json
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from seedbed.core.errors import InputError
from seedbed.records.lazy_json import Text, split_fields
from seedbed.records.outputs import (
    Line,
    decode_record,
    open_record,
    option_letters,
    option_words,
    read_lines,
    seed_files,
)

TEXTS = st.text(st.characters(codec="utf-8"), max_size=600) | st.text('\\"nu{}[]: ,\u4e2d\U0001f600', max_size=600)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from(["id", "generation", "serialized_output", "x", "y y"]), VALUES), st.booleans())
def test_fields_found_by_jumping_are_those_that_a_parser_finds(record: dict[str, object], escaped: bool) -> None:
    line = json.dumps(record, ensure_ascii=escaped).encode()
    fields = split_fields(b"xx" + line + b"\n", 2, 2 + len(line))
    if fields is None:
        return
    rest = {key: value for key, value in record.items() if key not in ("generation", "serialized_output")}
    assert json.loads(fields.short) == rest
    assert (fields.generation is None) == ("generation" not in record)
    if fields.generation is not None:
        assert json.loads((b"xx" + line)[slice(*fields.generation)]) == record["generation"]


@given(TEXTS, st.booleans(), st.integers(1, 400))
def test_a_tail_is_an_end_of_the_text(text: str, escaped: bool, size: int) -> None:
    tail, whole = Text(json.dumps(text * 3, ensure_ascii=escaped).encode(), "here").tail(size)
    assert (text * 3).endswith(tail)
    assert not whole or tail == text * 3


def test_half_a_surrogate_pair_is_kept() -> None:
    assert Text(b'"a\\ud83d"', "here").full() == "a\ud83d"


def test_null_is_an_empty_text_and_a_number_is_refused() -> None:
    assert Text(b"null", "here").full() == ""
    with pytest.raises(InputError, match=r"here: expected a string or null"):
        Text(b"5", "here").full()


def test_a_thought_in_a_field_of_its_own_is_noticed() -> None:
    line = json.dumps({"id": 1, "generation": "x", "reasoning_content": "y"}).encode()
    record, text, thought = open_record(Line(1, line, 0, len(line)), "here")
    assert (record.id, text.full(), thought and thought.full()) == (1, "x", "y")


@pytest.mark.parametrize(
    ("line", "message"),
    [(b'{"id": "a", "gen', "cut or broken line"), (b"[1]", "not a record"), (b'{"id": "\xff"}', "not UTF-8")],
)
def test_a_broken_line_is_refused_with_its_place(line: bytes, message: str) -> None:
    with pytest.raises(InputError, match=rf"f:3: {message}"):
        open_record(Line(3, line, 0, len(line)), "f:3")


def test_compressed_files_are_read_like_plain_ones(tmp_path: Path) -> None:
    content = b'{"id": 1}\n\n{"id": 2}\n'
    (tmp_path / "output-rs1.jsonl").write_bytes(content)
    (tmp_path / "output-rs2.jsonl.gz").write_bytes(gzip.compress(content))
    (tmp_path / "output-rs3.jsonl.zst").write_bytes(zstandard.compress(content))
    found = [list(read_lines(path)) for path in seed_files(tmp_path)]
    assert found == [[(1, b'{"id": 1}'), (3, b'{"id": 2}')]] * 3


def test_a_cut_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "output-rs1.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"id": 1}\n' * 1000)[:-20])
    with pytest.raises(InputError, match="cut or broken compressed file"):
        list(read_lines(path))


def test_seeds_are_sorted_as_the_peer_sorts_them_and_refused_twice(tmp_path: Path) -> None:
    for name in ("output-rs9.jsonl", "output-rs10.jsonl"):
        (tmp_path / name).write_text("{}\n")
    assert [path.name for path in seed_files(tmp_path)] == ["output-rs10.jsonl", "output-rs9.jsonl"]
    (tmp_path / "output-rs9.jsonl.gz").write_bytes(b"")
    with pytest.raises(InputError, match="seed 9 is in"):
        seed_files(tmp_path)


@pytest.mark.parametrize(
    ("row", "letters"),
    [
        ({"A": "x", "B": "y", "C": "z"}, "ABC"),
        ({"options": "ABCDE"}, "ABCDE"),
        ({"options": ["x", "y"]}, "AB"),
        ({"options": "A) x\nB) y"}, "AB"),
        ({"options": {"A": "x", "B": "y"}}, "AB"),
        ({}, ""),
    ],
)
def test_a_row_tells_its_options(row: dict[str, object], letters: str) -> None:
    line = json.dumps(row).encode()
    assert option_letters(line, decode_record(line, "here").options) == letters


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"A": "x", "B": "y z"}, ("x", "y z")),
        ({"options": "AB", "option_texts": ["x", "y"]}, ("x", "y")),
        ({"options": ["x", 5]}, ("x", "5")),
        ({"options": "A) x\n(B) y z"}, ("x", "y z")),
        ({"options": {"B": "y", "A": "x"}}, ("x", "y")),
        ({"options": "ABCDE"}, ()),
        ({}, ()),
    ],
)
def test_a_row_has_the_words_of_its_options(row: dict[str, object], words: tuple[str, ...]) -> None:
    line = json.dumps(row).encode()
    assert option_words(line, decode_record(line, "here").options) == words
