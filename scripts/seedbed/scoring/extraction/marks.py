"""Everything that marks an answer: boxes, elements, "####", labels, headings, sentences, options, a bare last line."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from seedbed.scoring.definition import BareStage, BoxStage, ElementStage, HashStage, LabelStage, PhraseStage, Stage
from seedbed.scoring.extraction.candidates import MARKED, STATED, Asked, Candidate, Reading, refused
from seedbed.scoring.extraction.languages import (
    COLON,
    CONDITION,
    HEAD,
    LANGUAGES,
    MARKS,
    NEGATION,
    UNKNOWN,
    Noun,
    matches_from_end,
    needles_of,
    noun_of,
    noun_pattern,
    verb_pattern,
)
from seedbed.scoring.extraction.latex import boxes_from_end
from seedbed.scoring.extraction.numbers import ENGLISH, EUROPEAN
from seedbed.scoring.extraction.options import named_options
from seedbed.scoring.extraction.sentences import DIGITS, is_formula, read_sentence, read_whole
from seedbed.scoring.extraction.values import SENTENCE, is_balanced, is_placeholder, read_box, read_value

NOUN_REACH = 40  # characters; no noun is longer


class Stages(NamedTuple):
    """The stages of a scorer, each as it is defined, None where the scorer does without."""

    box: BoxStage | None = None
    label: LabelStage | None = None
    phrase: PhraseStage | None = None
    element: ElementStage | None = None
    hashes: HashStage | None = None
    bare: BareStage | None = None


def stages_of(stages: tuple[Stage, ...]) -> Stages:
    """Return the stages by their kind."""
    kinds = {str(stage.__struct_config__.tag): stage for stage in stages}
    return Stages(**{kind: stage for kind, stage in kinds.items() if kind in Stages._fields})  # type: ignore[arg-type]


def candidates(text: str, start: int, asked: Asked, stages: Stages) -> Iterator[Candidate]:
    """Yield what marks of every kind say behind `start` of a plain text, from the last to the first; no boxes."""
    sources: list[Iterator[Candidate]] = []
    if stages.label is not None or stages.phrase is not None:
        languages = (stages.label or stages.phrase).languages  # type: ignore[union-attr]
        kinds = {"label", "heading"} if stages.phrase is None else {"phrase"} if stages.label is None else None
        marks = labels(text, start, asked, languages)
        sources.append(mark for mark in marks if kinds is None or mark.stage in kinds)
        if stages.label is not None and asked.answer_type != "choice":
            sources.append(last_lines(text, start, asked))
    if stages.element is not None:
        sources.append(elements(text, start, asked, stages.element.names))
    if stages.hashes is not None:
        sources.append(hashes(text, start, asked))
    if stages.phrase is not None and asked.answer_type == "choice":
        sources.append(named_options(text, start, asked))
    heads = [next(source, None) for source in sources]
    while any(head is not None for head in heads):
        last = max((index for index, head in enumerate(heads) if head), key=lambda index: heads[index].start)  # type: ignore[union-attr]
        mark = heads[last]
        heads[last] = next(sources[last], None)
        if mark is not None:
            yield mark


# Boxes.
_BETWEEN = re.compile(
    r"(?:[\s,;.$}]|\\[,;:! ()\[\]]|\\q?quad|\\text\s*\{[^{}]{0,40}\}|\b(?:and|or)\b|[a-z](?:_\{?\d\}?)?\s*=)*"
)


def last_box(original: str, asked: Asked, stages: Stages) -> tuple[Candidate | None, int]:
    """Return the last box that says something, and where the text behind it begins; an open one is a refusal."""
    if stages.box is None:
        return None, 0
    for box in boxes_from_end(original, stages.box.commands):
        if box.content is None:
            return Candidate(refused(box.start, box.start, "open-box"), "box", MARKED, box.start), box.start + 1
        start, end = box.content
        content = original[start:end]
        if is_placeholder(content, asked.answer_type):
            continue
        reading = read_box(content, asked.answer_type, asked.letters)
        if reading is None:
            return None, 0
        reading = reading.moved(start)
        if asked.answer_type == "math" and reading.value is not None:
            reading = _joined(original, box.start, reading, stages.box.commands)
        return Candidate(reading, "box", MARKED, box.start), box.end
    return None, 0


def boxes(original: str, asked: Asked, stages: Stages) -> Iterator[Candidate]:
    """Yield the boxes that hold a value, from the last to the first."""
    for box in boxes_from_end(original, stages.box.commands) if stages.box is not None else ():
        if box.content is None or is_placeholder(original[slice(*box.content)], asked.answer_type):
            continue
        reading = read_box(original[slice(*box.content)], asked.answer_type, asked.letters)
        if reading is not None and reading.value is not None:
            yield Candidate(reading.moved(box.content[0]), "box", MARKED, box.start)


def _joined(text: str, start: int, last: Reading, commands: tuple[str, ...]) -> Reading:
    """Return the last box together with those that a mere comma or "and" joins to it: a set given in several boxes."""
    values = [last.value or ""]
    for box in boxes_from_end(text[:start], commands):
        between = text[box.end : start]
        if box.content is None or not _BETWEEN.fullmatch(between) or not re.search("and|or|,", between):
            break
        values.insert(0, text[slice(*box.content)])
        start = box.start
        last = last._replace(start=box.content[0])
    return last if len(values) == 1 else last._replace(value=", ".join(values), flags=(*last.flags, "joined"))


# Elements, hashes, and lines that hold a value and nothing else.
_ELEMENT = (
    r"<\s*(?P<name>{names})\s*>(?P<content>(?:(?!<\s*/?\s*(?:{names})\b).){{0,2000}}?)(?:<\s*\\?/\s*(?P=name)\s*>|\Z)"
)
_GOES_ON = re.compile(r"\n|[.!?]\s+\S")  # more than one sentence
_HASHES = re.compile(r"(?:^[ \t]*|(?<=[.!?\d)$%\w])[ \t]+)####(?!#)[ \t]*(?=[^\n]*\d|[^\n]*[A-Za-z])", re.MULTILINE)
_HEADING = re.compile(r"(?<!\\)\b[A-Za-z]{3,}[^\n]*:|^\s*(?:case|step|part|section)\b", re.IGNORECASE)
_LAST_LINE = re.compile(r"^[ \t]*A[ \t]*:[ \t]*(?=[-$\\(*\d])", re.MULTILINE)


def elements(text: str, start: int, asked: Asked, names: tuple[str, ...]) -> Iterator[Candidate]:
    """Yield the elements like <answer>…</answer> that hold a value, or one sentence with one."""
    opening, whole, needles = _element_patterns(names)
    if "<" not in text:
        return
    for match in matches_from_end(opening, text, start, len(text), needles):
        element = whole.match(text, match.start())
        if element is None:
            continue
        content, offset = element["content"], element.start("content")
        if not element[0].endswith(">") or content.endswith(">"):
            content = content.rstrip("<> \n\\")  # it never closes, or is closed wrongly
        reading = _in_element(content, asked)
        rank = MARKED
        if reading is None and element[0].endswith(">") and not _GOES_ON.search(content.strip()):
            reading = read_sentence(content, len(content) - len(content.lstrip()), asked)
            rank = STATED
        if reading is not None:
            yield Candidate(reading.moved(offset), "element", rank, match.start())


def _in_element(content: str, asked: Asked) -> Reading | None:
    """Return the value that fills an element; of an option its own words may follow."""
    if asked.answer_type == "choice":
        return read_value(content, 0, asked)
    found = read_whole(content, asked)
    line = content.strip()
    if found is not None or asked.answer_type != "math" or not line or len(line) > 200 or _GOES_ON.search(line):
        return found
    if SENTENCE.search(line) or UNKNOWN.match(line) or is_placeholder(line, "math"):
        return None
    reading = read_box(content, "math", "")
    return reading if reading is not None and (reading.value or "").strip() and is_balanced(content) else None


@functools.lru_cache(maxsize=32)
def _element_patterns(names: tuple[str, ...]) -> "tuple[re.Pattern[str], re.Pattern[str], tuple[str, ...]]":
    """Return the patterns of the opening tag and of the whole of elements with these names, and the names."""
    either = "|".join(map(re.escape, names))
    opening = re.compile(rf"<\s*(?:{either})\s*>", re.IGNORECASE)
    whole = re.compile(_ELEMENT.format(names=either), re.IGNORECASE | re.DOTALL)
    return opening, whole, tuple(name.lower() for name in names)


def hashes(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield what "#### 42" marks, on a line of its own or at the end of one; a heading with words is none."""
    if text.find("####", start) < 0:
        return
    for match in matches_from_end(_HASHES, text, start, len(text), ("####",)):
        stop = text.find("\n", match.end())
        content = text[match.end() : stop if stop >= 0 else len(text)]
        reading = None if _HEADING.search(content) else read_whole(content, asked)
        if reading is None and not text[match.end() + len(content) :].strip() and len(DIGITS.findall(content)) == 1:
            reading = read_value(content, 0, asked)  # the last line: "#### 3 bolts of cloth in all"
        if reading is not None and (is_formula(reading.value or "") or not text[match.end() + len(content) :].strip()):
            yield Candidate(reading.moved(match.end()), "hashes", MARKED, match.start())


