"""Everything that marks an answer in words: labels, headings, running text, elements, hashes."""

import re
from collections.abc import Iterator
from itertools import islice

from seedbed.scoring.extraction.backwards import matches_from_end
from seedbed.scoring.extraction.hedges import CONDITION, NEGATION
from seedbed.scoring.extraction.label_values import Asked, read_value
from seedbed.scoring.extraction.languages import COLON, HEAD, LANGUAGES, MARKS, verb_pattern
from seedbed.scoring.extraction.literals import ENGLISH, EUROPEAN
from seedbed.scoring.extraction.marks import MOST, Marked, read_whole
from seedbed.scoring.extraction.nouns import Noun, needles_of, noun_of, noun_pattern
from seedbed.scoring.extraction.readings import Reading
from seedbed.scoring.extraction.sentences import read_sentence

_ASIDE = re.compile(
    r"\s*(?:[(\[]|[*_>]*\s*(?:note|remark|n\.?b\.?|aside|caution|hinweis|nota|remarque|\u6ce8)\b)", re.IGNORECASE
)
_LAST_WORD = re.compile(
    "final|ultimate|endg|schluss|définitiv|definitiv|окончат|итогов|最终|最終|最后|最後|최종", re.IGNORECASE
)
_DASH = re.compile(
    r"(?:\w[*_]{0,3}[ \t]*(?:-{1,2}>|=>|[\u2192\u21d2\u2013\u2014-])|\.)(?=[ \t])"
    r"|\w\.[*_}]{1,3}(?=\s)"
)  # "Answer - 42", "Ans. 42", "**Answer.** 42"
_IS_THE = re.compile(
    r"\s(?:is|was|as|gives|ist|est|es|\u00e8|\u00e9)\s+(?:therefore\s+|thus\s+|then\s+|indeed\s+)?(?:the|our|my|your|die|das|la|le|el"
    r"|il|a|o)\s+(?:(?:final|correct|required|desired|right)\s+)?$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.!?;]\s|,\s")
_CELL = re.compile(r"[*_ \t]*\|")
_BELOW = re.compile(
    r"[ \t]*\n[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*\n[ \t]*\|([^|\n]+)\|[ \t]*(?!\n[ \t]*\|)(?=\n|\Z)"
)  # the only row of a table whose only heading is the label
_HEADING_ENDS = re.compile(r"(?![*_}]{0,3}[ \t]*=)(?:[*_}]{0,3}|</\w{1,6}>)[ \t]*(?:\n|[*_}]+|\]|\Z)|[ \t]*[\d$\\-]")
_ONLY_LINE = re.compile(
    r"[*_}\] \t]{0,6}\n\s{0,20}(?=(?:[^\n.!?]|[.!?](?![ \t]+\S)){1,500}\s{0,100}\Z)"
)  # one sentence, no more
_LINE_ALONE = re.compile(r"[ \t]*\n(?:[=-]{3,}[ \t]*\n)?\s*(?=\S)")
_IFS = {"fr": "si", "es": "si", "it": "se", "pt": "se"}
_WORDY = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2}|(?:[A-Za-z]{2,}\s+){3}")  # words, where a value was read
_UNREAL = re.compile(r"would|could|might", re.IGNORECASE)
_IF_BEHIND = re.compile(r"[^.\n]{0,40}?\bif\b", re.IGNORECASE)
_TURNED = re.compile(r"\b(?:ist|lautet|beträgt)\s+(?:die|das|unsere?)\s+(?:\w+e\s+)?$")  # "somit ist die Antwort 42"


def labelled(text: str, start: int, asked: Asked, languages: tuple[str, ...]) -> Iterator[Marked]:
    """Yield what labels and running text mark from the last to the first, in the part of a plain text from `start`."""
    nouns = matches_from_end(noun_pattern(languages), text, start, len(text), needles_of(languages))
    for match in islice(nouns, MOST):
        found = _marked(text, match, asked)
        if found is not None:
            yield found


