"""Everything that marks an answer: boxes, elements, "####", labels, headings, sentences, options, a bare last line."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from seedbed.scoring.answers import Words
from seedbed.scoring.definition import BareStage, BoxStage, ElementStage, HashStage, LabelStage, PhraseStage, Stage
from seedbed.scoring.extraction.candidates import BARE, MARKED, STATED, Asked, Candidate, Reading, refused
from seedbed.scoring.extraction.languages import (
    COLON,
    CONDITION,
    HEAD,
    LANGUAGES,
    MARKS,
    NEGATION,
    RANGE,
    UNKNOWN,
    Noun,
    matches_from_end,
    needles_of,
    noun_of,
    noun_pattern,
    verb_pattern,
)
from seedbed.scoring.extraction.latex import boxes_from_end, skip_decoration
from seedbed.scoring.extraction.numbers import ENGLISH, EUROPEAN
from seedbed.scoring.extraction.options import last_option, named_options
from seedbed.scoring.extraction.values import AHEAD, is_balanced, is_placeholder, read_bare, read_box, read_value

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
    kinds = {
        BoxStage: "box",
        LabelStage: "label",
        PhraseStage: "phrase",
        ElementStage: "element",
        HashStage: "hashes",
        BareStage: "bare",
    }
    return Stages(**{kinds[type(stage)]: stage for stage in stages if type(stage) in kinds})  # type: ignore[arg-type]


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
_FURTHER = re.compile(r"[.)]\s+\S|\d{3}|(?:\w+\s+){4}")  # a heading or a sentence goes on behind its number
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
    if _SENTENCE_WORDS.search(line) or UNKNOWN.match(line) or is_placeholder(line, "math"):
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
        if reading is None and not text[match.end() + len(content) :].strip() and len(_DIGITS.findall(content)) == 1:
            reading = read_value(content, 0, asked)  # the last line: "#### 3 bolts of cloth in all"
        if reading is not None and (_is_formula(reading.value or "") or not text[match.end() + len(content) :].strip()):
            yield Candidate(reading.moved(match.end()), "hashes", MARKED, match.start())


def last_lines(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield the value of a last line "A: 18"; with words behind it the A is a speaker."""
    end = len(text.rstrip())
    line = max(start, text.rfind("\n", 0, end) + 1)
    match = _LAST_LINE.match(text, line, end)
    reading = read_whole(text[match.end() : end], asked) if match else None
    if match and reading is not None and reading.value is not None:
        yield Candidate(reading.moved(match.end()), "label", MARKED, line)


def read_whole(content: str, asked: Asked) -> Reading | None:
    """Return a value that is all there is in a stretch, or None."""
    if not content.strip() or len(content) > 400:
        return None
    reading = read_value(content, 0, asked)
    if reading is None or (reading.value is not None and not reading.clean):
        return None
    before = content[: reading.start].replace("\\text", "").replace("\\boxed", "")
    if reading.value and re.search(r"[A-Za-z]{2,}", before):
        return None
    rest = content[reading.end :].strip()
    return None if "\n" in rest or (reading.value is not None and _FURTHER.search(rest)) else reading


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
    r"\b(?:without|for comparison)\b[^.\n]{0,60}$|(?<!problem)(?<!question)'s\s+(?:\w+\s+)?$"
    r"|\b(?:original|previous|other|next|first|second|similar)\s+\w+'s\s+(?:\w+\s+)?$"
    r"|\b(?:wrong|incorrect|false|common|naive|expected|reference|sample|printed|usual|tempting|previous|original|other"
    r"|old|former|opposite|earlier)\s+(?:\w+\s+)?$|\bin (?:the|an) (?:original|other|previous|old|similar|reverse\w*)"
    r"\b[^.\n]{0,40}$",
    re.IGNORECASE,
)  # before a noun: the answer to something else
_SUPPOSED = re.compile(r"\b(?:with|had|were)\b[^.\n]{0,60}$", re.IGNORECASE)  # before a noun with "would be" behind it
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
        turned = noun.language == "ru" or _TURNED.search(text, max(line, noun.start - 60), noun.start)
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


