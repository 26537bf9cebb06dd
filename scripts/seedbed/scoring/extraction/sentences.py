"""A labelled sentence that ends in its value."""

import re

from seedbed.scoring.extraction.hedges import NEGATION
from seedbed.scoring.extraction.label_values import REACH, Asked, read_value
from seedbed.scoring.extraction.readings import Reading

_COPULA = re.compile(
    r"(?<![\w])(?:is|are|equals?|was|ist|beträgt|est|es|é|è|равно|равен|составляет)(?![\w])"
    r"|=|是|为|為|は|得到?|共有",
    re.IGNORECASE,
)
_FOLLOWS = re.compile(r"[.!]\s+(?:so|thus|hence|therefore|then|consequently),?\s+", re.IGNORECASE)


def read_sentence(text: str, start: int, asked: Asked) -> Reading | None:
    """Return the value that ends a labelled sentence ("Answer: the number of ways is 42."), or what follows from it."""
    if asked.answer_type == "choice":
        return None
    line = text.find("\n", start)
    content = text[start : line if line >= 0 else len(text)][:REACH]
    found = _stated(content.split(". ", 1)[0].rstrip(" \t*_"), asked)
    further = _FOLLOWS.search(content) if found is not None else None
    if further:
        begin = further.end()
        concluded = _stated(content[begin:].split(". ", 1)[0].rstrip(" \t*_"), asked)
        found = concluded and concluded._replace(start=begin + concluded.start, end=begin + concluded.end)
    if found is None:
        return None
    return found._replace(start=start + found.start, end=start + found.end, flags=(*found.flags, "in-sentence"))


def _stated(sentence: str, asked: Asked) -> Reading | None:
    """Return the value that ends a sentence, or None."""
    verbs = list(_COPULA.finditer(sentence))
    if not verbs or NEGATION.search(sentence):
        return None
    reading = read_value(sentence, verbs[-1].end(), asked)
    return None if reading is None or reading.value is None or not reading.clean else reading
