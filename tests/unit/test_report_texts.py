"""The files beside the report: whatever a model says stays data."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from seedbed.records.outputs import seal
from seedbed.report import texts as maths
from seedbed.report.page import read_call, shortened
from seedbed.report.texts import CHUNK, Facts, block, call, facts_of, final_at, write_problems

IDS = ["p-0", "p-1", "p-2"]
HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "line\u2028and\u2029paragraph",
    "half a pair \ud800 and another \udfff",
    "\x00\x07\x1b[31m\x1b]0;title\x07",
    "\u202eright to left",
    "]]>{{scripts}}`${alert(1)}`\\u003c\\\\<",
    '"__proto__":{"x":1},"constructor"',
    "x" * 1_600_000,
]


def record(identity: str, text: str, **changes: Any) -> dict[str, Any]:
    """Return a record of seed 42."""
    return {
        "id": identity,
        "problem": f"What is {identity}?",
        "expected_answer": "12",
        "generation": text,
        "num_generated_tokens": 7,
        "finish_reason": "stop",
        "generation_start_time": 1.0,
        "generation_end_time": 3.5,
        "serialized_output": [{"role": "assistant", "content": text}],
        "seedbed": {"status": "ok", "seed": 42},
    } | changes


def written(folder: Path, *records: dict[str, Any], **options: Any) -> tuple[Facts, list[dict[str, Any]]]:
    """Write records as an output and return its facts and the texts beside the report, all of them read back."""
    output = folder / "results/m/eval-results/b/output-rs42.jsonl"
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text("".join(json.dumps(one) + "\n" for one in records))
    beside = folder / "results/report-data/m/b"
    facts = facts_of(output, "trace", IDS, beside, options.get("private", False))
    texts: list[dict[str, Any]] = []
    for first, name in facts.chunks:
        raw = (beside / name).read_bytes()
        assert raw.isascii()
        assert b"<" not in raw
        called, named, content = read_call(raw.decode())
        assert (called, named, first) == ("seedbedTexts", f"m/b/{name.removesuffix('.js')}", len(texts))
        texts += content
    return facts, texts


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_texts_are_ascii_that_ends_no_script_and_read_back_as_they_were(tmp_path: Path, text: str) -> None:
    facts, texts = written(tmp_path, record("p-0", text), record("p-1", "fine", reasoning_content=text))
    assert texts[0]["text"] == text
    assert (texts[1]["text"], texts[1]["reasoning"]) == ("fine", text)
    assert texts[2] is None
    assert facts.tokens == [7, 7, None]
    assert facts.finish == ["stop", "stop", None]


@given(st.text(st.characters(), max_size=60))
def test_any_text_survives_a_block(text: str) -> None:
    made = block({"text": text, "number": 1.5})
    assert made.isascii()
    assert "<" not in made
    assert json.loads(made) == {"text": text, "number": 1.5}


def test_numbers_that_json_cannot_say_are_null() -> None:
    assert block({"a": float("nan"), "b": [float("inf"), 2.0]}) == '{"a":null,"b":[null,2.0]}'


def test_an_id_that_is_a_word_of_javascript_stays_a_key() -> None:
    content = {"__proto__": {"text": 'say "__proto__": yes'}}
    made = call("seedbedProblems", "b", block(content))
    assert made.startswith('seedbedProblems("b",{["__proto__"]:{')
    assert read_call(made) == ("seedbedProblems", "b", content)


def test_texts_that_are_not_ascii_in_the_output_are_written_anew(tmp_path: Path) -> None:
    output = tmp_path / "results/m/eval-results/b/output-rs42.jsonl"
    output.parent.mkdir(parents=True)
    output.write_text(json.dumps(record("p-0", "数 🧮 \u2028 < é"), ensure_ascii=False) + "\n", encoding="utf-8")
    beside = tmp_path / "results/report-data/m/b"
    facts = facts_of(output, "trace", IDS, beside, private=False)
    _, _, texts = read_call((beside / facts.chunks[0][1]).read_text(encoding="ascii"))
    assert texts[0]["text"] == "数 🧮 \u2028 < é"


def test_compressed_outputs_are_read_too(tmp_path: Path) -> None:
    output = tmp_path / "results/m/eval-results/b/output-rs42.jsonl.gz"
    output.parent.mkdir(parents=True)
    output.write_bytes(gzip.compress((json.dumps(record("p-0", "So \\boxed{12}.")) + "\n").encode()))
    facts = facts_of(output, "trace", IDS, tmp_path / "beside/m/b", private=False)
    assert (facts.tokens, facts.chunks) == ([7, None, None], [(0, "rs42-0.js")])


def test_long_texts_stand_alone_in_files_of_their_own_and_in_the_order_of_the_problems(tmp_path: Path) -> None:
    long = "y" * (CHUNK + 1)
    facts, texts = written(tmp_path, record("p-2", "short"), record("p-0", long), record("p-1", "z" * 100))
    assert facts.chunks == [(0, "rs42-0.js"), (1, "rs42-1.js")]
    assert [text["id"] for text in texts] == IDS
    assert [len(text["text"]) for text in texts] == [CHUNK + 1, 100, 5]


def test_texts_are_written_once_for_an_output_and_again_for_another(tmp_path: Path) -> None:
    records = [record(identity, "So \\boxed{12}.") for identity in IDS]
    written(tmp_path, *records)
    output = tmp_path / "results/m/eval-results/b/output-rs42.jsonl"
    seal(output)
    beside = tmp_path / "results/report-data/m/b"
    facts_of(output, "trace", IDS, beside, private=False)
    chunk = beside / "rs42-0.js"
    chunk.write_text(untouched := 'seedbedTexts("m/b/rs42-0",[])\n')
    facts = facts_of(output, "trace", IDS, beside, private=False)
    assert chunk.read_text() == untouched
    assert facts.tokens == [7, 7, 7]
    for trace, ids in (("another", IDS), ("trace", IDS[:2])):
        facts_of(output, trace, ids, beside, private=False)
        assert chunk.read_text() != untouched
        chunk.write_text(untouched)
        facts_of(output, "trace", IDS, beside, private=False)
        chunk.write_text(untouched)
    chunk.unlink()
    facts_of(output, "trace", IDS, beside, private=False)
    assert "boxed" in chunk.read_text()


def test_a_private_benchmark_leaves_no_text_behind(tmp_path: Path) -> None:
    facts, texts = written(tmp_path, record("p-0", "SECRET WORDING is 12"), private=True)
    assert texts == []
    assert facts.in_text == [True, False, False]
    left = {path.name for path in (tmp_path / "results/report-data/m/b").iterdir()}
    assert left == {"rs42.json"}
    assert "SECRET" not in (tmp_path / "results/report-data/m/b/rs42.json").read_text()


@pytest.mark.parametrize(
    ("text", "separate", "place"),
    [
        ("<think>a</think>\n\nb", False, 17 - 1),
        ("a</think>b</think>c", False, 18),
        ("<think>never ends", False, 17),
        ("  <think>never ends", False, 19),
        ("no thought at all", False, 0),
        ("<think> is said", True, 0),
        ("", False, 0),
    ],
)
def test_the_final_part_begins_after_the_last_thought(text: str, separate: bool, place: int) -> None:
    assert final_at(text, separate) == place


@pytest.mark.parametrize(
    ("text", "answer", "stands"),
    [
        ("<think>12</think>it is 12.", "12", True),
        ("<think>12</think>it is 13", "12", False),
        ("<think>perhaps 12, or", "12", True),
        ("it is 112 or 12.5 or 3.12 or 1,12 or x12", "12", False),
        ("12", "12", True),
        ("the option C", "C", False),
        ("so x is 7", "7", True),
        ("so \\frac{1}{2} it is", "\\frac{1}{2}", True),
        ("nothing", "", False),
    ],
)
def test_whether_the_expected_answer_stands_in_what_may_hold_it(
    tmp_path: Path, text: str, answer: str, stands: bool
) -> None:
    facts, _ = written(tmp_path, record("p-0", text, expected_answer=answer))
    assert facts.in_text == [stands, False, False]


def test_equal_texts_bear_equal_marks_and_short_ones_none(tmp_path: Path) -> None:
    facts, _ = written(tmp_path, record("p-0", "s" * 39), record("p-1", "l" * 50), record("p-2", "l" * 50))
    assert facts.mark[0] == ""
    assert facts.mark[1] == facts.mark[2] != ""


def test_formulas_are_found_where_they_stand_also_after_an_emoji() -> None:
    text = "🧮 Since $x^2 < 4$ and\n\\[ \\frac{1}{2} \\] or \\(y\\) and $$z$$."
    found = maths.formulas(text)
    assert [text[start:end] for start, end, _ in found] == ["$x^2 < 4$", "\\[ \\frac{1}{2} \\]", "\\(y\\)", "$$z$$"]
    assert all(mathml.startswith("<math") and mathml.endswith("</math>") for _, _, mathml in found)
    assert 'display="block"' in found[1][2]
    assert 'display="block"' not in found[2][2]


@pytest.mark.parametrize(
    "text",
    [
        "it costs $5 and $6",
        "from $ 3 to 4 $",
        "a \\$5 note and a \\$6 one",
        "$x",
        "$$ $$",
        "$\\unknowncommand{x}$",
        "$\\frac{1}{$",
        "$a\nb$",
        "\\\\[2pt] and \\\\]",
        "",
    ],
)
def test_what_is_no_formula_stays_text(text: str) -> None:
    assert maths.formulas(text) == []


def test_only_the_end_of_a_text_is_looked_at_and_only_after_the_reasoning() -> None:
    text = "$a$" + " " * maths.TAIL + "$b$"
    assert [text[start:end] for start, end, _ in maths.formulas(text)] == ["$b$"]
    assert [start for start, _, _ in maths.formulas("$a$ $b$", 3)] == [4]
    assert maths.formulas("$a$ " * 3_000)[-1][0] < 4 * 2_000
    assert len(maths.formulas("$a$ " * 3_000)) == maths.MOST


def test_scripts_and_links_in_a_formula_stay_text_or_no_formula() -> None:
    ((_, _, mathml),) = maths.formulas("$\\text{<script>alert(1)</script>}$")
    assert "<script" not in mathml
    assert maths.formulas("$\\href{javascript:alert(1)}{x}$") == []


def test_random_texts_are_never_an_error() -> None:
    chooser = random.Random(5)
    pieces = [
        "$",
        "\\",
        "{",
        "}",
        "^",
        "_",
        "&",
        "\\frac",
        "\\begin{matrix}",
        "x",
        " ",
        "\n",
        "\ud800",
        "\\left(",
        "#1",
    ]
    for _ in range(300):
        text = "$" + "".join(chooser.choices(pieces, k=chooser.randint(1, 40))) + "$"
        assert isinstance(maths.formulas(text), list)


def test_problems_are_written_once_a_dataset(tmp_path: Path) -> None:
    dataset = tmp_path / "test.jsonl"
    dataset.write_text(json.dumps({"id": "p-0", "problem": "Is $x<3$? </script>", "expected_answer": "12"}) + "\n")
    out = write_problems("b", dataset, tmp_path / "report-data/b")
    assert out is not None
    called, name, content = read_call(out.read_text(encoding="ascii"))
    assert (called, name) == ("seedbedProblems", "b")
    assert content["p-0"]["expected"] == "12"
    assert content["p-0"]["maths"][0][:2] == [3, 8]
    out.write_text("as it was\n")
    write_problems("b", dataset, tmp_path / "report-data/b")
    assert out.read_text() == "as it was\n"
    dataset.write_text(json.dumps({"id": "p-0", "problem": "Another", "expected_answer": "12"}) + "\n")
    write_problems("b", dataset, tmp_path / "report-data/b")
    assert "Another" in out.read_text()
    assert write_problems("b", tmp_path / "none.jsonl", tmp_path / "report-data/b") is None


def test_a_shortened_text_tells_where_how_much_is_left_out_and_keeps_its_end() -> None:
    whole: dict[str, Any] = {
        "text": "".join(map(str, range(1000))),
        "reasoning": "r" * 1000,
        "maths": [[0, 2, "m"], [500, 502, "m"]],
    }
    whole["maths"].append([len(whole["text"]) - 3, len(whole["text"]), "m"])
    short = shortened(whole, 400)
    assert (len(short["text"]), short["cut_at"], short["cut"]) == (400, 100, len(whole["text"]) - 400)
    assert whole["text"].startswith(short["text"][:100])
    assert whole["text"].endswith(short["text"][100:])
    assert [one[0] for one in short["maths"]] == [0, len(whole["text"]) - 3]
    assert (len(short["reasoning"]), short["reasoning_cut"], short["reasoning_cut_at"]) == (400, 600, 200)
    assert shortened(whole, 10_000) == whole


def test_no_control_character_stands_in_a_file(tmp_path: Path) -> None:
    written(tmp_path, record("p-0", "".join(map(chr, range(32))) + "\x7f"))
    for path in (tmp_path / "results/report-data/m/b").iterdir():
        assert re.search(rb"[\x00-\x09\x0b-\x1f]", path.read_bytes()) is None