# Sentences that state a value.
_SENTENCE_WORDS = re.compile(
    r"\b(?:is|are|was|were|has|have|the|that|this|it|we|you|there|because|can|will|would|should|must|may)\b",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"(?<!\w)(?:is|it's|are|equals?|was|ist|sind|beträgt|est(?:\s+(?:donc\s+)?de)?|vaut|es|é|è|vale|равно|равна|равен"
    r"|составляет|هو|هي|ni)(?!\w)\s*|(?:是|为|為|は|等于|得到?|共有)\s*|:\s*(?=\0)",
    re.IGNORECASE,
)
_FORMULAS = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_ANY_NUMBER = re.compile(r"(?<![\w.,\\^_{-])-?\\?\$?\d[\d,]*(?:\.\d+)?%?(?![\w^_]|[.,:/]\d)")
_WORD = re.compile(r"(?<![\\A-Za-z{])(?!and\b)[A-Za-z]{3,}(?![A-Za-z({}])")
_DIGITS = re.compile(r"\d+")
_FOLLOWS = re.compile(r"[.!]\s+(?:so|thus|hence|therefore|then|consequently),?\s+", re.IGNORECASE)


def read_sentence(text: str, start: int, asked: Asked) -> Reading | None:
    """Return the value of the sentence behind a label, or of what follows from it: its end, or its only number."""
    line = text.find("\n", start)
    content = text[start : line if line >= 0 else len(text)][:AHEAD]
    if asked.answer_type == "choice":
        option = last_option(content, asked)
        return None if option is None else option.reading.moved(start)
    found: Reading | None = None
    begin = 0
    for stop in [*_FOLLOWS.finditer(content), None]:
        sentence = re.split(r"(?<!\d)\. |\. (?=[A-Z])", content[begin:], maxsplit=1)[0].rstrip(" \t*_")
        stated = _stated(sentence, asked)
        if found is None or begin > 0:
            found = None if stated is None else stated.moved(begin)
        if stop is None or found is None:
            break
        begin = stop.end()
    return None if found is None else found.moved(start)._replace(flags=(*found.flags, "in-sentence"))


def _stated(sentence: str, asked: Asked) -> Reading | None:
    """Return the value that ends a sentence behind its verb, else the only number in it; None where it denies it."""
    if "?" in sentence:
        return None
    found = _behind_verb(sentence, 0, len(sentence), asked)
    words = _FORMULAS.sub(_blanked, sentence)
    if found is None and "=" in sentence and not _VERB.search(words):
        found = _value(sentence, sentence.rindex("=") + 1, len(sentence), asked)
    if found is not None or _open(words) or CONDITION.search(words) or len(words.split()) < 3:
        return found
    numbers = list(_ANY_NUMBER.finditer(sentence))
    if len(numbers) != 1 or len(_DIGITS.findall(sentence)) != len(_DIGITS.findall(numbers[0][0])):
        return None
    if sentence[: numbers[0].start()].rstrip().endswith(","):
        return None  # "several cases, 61 in all of them"
    return read_value(sentence, numbers[0].start(), asked)


def _behind_verb(text: str, start: int, end: int, asked: Asked) -> Reading | None:
    """Return the value that fills a sentence behind its last verb; None where it is denied, open or supposed."""
    words = _FORMULAS.sub(_blanked, text[start:end])
    verbs = list(_VERB.finditer(words))
    if not verbs or CONDITION.search(words):
        return None
    verb = verbs[-1]
    clauses = [match.start() for match in _CLAUSE.finditer(words, 0, verb.start() + 4)]
    subject = words[max([0, *clauses]) : verb.start()]
    if _NOTHING.search(subject) or UNKNOWN.search(subject) or _open(words[verb.start() :]):
        return None
    inverted = _SUBJECT.match(words, verb.end())
    return _value(text, start + (inverted or verb).end(), end, asked)


def _blanked(formula: "re.Match[str]") -> str:
    """Return what stands for a formula where only words are looked at."""
    return "\0" * len(formula[0])