def last_lines(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield the value of a last line "A: 18"; with words behind it the A is a speaker."""
    end = len(text.rstrip())
    line = max(start, text.rfind("\n", 0, end) + 1)
    match = _LAST_LINE.match(text, line, end)
    reading = read_whole(text[match.end() : end], asked) if match else None
    if match and reading is not None and reading.value is not None:
        yield Candidate(reading.moved(match.end()), "label", MARKED, line)


# Labels and running text.
_ASIDE = re.compile(
    r"\s*(?:\(|\[(?![^\]\n]{0,30}\])|[*_>]*\s*(?:note|remark|n\.?b\.?|aside|caution|check|hinweis|nota|remarque"
    r"|for comparison|by comparison|\u6ce8)\b)",
    re.IGNORECASE,
)
_LAST_WORD = re.compile(
    "final|ultimate|endg|schluss|définitiv|definitiv|окончат|итогов|最终|最終|最后|最後|최종", re.IGNORECASE
)
_DASH = re.compile(
    r"(?:\w[*_]{0,3}[ \t]*(?:-{1,2}>|=>|[\u2192\u21d2\u2013\u2014-])|\.)(?=[ \t])|\w\.[*_}]{1,3}(?=\s)"
)  # "Answer - 42", "Ans. 42", "**Answer.** 42"
_IS_THE = re.compile(
    r"\s(?:is|was|as|gives|ist|est|es|\u00e8|\u00e9)\s+(?:therefore\s+|thus\s+|then\s+|indeed\s+)?(?:the|our|my|your"
    r"|die|das|la|le|el|il|a|o)\s+(?:(?:final|correct|required|desired|right)\s+)?$",
    re.IGNORECASE,
)
_CLAUSES = re.compile(r"[.!?;]\s|,\s")
_CELL = re.compile(r"[*_ \t]*\|")
_BELOW = re.compile(
    r"[ \t]*\n[ \t]*\|[ \t]*:?-+:?[ \t]*\|[ \t]*\n[ \t]*\|([^|\n]+)\|[ \t]*(?!\n[ \t]*\|)(?=\n|\Z)"
)  # the only row of a table whose only heading is the label
_HEADING_ENDS = re.compile(r"(?![*_}]{0,3}[ \t]*=)(?:[*_}]{0,3}|</\w{1,6}>)[ \t]*(?:\n|[*_}]+|\]|\Z)|[ \t]*[\d$\\-]")
_ONLY_LINE = re.compile(
    r"[*_}\]: \t]{0,8}\n\s{0,20}(?=(?:[^\n.!?]|[.!?](?![ \t]+\S)){1,500}\s{0,100}\Z)"
)  # one sentence, no more
_LINE_ALONE = re.compile(r"[ \t]*\n(?:[=-]{3,}[ \t]*\n)?\s*(?=\S)")
_IFS = {"fr": "si", "es": "si", "it": "se", "pt": "se"}
_WORDY = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]{2}|(?:[A-Za-z]{2,}\s+){3}")  # words, where a value was read
_UNREAL = re.compile(r"would|could|might", re.IGNORECASE)
_IF_BEHIND = re.compile(r"[^.\n]{0,40}?\b(?:if|without|with|were)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"\b(?:without|for comparison|(?:in|by) (?:contrast|comparison))\b[^.\n]{0,60}$"
    r"|(?<!problem)(?<!question)'s\s+(?:\w+\s+)?$"
    r"|\b(?:original|previous|other|next|first|second|similar)\s+\w+'s\s+(?:\w+\s+)?$"
    r"|\b(?:wrong|incorrect|false|common|naive|expected|reference|sample|printed|usual|tempting|previous|original|other"
    r"|old|former|opposite|earlier)\s+(?:\w+\s+)?$|\b(?:in|under|at) (?:the|an) (?:original|other|previous|old"
    r"|similar|reverse\w*)"
    r"\b[^.\n]{0,40}$",
    re.IGNORECASE,
)  # before a noun: the answer to something else
_SUPPOSED = re.compile(r"\b(?:with|had|were)\b[^.\n]{0,60}$", re.IGNORECASE)  # before a noun with "would be" behind it
_CASE = re.compile(r"\b(?:for|when|with)\s+\$?[a-z]\s*=\s*[^.\n]*$", re.IGNORECASE)  # "for n = 7 the answer is 49"
_OTHER_CASE = re.compile(r"[^.\n]{0,8}\b(?:without|if|when|in the other|in that case)\b", re.IGNORECASE)
_TURNED = re.compile(r"\b(?:ist|lautet|beträgt)\s+(?:die|das|unsere?)\s+(?:\w+e\s+)?$")  # "somit ist die Antwort 42"


def labels(text: str, start: int, asked: Asked, languages: tuple[str, ...]) -> Iterator[Candidate]:
    """Yield what labels and running text mark from the last to the first, in the part of a plain text from `start`."""
    for match in matches_from_end(noun_pattern(languages), text, start, len(text), needles_of(languages), NOUN_REACH):
        found = _marked(text, match, asked)
        if found is not None:
            yield found


def _marked(text: str, match: "re.Match[str]", asked: Asked) -> Candidate | None:
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
            below = _ONLY_LINE.match(text, colon.end())
            sentence = read_sentence(text, below.end() if below else colon.end(), asked)
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
        return _phrase(text, match, noun, line, asked)
    if reading is None and stage == "heading" and (only := _ONLY_LINE.match(text, noun.end)):
        reading, stage, strong = read_sentence(text, only.end(), asked), "sentence", False
    return None if reading is None else _candidate(text, reading, stage, strong, noun, line)


def _phrase(text: str, match: "re.Match[str]", noun: Noun, line: int, asked: Asked) -> Candidate | None:
    """Return what running text says with a noun and a verb: "the answer is 42", "42 is the answer"; or None."""
    verb = verb_pattern(noun.language).match(text, noun.end)
    if verb is None:
        before = _before(text, line, noun, asked)
        turned = noun.language in {"ru", "bn"} or _TURNED.search(text, max(line, noun.start - 60), noun.start)
        return before or (_directly(text, noun.end, asked, noun.start) if turned else None)
    swahili = noun.language == "sw" and verb["verb"].lower().startswith("si")
    negated = (
        swahili
        or NEGATION.search(verb["verb"]) is not None
        or (
            verb["verb"].lower() in {"is", "was"}
            and re.match(r"\s+\*{0,2}not\b", text[verb.end() : verb.end() + 8], re.IGNORECASE) is not None
        )
    )
    reading = read_value(text, verb.end(), asked, negated)
    if reading is None and text.startswith("that ", verb.end() + 1):
        reading = read_sentence(text, verb.end() + 1, asked)
    if reading is None:
        return None
    sentence = re.split(r"[.!?;:]\s", text[max(line, noun.start - 80) : verb.end()])[-1]
    before_noun = re.split(r"[.!?;:]\s", text[max(line, noun.start - 80) : noun.start])[-1]
    if _conditional(sentence, noun.language) or _OTHER.search(before_noun) or _OTHER_CASE.match(text, reading.end):
        return None
    if _UNREAL.search(verb["verb"]) and (_IF_BEHIND.match(text, reading.end) or _SUPPOSED.search(before_noun)):
        return None
    return _candidate(text, reading, "phrase", noun.final and _LAST_WORD.search(match[0]) is not None, noun, line)


def _candidate(text: str, reading: Reading, stage: str, strong: bool, noun: Noun, line: int) -> Candidate:
    """Return a candidate as strong as its mark: a strong one is directly followed by a value and nothing more."""
    note = _ASIDE.match(text, line)
    aside = (note is not None and note.end() <= noun.start) or _in_brackets(text, line, noun.start)
    aside = aside or _CASE.search(text, max(line, noun.start - 40), noun.start) is not None
    rank = MARKED if strong and not aside and reading.clean else STATED
    return Candidate(reading, stage, rank, noun.start, aside)


def _before(text: str, line: int, noun: Noun, asked: Asked) -> Candidate | None:
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
            return Candidate(reading.moved(begin + word.start()), "phrase", STATED, begin + word.start())
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
    return None if reading is None else reading.moved(start)


def _directly(text: str, after: int, asked: Asked, start: int) -> Candidate | None:
    """Return a value that follows its noun with nothing between, as Russian and German may write."""
    if not re.match(r"\s+[*$\\(\d-]", text[after : after + 4]):
        return None
    reading = read_value(text, after, asked)
    return None if reading is None else Candidate(reading, "phrase", STATED, start)


def _conditional(sentence: str, language: str) -> bool:
    """Return whether a sentence only says what would be the answer; "si" and "se" are ifs in some languages only."""
    word = _IFS.get(language)
    return CONDITION.search(sentence) is not None or (word is not None and word in sentence.lower().split())


def _in_brackets(text: str, line: int, start: int) -> bool:
    """Return whether a bracket is open where the label begins."""
    before = text[max(line, start - 200) : start]
    return before.count("(") - before.count("\\(") > before.count(")") - before.count("\\)")
