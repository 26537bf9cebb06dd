"""Marked values, and the marks that hold a value and nothing else: elements, hashes, a line of its own."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from seedbed.scoring.extraction.backwards import matches_from_end
from seedbed.scoring.extraction.label_values import Asked, read_value
from seedbed.scoring.extraction.readings import Reading
from seedbed.scoring.extraction.sentences import read_sentence

MOST = 400  # labels looked at from the end
_ELEMENT = (
    r"<\s*(?P<name>{names})\s*>(?P<content>(?:(?!<\s*/?\s*(?:{names})\b).){{0,2000}}?)(?:<\s*/\s*(?P=name)\s*>|\Z)"
)
_FURTHER = re.compile(r"[.)]\s+\S|\d{3}|(?:\w+\s+){4}")  # a heading or a sentence goes on behind its number
_GOES_ON = re.compile(r"\n|[.!?]\s+\S")  # more than one sentence
_HASHES = re.compile(r"^[ \t]*####(?!#)[ \t]*(?=[^\n]*\d|[^\n]*[A-Za-z])", re.MULTILINE)


class Marked(NamedTuple):
    """A marked value: its stage, whether its label is strong, whether it is a mere aside."""

    reading: Reading
    stage: str
    strong: bool
    aside: bool
    start: int


def elements(text: str, start: int, asked: Asked, names: tuple[str, ...]) -> Iterator[Marked]:
    """Yield the elements like <answer>…</answer> that hold nothing but a value, from the last to the first."""
    opening, whole = _element_patterns(names)
    for number, match in enumerate(matches_from_end(opening, text, start, len(text))):
        if number >= MOST:
            return
        element = whole.match(text, match.start())
        if element is None:
            continue
        content, offset = element["content"], element.start("content")
        choice = asked.answer_type == "choice"  # the option's own text may follow its letter
        reading = read_value(content, 0, asked) if choice else read_whole(content, asked)
        strong = reading is not None
        if reading is None and element[0].endswith(">") and not _GOES_ON.search(content.strip()):
            reading = read_sentence(content, len(content) - len(content.lstrip()), asked)
        if reading is not None:
            shifted = reading._replace(start=reading.start + offset, end=reading.end + offset)
            yield Marked(shifted, "element", strong, False, match.start())


@functools.lru_cache(maxsize=32)
def _element_patterns(names: tuple[str, ...]) -> "tuple[re.Pattern[str], re.Pattern[str]]":
    """Return the patterns of the opening tag and of the whole of elements with these names."""
    either = "|".join(map(re.escape, names))
    opening = re.compile(rf"<\s*(?:{either})\s*>", re.IGNORECASE)
    return opening, re.compile(_ELEMENT.format(names=either), re.IGNORECASE | re.DOTALL)


def hashes(text: str, start: int, asked: Asked) -> Iterator[Marked]:
    """Yield the lines "#### 42", from the last to the first; a heading with words behind its number is none."""
    if text.find("####", start) < 0:
        return
    for number, match in enumerate(matches_from_end(_HASHES, text, start, len(text))):
        if number >= MOST:
            return
        stop = text.find("\n", match.end())
        reading = read_whole(text[match.end() : stop if stop >= 0 else len(text)], asked)
        if reading is not None:
            shifted = reading._replace(start=reading.start + match.end(), end=reading.end + match.end())
            yield Marked(shifted, "hashes", True, False, match.start())


def read_whole(content: str, asked: Asked) -> Reading | None:
    """Return a value that is all there is in a stretch, or None."""
    if not content.strip() or len(content) > 400:
        return None
    reading = read_value(content, 0, asked)
    if reading is None or (reading.value is not None and not reading.clean):
        return None
    if (
        re.search(r"[A-Za-z]{2,}", content[: reading.start].replace("\\text", "").replace("\\boxed", ""))
        and reading.value
    ):
        return None
    rest = content[reading.end :].strip()
    return None if "\n" in rest or (reading.value is not None and _FURTHER.search(rest)) else reading


def read_option(content: str, asked: Asked) -> Reading | None:
    """Return an option that is all there is on the only line of a text, its own words behind it or not, or None."""
    line = content.strip()
    if "\n" in line or len(line) > 200:
        return None
    reading = read_value(content, 0, asked)
    return reading if reading is not None and reading.value is not None and reading.clean else None