def _is_formula(value: str) -> bool:
    """Return whether a value is a number or a formula, without words."""
    return re.search(r"\d|\\[a-zA-Z]|^.{1,2}$|[=^]", value) is not None and not _WORD.search(value)


# What ends a reply: the sentence that concludes, or a line that is nothing but a value.
_LOOKED_AT = 1500  # characters; no sentence that concludes is longer
_CONCLUDES = re.compile(
    r"(?:therefore|thus|hence|so|consequently|accordingly|in (?:conclusion|summary|total)|finally|also|somit|daher"
    r"|folglich|insgesamt|donc|ainsi|en conclusion|finalement|por (?:lo )?tanto|en conclusión|finalmente|portanto"
    r"|em conclusão|logo|quindi|pertanto|dunque|in conclusione|таким образом|значит|следовательно|итак|kwa hiyo|hivyo"
    r"|因此|所以|综上|故|したがって|よって|ゆえに|따라서|그러므로|لذا|لذلك|إذن|সুতরাং|অতএব)(?![A-Za-z])[,،]?\s*",
    re.IGNORECASE,
)
_SO = re.compile(r"[,;]\s+(?:and\s+)?(?:so(?!\s+(?:on|forth|far|that)\b)|thus|hence|therefore)\b,?\s*", re.IGNORECASE)
_EQUATION = re.compile(r"[$\\(\[\s]*[A-Za-z](?:_\{?\w\}?)?\s*=\s*(?=[-\d$\\(])")  # "therefore, x = 5"
_HAS = re.compile(
    r"(?<!that )(?<!which )(?<!who )\b(?:has|have|had|there (?:are|is|were)|needs?|takes?|costs?|earns?|pays?|makes?"
    r"|gets?|receives?|spends?)\s+(?=[*`]{0,2}\\?\$?\d[\d,.]*[*`]{0,2}(?:\s+[A-Za-z]+){0,4}[.!\s]*$)"
)  # verbs whose object may be the only number of a sentence that concludes
_NOTHING = re.compile(
    r"\b(?:no|none|neither|nor|nothing|never|kein\w*|aucune?|ningun\w*)\b|n't\b|没有|不", re.IGNORECASE
)
_SUBJECT = re.compile(r"(?:die|der|das)\s+\w+\s+(?=[\d\0-])")  # "also ist die Summe 14"
_CLAUSE = re.compile(r"[,;]\s|\b(?:which|that|but|it's|who|and)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?\n।])\s+")
_TURN = re.compile(r"(?<=[\s$])(?:So|Therefore|Thus|Hence),(?=\s)")  # a sentence that begins behind a formula
_BOLD = re.compile(r"(?:^|(?<=\s))(\*\*|__)(?P<value>[^*_\n]{1,80}?)\1[ \t]*[.!]?$")
_TOKEN = re.compile(r"<\|[a-z_]+\|>")
_WISH = re.compile(r"(?:^|(?<=\s))I hope (?:it|this)[^.!\n]{0,60}[.!]?$")


def last_words(text: str, original: str, asked: Asked, words: Words | None, whole: bool) -> Candidate | None:
    """Return what the end of a text says without a mark: its last sentence, or all of a short text (`whole`)."""
    if asked.answer_type == "choice":
        found = last_option(text, asked, words)
        reading = read_option(text, asked) if whole and found is None else None
        first = _FIRST_LINE.match(text) if reading is None and whole and found is None else None
        if first and not _ITEMS.search(text):
            reading = read_option(first[0], asked)
        return found if reading is None else Candidate(reading, "bare", BARE, reading.start)
    reading = read_conclusion(text, asked)
    if reading is None and whole:
        reading = read_bare(original) if asked.answer_type == "math" else None
        if asked.answer_type != "math" and len(text) <= 400 and text.strip().count("\n") <= 2:
            reading = read_whole(text, asked)
    return None if reading is None else Candidate(reading, "bare", BARE, reading.start)


