"""Where an answer may be: the final part, cut where another problem or turn starts; else the end of the thought."""

import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from seedbed.scoring.answers import FINAL, REASONING, Sample

_WORDS = r"(?i:think|thinking|thought|thoughts|reasoning|reason|seed:think|cot_budget_reflect)"
_TAG = re.compile(
    rf"(?P<open><[|\uff5c]?{_WORDS}[|\uff5c]?>|<\|begin_of_thought\|>|\[(?i:think)\]|\u25c1think\u25b7"
    r"|<\|channel\|>\s*(?:analysis|commentary))"
    rf"|<[|\uff5c]?\\?/\s?{_WORDS}\s?[|\uff5c]?>|<\|end_of_thought\|>|\[/(?i:think)\]|\u25c1/think\u25b7"
    r"|<\|channel\|>\s*final(?:<\|message\|>)?"
)
_FIRST = ("<", "[", "\u25c1")  # every tag begins with one of these; a single character is found fast
_LONGEST_TAG = 64  # characters; no tag is longer
_WINDOWS = (1 << 11, 1 << 14, 1 << 17)  # bytes of JSON from the end, tried in turn before the whole text
_MENTIONED = re.compile(
    r"(?:[`\"'\u201c\u2018]|\b(?:a|an|the|no|any|each|every|this|that|my|your|its|inside|within|between|of|with|without"
    r"|and|or|after|before|use|used|using|write|tags?|markers?|closing|opening|called|named|end|<!--)[ ])$",
    re.IGNORECASE,
)  # before a tag that is only spoken of
_SPOKEN_OF = re.compile(
    r"[`\"'\u201d\u2019]|[ ](?:tags?|blocks?|markers?|tokens?|elements?|sections?|closes?|opens?|ends?|starts?"
    r"|delimit|is|omitted)\b",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"(?:\s|[*_#>-]|<[^<>\n]{0,40}>|\\\]|\\\)|\$)*")  # says nothing
_TELLS = re.compile(r"\d|\\boxed|[(\[][A-J][)\]]|\b[A-J]\b[.*]|(?:answer|option|choice)\b|答|উত্তর|jibu", re.IGNORECASE)
_CONFIRMS = re.compile(
    r"\b(?:verif|check|confirm|both sides)[\s\S]{0,600}\b(?:correct|equal|holds|matches|works)\b", re.IGNORECASE
)
_NEXT_TURN = re.compile(
    r"<\|im_(?:start|end)\|>|<\|(?:start_header_id|eot_id|endoftext|user|assistant|end|eom_id|return)\|>"
    r"|<[|\uff5c](?:User|Assistant|end\u2581of\u2581sentence)[|\uff5c]>|<(?:start|end)_of_turn>|<\\?/s>|\[/?INST\]"
)
_NEXT_PROBLEM = re.compile(
    r"[ \t>#*_]*(?:(?:(?:next|new|another|following)\s+)?(?:question|problem|exercise|q)(?:\s*(?:\d+"
    r"|\(\d+\)))?[*_ \t]*[:.\uff1a]"
    r"|example\s+\d+[*_ \t]*[:.\uff1a]|(?:instructions?|input)[*_ \t]*[:\uff1a]|(?-i:Human|HUMAN|User"
    r"|USER)[*_ \t]*:(?=\s)"
    r"|(?:问题|問題|题目|題目|例题|Frage|Aufgabe|Pregunta|Pergunta|Domanda|Problème|Вопрос|Задача|문제|질문|প্রশ্ন|Swali)"
    r"[ \t]*\d*[*_ \t]*[:\uff1a]"
    r"|now,?\s+(?:let's|let us|combining|considering|summari[sz]ing|putting|to sum up)[^\n]{0,60}"
    r"(?:answers|questions|results|答案|问题))"
    r"|[ \t]*(?:#+|\*\*)[ \t]*(?:(?:next|new|another)\s+)?(?:question|problem|exercise"
    r"|instructions?)(?:\s+\d+)?[*_ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_LINE = re.compile(
    r"\n[ \t>#*_]{0,24}(?=[qpeihunfadsQPEIHUNFADS\u0412\u0432\u0417\u0437问問题題例문질প])"
)  # what such a line may begin with
_TURN_BEGINS = ("<|", "<\uff5c", "_of_turn>", "/s>", "INST]")
_MOST = 200  # lines that may start another problem


class Part(NamedTuple):
    """A stretch of a generation: its text, where it begins counted from the end, its name, whether it may be cut."""

    text: str
    from_end: int
    name: str
    cut: bool


class Split(NamedTuple):
    """Where the final part of a text is, and its thought; None where there is none."""

    final: tuple[int, int] | None
    thought: tuple[int, int] | None


def final_part(sample: Sample) -> Part | None:
    """Return what follows the thought; None if there is nothing, or if a text is cut before its thought ended."""
    text, split = _read(sample)
    if split.final is None or (sample.truncated and split.thought is None and not sample.separate_reasoning):
        return None
    start, end = split.final
    return Part(text[start:end], len(text) - start, FINAL, sample.truncated and end == len(text))


