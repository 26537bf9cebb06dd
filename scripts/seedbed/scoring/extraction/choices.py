"""Running text that names an option: "(C) is correct", "I choose B"."""

import re
from collections.abc import Iterator

from seedbed.scoring.extraction.backwards import matches_from_end
from seedbed.scoring.extraction.label_values import Asked
from seedbed.scoring.extraction.letters import read_letter
from seedbed.scoring.extraction.marks import MOST, Marked
from seedbed.scoring.extraction.readings import Reading

_NAMED = re.compile(
    r"(?:(?<![A-Za-z])(?:(?:option|choice|answer|statement|alternative|opción|opção|opzione|вариант"
    r"|antwort)\s+)?[*$]{0,2}[(\[]?(?P<one>[A-J])[)\]]?[*$.]{0,2}\s+"
    r"(?:is|would be|ist|est|es|é|è)\s+(?:indeed\s+|therefore\s+|clearly\s+|thus\s+|definitely\s+)?(?:the\s+"
    r"|die\s+|la\s+|a\s+|o\s+)?(?:correct|right|best|most\s+\w+|answer|richtig\w*|korrekt\w*|correcte?"
    r"|correcta|bonne|corret[ao]|corrett[ao])"
    r"|(?:选项?|選項?|選択肢)\s*[(\uff08]?(?P<two>[A-J])[)\uff09]?\s*(?:是|が|は)?\s*(?:正确|正確|对的|正しい|正解)"
    r"|[(\uff08]?(?P<four>[A-J])[)\uff09]?\s*(?:选项|選項)\s*(?:是|为|為)?\s*(?:正确|正確|对的)"
    r"|\(?(?P<three>[A-J])\)?(?:가|이)?\s*(?:정답|맞))"
)
_COULD_NAME = re.compile(
    r"[A-J](?:[)\]]?[*$.]{0,2}\s+(?:is|would|es|\u00e9|\u00e8)|[)\uff09]?\s*[^\x00-\x7f])"
)  # stands in every match of it, and is found fast
_CHOOSE = re.compile(
    r"(?:\b(?:i|we)\s*(?:'ll|'d|will|would|can|should|must)?\s*(?:therefore\s+)?(?:choose|pick|select"
    r"|go\s{1,2}with|chose)\s+(?:option\s+|answer\s+|choice\s+)?"
    r"|\bmy\s+(?:choice|pick)\s+is\s+|(?:故|应|應|所以|因此|答案)?(?:选择|選擇|应选|應選|选|選)(?:项"
    r"|項)?[:\uff1a]?\s*(?=[*(\uff08\[]{0,3}[A-J]))",
    re.IGNORECASE,
)


_NAMED_NEEDLES = (
    "correct", "right", "best", "most ", "answer", "richtig", "korrekt", "bonne", "corret", "corrett",
    "选项", "選項", "選択肢", "정답", "맞",
)  # fmt: skip
_CHOOSE_NEEDLES = ("choose", "chose", "pick", "select", "go with", "go  with", "choice", "选", "選")


def chosen(text: str, start: int, asked: Asked) -> Iterator[Marked]:
    """Yield the options that running text names or chooses, from the last to the first."""
    marks: list[Marked] = []
    for number, match in enumerate(matches_from_end(_NAMED, text, start, len(text), _NAMED_NEEDLES, _COULD_NAME)):
        if number >= MOST:
            break
        group = next(name for name in ("one", "two", "three", "four") if match[name])
        denied = re.search(r"\b(?:not|n't)\b", text[max(0, match.start() - 12) : match.start()])
        if match[group] in asked.letters and not denied:
            place = match.start(group)
            marks.append(Marked(Reading(match[group], place, place + 1), "named", False, False, match.start()))
    for number, match in enumerate(matches_from_end(_CHOOSE, text, start, len(text), _CHOOSE_NEEDLES)):
        if number >= MOST:
            break
        reading = read_letter(text, match.end(), len(text), asked.letters)
        if reading is not None and reading.value is not None:
            marks.append(Marked(reading, "chosen", False, False, match.start()))
    yield from sorted(marks, key=lambda mark: -mark.start)