def read_option(content: str, asked: Asked) -> Reading | None:
    """Return an option that is all there is on the only line of a text, its own words behind it or not, or None."""
    line = content.strip()
    marked = set(re.findall(r"[(\[]([A-J])[)\]]", line))
    if "\n" in line or len(line) > 200 or len(marked) > 1 or line.startswith(("* ", "- ")) or _SPEAKER.match(line):
        return None
    reading = read_value(content, 0, asked)
    return reading if reading is not None and reading.value is not None and reading.clean else None


_FIRST_LINE = re.compile(r"\s*(?:[*_(\[]*[A-J][)\].:*_]*[ \t]*(?=\n)|[*_]*[(\[][A-J][)\]][^\n]{0,200})")  # an option
_ITEMS = re.compile(r"\n[ \t>*_#-]*(?:option |choice )?[(\[]?[A-J][.):\]]", re.IGNORECASE)  # options are gone through
_SPEAKER = re.compile(
    r"A\s*(?::|[.)]\s+(?:Let|I|We|First|To|Okay|Sure)\b)"
)  # "A: Let's think", where A may be an option


def read_conclusion(text: str, asked: Asked) -> Reading | None:
    """Return what the last sentence of a plain text states; nothing that it denies, leaves open or only supposes.

    The sentence begins with "therefore" or a word like it; for mathematics it may also be the only one, or stress its
    value in bold.
    """
    token = _TOKEN.search(text, max(0, len(text) - _LOOKED_AT))
    end = len(text[: token.start() if token else len(text)].rstrip())
    wish = _WISH.search(text, max(0, end - 100), end)
    if wish:
        end = len(text[: wish.start()].rstrip())
    begin = max(0, end - _LOOKED_AT)
    starts = [match.end() for match in _SENTENCE.finditer(text, begin, end)]
    starts += [match.start() for match in _TURN.finditer(text, begin, end)]
    start = max((one for one in starts if not text[:one].rstrip(" \n*").endswith(":")), default=begin)
    sentence = text[start:end]
    words = _FORMULAS.sub(_blanked, sentence)
    if start == begin > 0 or CONDITION.search(words) or "?" in sentence:
        return None
    math = asked.answer_type == "math"
    alone = math and not text[:start].strip()
    bold = _BOLD.search(text, start, end) if math else None
    if bold:
        before = text[max(start, bold.start() - 30) : bold.start()]
        return None if _open(before) else _value(text, bold.start(2), bold.end(2), asked)
    concludes = _CONCLUDES.match(words)
    if not math and concludes is not None and sentence[0].islower():
        return None
    concludes = concludes or next(_SO.finditer(words), None)
    if concludes and _ANY_NUMBER.match(words, concludes.end()):
        return None  # "3 reds equal 2 blues" says two values
    if concludes is None:
        return _behind_verb(text, start, end, asked) if alone else None
    equation = _EQUATION.match(text, start + concludes.end(), end)
    if equation:
        return _value(text, equation.end(), end, asked)
    found = _behind_verb(text, start, end, asked)
    only = _HAS.search(words) if found is None and len(_DIGITS.findall(sentence)) == 1 else None
    if only is None or _open(words):
        return found
    return read_value(text[:end], start + only.end(), asked)


def _open(clause: str, hedges: tuple["re.Pattern[str]", ...] = (NEGATION, RANGE, UNKNOWN)) -> bool:
    """Return whether a clause denies what it says or leaves it open."""
    return any(hedge.search(clause) for hedge in hedges)


def _value(text: str, start: int, end: int, asked: Asked) -> Reading | None:
    """Return the value that fills text[start:end], units and all, or None."""
    place = skip_decoration(text, start, end)
    if not re.search(r"\d|\\[a-zA-Z]", text[place:end]):
        return None
    reading = read_value(text[:end], start, asked)
    if reading is None or reading.value is None or not reading.clean or not _is_formula(reading.value):
        return None
    if "\n" in text[reading.end : end].rstrip(" \n$\\)]}.*"):
        return None  # more lines follow
    return reading._replace(flags=(*reading.flags, "conclusion"))
