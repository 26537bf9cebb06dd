"""Searching from the end of a text: always what a scan of the whole text finds, or not done at all."""

import json
import re

import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from seedbed.records.lazy_json import Text
from seedbed.scoring.answers import Found, Sample
from seedbed.scoring.definition import Definition, PatternStage, find_definition, read_definition
from seedbed.scoring.extraction import options
from seedbed.scoring.extraction.candidates import Asked
from seedbed.scoring.extraction.languages import LANGUAGES, matches_from_end, needles_of, noun_pattern
from seedbed.scoring.extraction.marks import NOUN_REACH, stages_of
from seedbed.scoring.extraction.search import pick
from seedbed.scoring.pattern_search import last_match, reach_of
from seedbed.scoring.staged import Staged, load_scorer

PIECES = st.sampled_from([
    "answer is ", "Answer: ", "**Answer** ", "final answer ", r"\boxed{", "}", "42", "-7", "1,234", " ",
    "\n", "a", "aXa", "X",
    "</think>", "<think>", "Question: ", "the ", "not ", "but ", "(B)", "C", r"\frac{3}{4}", "so m+n = 7. ",
    "答案是", "\u3002",
    "\U0001f600", "words that say nothing at all, again and again. " * 3, "####", "$", "<answer>",
    "</answer>", "Note: ", "or 5",
])  # fmt: skip
NOUNS = st.sampled_from([
    "final", "Final Answer", "correct option", "best\nchoice", "ANS.", "résultat final", "réponse",
    "respuesta", "opción correcta", "resposta certa", "risposta", "Endergebnis", "endgültige Antwort",
    "Lösung", "окончательный ответ", "Ответом", "最终的答案", "答", "答え", "最終答え", "こたえ", "정답",
    "최종 답", "Option B is correct", "(C) ist richtig", "A is", "would be the best", "选项B正确",
    "D 选项是对的", "选項(A)是正確", "B가 정답", "x", "1", "_",
])  # fmt: skip
TEXTS = st.lists(PIECES, max_size=80).map("".join)
PATTERNS = [
    read_definition(find_definition("seed-compat")).stages[0].pattern,  # type: ignore[union-attr]
    r"aXa",
    r"answer[^0-9]{0,30}(\d+)",
    r"(?<=is )\d+",
    r"\bC\b",
    r"(?:a|aX)+a?",
    r"[a-z]+ (\d+)",
    r"(\d)\d*\1",
    r"(?s)answer.*",
    r"$",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=60, deadline=None)
@given(text=TEXTS, escaped=st.booleans())
@example(text="x" * 50 + "aXaXaXaXaXa", escaped=True)
@example(text="a" + "X" * 80 + "a", escaped=True)
def test_a_windowed_search_equals_a_full_scan(pattern: str, text: str, escaped: bool) -> None:
    compiled = regex.compile(pattern)
    matches = list(compiled.finditer(text))
    found = last_match(Text(json.dumps(text, ensure_ascii=escaped).encode(), "here"), compiled, 5.0, (8, 32, 128))
    assert (found is None) == (not matches)
    if found is not None:
        start, end = found.match.span()
        assert (start - found.from_end + len(text), end - found.from_end + len(text)) == matches[-1].span()


def test_patterns_whose_reach_is_unknown_run_in_full() -> None:
    assert reach_of(r"(\d)\d*\1") is None
    assert reach_of(r"\p{Nd}+") is None
    assert reach_of(r"$") is None
    assert reach_of(PATTERNS[0]) is not None


@pytest.mark.parametrize("name", ["strict", "seed-compat", "regex"])
@pytest.mark.parametrize("answer_type", ["integer", "math", "choice"])
@settings(max_examples=60, deadline=None)
@given(text=TEXTS, escaped=st.booleans(), truncated=st.booleans())
def test_shipped_scorers_find_the_same_in_a_long_text_as_in_a_decoded_one(
    name: str, answer_type: str, text: str, escaped: bool, truncated: bool
) -> None:
    text = "We count the pairs once more. " * 300 + text
    scorer = load_scorer(name)
    lazy = scorer.extract(Sample(Text(json.dumps(text, ensure_ascii=escaped).encode(), "here"), answer_type, truncated))
    read = scorer.extract(Sample(Text.of(text), answer_type, truncated))
    assert (lazy.value, lazy.state, lazy.stage, lazy.flags) == (read.value, read.state, read.stage, read.flags)
    assert sliced(lazy, text) == sliced(read, text)


def sliced(found: Found, text: str) -> str | None:
    """Return what the span of an answer says in its text."""
    return None if found.span is None else text[slice(*found.span)]


@pytest.mark.parametrize("answer_type", ["integer", "math", "choice"])
@settings(max_examples=60, deadline=None)
@given(before=TEXTS, after=TEXTS, filling=st.integers(0, 400))
def test_a_long_final_part_gives_the_same_from_its_end(answer_type: str, before: str, after: str, filling: int) -> None:
    text = before + "We count the pairs once more. " * filling + after
    asked, stages = Asked(answer_type, "ABCD"), stages_of(read_definition(find_definition("regex")).stages)
    assert pick(text, asked, stages, None, (5200, 7000)) == pick(text, asked, stages, None, ())


def test_a_quadratic_pattern_is_a_timeout_and_no_missing_answer() -> None:
    scorer = Staged("slow", Definition((PatternStage(r"answer[^0-9]*(\d+)"),), part="whole", timeout=0.3))
    found = scorer.extract(Sample(Text.of("answer " * 200_000)))
    assert (found.state, found.value) == ("timeout", None)


@settings(max_examples=200, deadline=None)
@given(text=st.lists(st.one_of(PIECES, NOUNS), max_size=60).map("".join))
@example(text="An\u017fwer ANS. ansatz answers final\n\n answer")
def test_nouns_and_named_options_are_those_of_the_plain_patterns(text: str) -> None:
    names = tuple(LANGUAGES)
    plain_nouns = re.compile(
        "|".join(rf"(?P<{name}_{strength}>{noun})" for name, strength, noun in nouns_of(names)), re.I
    )
    nouns = noun_pattern(names)
    found = [(match.lastgroup, match.span()) for match in nouns.finditer(text)]
    assert found == [(match.lastgroup, match.span()) for match in plain_nouns.finditer(text)]
    near = matches_from_end(nouns, text, 0, len(text), needles_of(names), NOUN_REACH)
    assert [match.span() for match in near][::-1] == [span for _, span in found]
    searched = matches_from_end(options._VERDICT, text, 0, len(text), options._VERDICT_NEEDLES)
    assert [match.span() for match in searched][::-1] == [match.span() for match in options._VERDICT.finditer(text)]


def nouns_of(names: tuple[str, ...]) -> list[tuple[str, int, str]]:
    """Return (language, strength, pattern) of every noun, guarded one by one."""
    found = []
    for strength in (1, 0):
        for name in names:
            words = LANGUAGES[name]
            noun = words.final if strength else words.noun
            letter = r"A-Za-z\u00c0-\u024f\u0400-\u04ff"
            guarded = rf"(?<![{letter}])(?:{noun})(?![{letter}0-9])" if words.spaced else f"(?:{noun})"
            found.append((name, strength, guarded))
    return found
