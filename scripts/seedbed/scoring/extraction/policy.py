"""Which of the marks in a part of a text is the answer."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

from seedbed.scoring.definition import BareStage, BoxStage, ElementStage, HashStage, LabelStage, PhraseStage, Stage
from seedbed.scoring.extraction.box_values import is_placeholder, read_box
from seedbed.scoring.extraction.boxes import boxes_from_end
from seedbed.scoring.extraction.choices import chosen
from seedbed.scoring.extraction.conclusions import read_conclusion
from seedbed.scoring.extraction.expressions import read_bare
from seedbed.scoring.extraction.hedges import RETRACTION
from seedbed.scoring.extraction.label_values import Asked
from seedbed.scoring.extraction.labels import labelled
from seedbed.scoring.extraction.marks import Marked, elements, hashes, read_option, read_whole
from seedbed.scoring.extraction.readings import Reading

_BETWEEN = re.compile(
    r"(?:[\s,;.$}]|\\[,;:! ()\[\]]|\\q?quad|\\text\s*\{[^{}]{0,40}\}|\b(?:and|or)\b|[a-z](?:_\{?\d\}?)?\s*=)*"
)
_SHORT = 1 << 12  # characters


class Stages(NamedTuple):
    """The stages of a scorer, each as it is defined, None where the scorer does without."""

    box: BoxStage | None = None
    label: LabelStage | None = None
    phrase: PhraseStage | None = None
    element: ElementStage | None = None
    hashes: HashStage | None = None
    bare: BareStage | None = None


class Pick(NamedTuple):
    """The answer of a part, a refusal (value None), the stage it comes from, and whether it beats a box before it."""

    reading: Reading
    stage: str
    strong: bool = False


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


def pick(text: str, original: str, asked: Asked, stages: Stages, settled: bool = False) -> Pick | None:
    """Return the answer of a part (`text` is its plain form): a strong label behind the last box, the box, else words.

    `settled` asks only for what more text before the part could not change.
    """
    box, box_end = _last_box(original, asked, stages)
    for mark in _merged(text, box_end, asked, stages):
        if settled and box is None and mark.aside:
            return None
        if box is None and mark.reading.value is not None:
            best = _over_aside(text, mark, asked, stages)
            return Pick(best.reading, best.stage, _beats_box(best))
        if _beats_box(mark):
            return Pick(mark.reading, mark.stage, True)
        if box is None and not mark.aside:
            return Pick(mark.reading, mark.stage)
    if box is not None:
        return box
    if stages.bare is not None and not settled:
        if asked.answer_type == "math":
            only = read_conclusion(text) or read_bare(original)
            return Pick(only, "bare") if only is not None else None
        whole = read_option(text, asked) if asked.answer_type == "choice" else None
        whole = whole or (read_whole(text, asked) if len(text) <= 400 else None)
        if whole is not None and text.strip().count("\n") <= 2:
            return Pick(whole, "bare")
    return None


def _beats_box(mark: Marked) -> bool:
    """Return whether a mark behind the last box is stronger than it."""
    return mark.strong and not mark.aside and mark.reading.clean and mark.reading.value is not None


def first_pick(text: str, original: str, asked: Asked, stages: Stages) -> Pick | None:
    """Return the first mark of any stage that has a value."""
    picks = [
        Pick(mark.reading, mark.stage) for mark in _merged(text, 0, asked, stages) if mark.reading.value is not None
    ]
    for box in boxes_from_end(original, stages.box.commands) if stages.box is not None else ():
        if box.content is None or is_placeholder(original[slice(*box.content)], asked.answer_type):
            continue
        start = box.content[0]
        reading = read_box(original[slice(*box.content)], asked.answer_type, asked.letters)
        if reading is not None and reading.value is not None:
            picks.append(Pick(reading._replace(start=start + reading.start, end=start + reading.end), "box"))
    return min(picks, key=lambda one: one.reading.start) if picks else None


def _last_box(original: str, asked: Asked, stages: Stages) -> tuple[Pick | None, int]:
    """Return the last box that says something, and where the text behind it begins; an open one is a refusal."""
    if stages.box is None:
        return None, 0
    for box in boxes_from_end(original, stages.box.commands):
        if box.content is None:
            return Pick(Reading(None, box.start, box.start, True, ("open-box",)), "box"), box.start + 1
        start, end = box.content
        content = original[start:end]
        if is_placeholder(content, asked.answer_type):
            continue
        reading = read_box(content, asked.answer_type, asked.letters)
        if reading is None:
            return None, 0
        reading = reading._replace(start=start + reading.start, end=start + reading.end)
        if asked.answer_type == "math" and reading.value is not None:
            reading = _joined(original, box.start, reading, stages.box.commands)
        return Pick(reading, "box"), box.end
    return None, 0


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


def _merged(text: str, start: int, asked: Asked, stages: Stages) -> Iterator[Marked]:
    """Return the marks of every stage from the last to the first; those of a short text are kept for the next time."""
    return iter(_kept(text, start, asked, stages)) if len(text) <= _SHORT else _each(text, start, asked, stages)


@functools.lru_cache(maxsize=4)
def _kept(text: str, start: int, asked: Asked, stages: Stages) -> tuple[Marked, ...]:
    """Return the marks of a short text, which are asked for twice: for the last answer, and for the first."""
    return tuple(_each(text, start, asked, stages))


def _each(text: str, start: int, asked: Asked, stages: Stages) -> Iterator[Marked]:
    """Yield the marks of every stage from the last to the first."""
    sources: list[Iterator[Marked]] = []
    if stages.label is not None or stages.phrase is not None:
        languages = (stages.label or stages.phrase).languages  # type: ignore[union-attr]
        kinds = {"label", "heading"} if stages.phrase is None else {"phrase"} if stages.label is None else None
        marks = labelled(text, start, asked, languages)
        sources.append(mark for mark in marks if kinds is None or mark.stage in kinds)
    if stages.element is not None:
        sources.append(elements(text, start, asked, stages.element.names))
    if stages.hashes is not None:
        sources.append(hashes(text, start, asked))
    if stages.phrase is not None and asked.answer_type == "choice":
        sources.append(chosen(text, start, asked))
    heads = [next(source, None) for source in sources]
    while any(head is not None for head in heads):
        last = max((index for index, head in enumerate(heads) if head), key=lambda index: heads[index].start)  # type: ignore[union-attr]
        mark = heads[last]
        heads[last] = next(sources[last], None)
        if mark is not None:
            yield mark


def _over_aside(text: str, mark: Marked, asked: Asked, stages: Stages) -> Marked:
    """Return the mark, or an earlier one if this is a mere aside and nothing between them is taken back."""
    if mark.strong or not mark.aside:
        return mark
    for earlier in _merged(text[: mark.start], 0, asked, stages):
        if earlier.aside or earlier.reading.value is None:
            continue
        if RETRACTION.search(text, earlier.reading.end, mark.start):
            return mark
        return earlier
    return mark