def first_turn(sample: Sample) -> Part | None:
    """Return the first turn of a text that runs on into others, which is never cut; None if it does not run on."""
    text = sample.generation.full()
    begin = len(text) - len(text.lstrip())
    turn = _NEXT_TURN.search(text, begin + 1) if "<" in text else None
    if turn is None or not _says(text, begin, turn.start()):
        return None
    split = _split(text[: turn.start()], True)[0]
    if split.final is not None:
        start, end = split.final
        return Part(text[start:end], len(text) - start, FINAL, False)
    return _last_paragraph(text, split.thought or (begin, turn.start()))


def end_of_thought(sample: Sample) -> Part | None:
    """Return the last paragraph of a thought with nothing behind it; None if the text was cut."""
    if sample.truncated:
        return None
    if sample.reasoning is not None:
        text = sample.reasoning.full()
        return None if _says(sample.generation.full(), 0) else _last_paragraph(text, (0, len(text)))
    text, split = _read(sample)
    if split.thought is None or (split.final is not None and split.final[0] > split.thought[0]):
        return None
    return _last_paragraph(text, split.thought)


def thought(sample: Sample) -> Part | None:
    """Return the thought, for scorers that look back into it; None if there is none."""
    if sample.reasoning is not None:
        text = sample.reasoning.full()
        return Part(text, len(text), REASONING, False)
    text = sample.generation.full()
    span = _split(text, True)[0].thought or ((0, len(text)) if sample.truncated else None)
    if span is None:
        return None
    start, end = span
    return Part(text[start:end], len(text) - start, REASONING, sample.truncated and end == len(text))


def whole_text(sample: Sample) -> Part:
    """Return everything, thought or not."""
    text = sample.generation.full()
    return Part(text, len(text), FINAL, sample.truncated)


def stretches(text: str) -> list[tuple[int, bool]]:
    """Return the ends of the stretches between lines that start another problem, and whether each is the last."""
    ends: set[int] = set()
    if any(begin in text for begin in _TURN_BEGINS):
        ends.update(match.start() for match in islice(_NEXT_TURN.finditer(text), _MOST))
    for begin in _LINE.finditer(text):
        line = begin.start() + 1
        if _NEXT_PROBLEM.match(text, line):
            ends.add(line)
            if len(ends) >= _MOST:
                break
    return [*((end, False) for end in sorted(ends - {0})[:_MOST]), (len(text), True)]


def _read(sample: Sample) -> tuple[str, Split]:
    """Return the end of a generation, as much of it as is needed to find its final part, and its parts."""
    if sample.separate_reasoning:
        text = sample.generation.full()
        return text, Split((0, len(text)), None)
    for window in _WINDOWS:
        text, whole = sample.generation.tail(window)
        split, sure = _split(text, whole)
        if sure:
            return text, split
    text = sample.generation.full()
    return text, _split(text, True)[0]


def _split(text: str, whole: bool) -> tuple[Split, bool]:
    """Return the parts of a text (or of the end of one), and whether more text before it could not change them.

    The last end tag with something behind it separates them. An end tag behind the answer ends nothing, a thought
    behind the answer leaves it the final part, and a tag that is only spoken of is none.
    """
    end = closed = len(text)
    thought: tuple[int, int] | None = None
    for tag in _tags_from_end(text):
        piece = (tag.end(), end)
        if tag["open"] is not None:
            thought = (tag.end(), thought[1] if thought else closed)
        elif _says(text, *piece):
            return Split(piece, thought or (0, tag.start())), True
        elif thought is not None:
            return Split(None, thought), True
        else:
            closed = tag.start()
        end = tag.start()
    if thought is not None:
        return Split((0, end) if _says(text, 0, end) else None, thought), whole
    return Split(None, (0, closed)) if closed < len(text) else Split((0, len(text)), None), whole


def _tags_from_end(text: str) -> Iterator["re.Match[str]"]:
    """Yield the tags of thoughts from the last to the first; only the places that may begin one are tried."""
    places = {mark: text.rfind(mark) for mark in _FIRST}
    while (place := max(places.values())) >= 0:
        match = _TAG.match(text, place, place + _LONGEST_TAG)
        if match and not _is_mentioned(text, match):
            yield match
        mark = text[place]
        places[mark] = text.rfind(mark, 0, place)


def _is_mentioned(text: str, tag: "re.Match[str]") -> bool:
    """Return whether a tag is only spoken of: "I did not use a <think> block"."""
    start, end = tag.span()
    before = text[max(0, start - 12) : start]
    if _MENTIONED.search(before) and not before.endswith("\n"):
        return True
    return _SPOKEN_OF.match(text, end) is not None


def _says(text: str, start: int, end: int | None = None) -> bool:
    """Return whether a stretch holds more than blanks and mark-up."""
    stop = len(text) if end is None else end
    match = _MARKUP.match(text, start, stop)
    return (match.end() if match else start) < stop


def _last_paragraph(text: str, span: tuple[int, int]) -> Part:
    """Return the last paragraph of a stretch that says something; closing words without a number do not count."""
    start, end = span
    for _ in range(4):
        gap = max(start, text.rfind("\n\n", start, end))
        closing = not _says(text, gap, end) or not _TELLS.search(text, gap, end) or _CONFIRMS.search(text, gap, end)
        if gap == start or not closing:
            break
        end = gap
    start, end = max(start, text.rfind("\n\n", start, end) + 1), span[1]
    return Part(text[start:end], len(text) - start, REASONING, False)