def _marked(text: str, match: "re.Match[str]", asked: Asked) -> Marked | None:
    """Return what one noun marks, or None if it is just a word."""
    noun = noun_of(match)
    line = text.rfind("\n", 0, noun.start) + 1
    head = HEAD.match(text, line, noun.start)
    leading = head is not None and head.end() == noun.start
    decorated = leading and re.search(r"#|\*\*|__|\\|\[|<", text[line : noun.start]) is not None
    marks = MARKS.match(text, noun.end)
    after = marks.end() if marks else noun.end
    notation = EUROPEAN if LANGUAGES[noun.language].european else ENGLISH
    if asked.answer_type == "decimal":
        notation = notation._replace(comma_decimals=True)
    asked = asked._replace(notation=notation)
    colon = COLON.match(text, after) or (_DASH.match(text, noun.end - 1) if leading else None)
    if colon:
        reading = read_value(text, colon.end(), asked)
        stage, strong = "label", noun.final or leading
        if (strong and reading is None) or (reading is not None and _WORDY.search(reading.value or "")):
            sentence = read_sentence(text, colon.end(), asked)
            if sentence is not None:
                reading, stage, strong = sentence, "sentence", False
    elif leading and (cell := _CELL.match(text, after)) and text[line : noun.start].lstrip().startswith("|"):
        reading = _in_cell(text, cell.end(), asked)
        stage, strong = "label", True
    elif leading and (underline := _LINE_ALONE.match(text, noun.end)):
        reading = read_value(text, underline.end(), asked)
        stage, strong = "heading", True
    elif decorated and _HEADING_ENDS.match(text, noun.end, noun.end + 12):
        after = noun.end + text.startswith("]", noun.end)
        reading = read_value(text, after, asked)
        stage, strong = "heading", True
    else:
        verb = verb_pattern(noun.language).match(text, noun.end)
        if verb is None and (before := _before(text, line, noun, asked)) is not None:
            return before
        if verb is None:
            turned = noun.language == "ru" or _TURNED.search(text, max(line, noun.start - 60), noun.start)
            return _directly(text, noun.end, asked, noun.start) if turned else None
        negated = NEGATION.search(verb["verb"]) is not None
        if (
            not negated
            and verb["verb"].lower() in {"is", "was"}
            and re.match(r"\s+\*{0,2}not\b", text[verb.end() : verb.end() + 8], re.IGNORECASE)
        ):
            negated = True
        reading = read_value(text, verb.end(), asked, negated)
        stage, strong = "phrase", noun.final and _LAST_WORD.search(match[0]) is not None
        if reading is not None and _conditional(_sentence(text, line, noun.start, verb.end()), noun.language):
            return None
        if reading is not None and _UNREAL.search(verb["verb"]) and _IF_BEHIND.match(text, reading.end):
            return None
    if reading is None and stage == "heading" and (only := _ONLY_LINE.match(text, noun.end)):
        reading, stage, strong = read_sentence(text, only.end(), asked), "sentence", False
    if reading is None:
        return None
    return Marked(
        reading,
        stage,
        strong,
        _ASIDE.match(text, line, noun.start) is not None or _in_brackets(text, line, noun.start),
        noun.start,
    )


def _before(text: str, line: int, noun: Noun, asked: Asked) -> Marked | None:
    """Return the value before its noun, as in "42 is the answer", or None."""
    begin = max(line, noun.start - 80)
    verb = _IS_THE.search(text, begin, noun.start)
    if verb is None or asked.answer_type == "choice":
        return None
    sentence = _CLAUSES.split(text[begin : verb.start()])[-1]
    if _conditional(sentence, noun.language) or NEGATION.search(sentence) or text[noun.end : noun.end + 1] == "?":
        return None
    begin = verb.start() - len(sentence)
    for word in re.finditer(r"\S+", sentence):
        reading = read_whole(sentence[word.start() :], asked)
        if reading is not None and reading.value is not None and re.search(r"\d|\\", reading.value):
            shifted = reading._replace(
                start=begin + word.start() + reading.start, end=begin + word.start() + reading.end
            )
            return Marked(shifted, "phrase", False, False, begin + word.start())
    return None


def _in_cell(text: str, start: int, asked: Asked) -> Reading | None:
    """Return the value of a table's row whose only other cell begins at `start`."""
    stop = re.compile(r"\||\n|\Z").search(text, start)
    end = stop.start() if stop else len(text)
    below = _BELOW.match(text, start)
    if below:
        start, end = below.span(1)
    if re.match(r"\|[ \t]*[^\s|]", text[end : end + 20]):
        return None
    reading = read_whole(text[start:end], asked)
    return None if reading is None else reading._replace(start=start + reading.start, end=start + reading.end)


def _directly(text: str, after: int, asked: Asked, start: int) -> Marked | None:
    """Return a value that follows its noun with nothing between, as Russian and German may write."""
    if not re.match(r"\s+[*$\\(\d-]", text[after : after + 4]):
        return None
    reading = read_value(text, after, asked)
    return None if reading is None else Marked(reading, "phrase", False, False, start)


def _conditional(sentence: str, language: str) -> bool:
    """Return whether a sentence only says what would be the answer; "si" and "se" are ifs in some languages only."""
    word = _IFS.get(language)
    return CONDITION.search(sentence) is not None or (word is not None and word in sentence.lower().split())


def _sentence(text: str, line: int, start: int, end: int) -> str:
    """Return the part of the sentence before and in a phrase."""
    before = text[max(line, start - 80) : end]
    return re.split(r"[.!?;:]\s", before)[-1]


def _in_brackets(text: str, line: int, start: int) -> bool:
    """Return whether a bracket is open where the label begins."""
    before = text[max(line, start - 200) : start]
    return before.count("(") - before.count("\\(") > before.count(")") - before.count("\\)")
