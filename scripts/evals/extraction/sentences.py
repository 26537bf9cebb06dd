"""A labelled sentence that ends in its value."""

import re

from scripts.evals.extraction.hedges import NEGATION
from scripts.evals.extraction.label_values import REACH, Asked, read_value
from scripts.evals.extraction.readings import Reading

_COPULA = re.compile(
    r"(?<![\w])(?:is|are|equals?|was|ist|beträgt|est|es|é|è|равно|равен|составляет)(?![\w])"
    r"|=|是|为|為|は|得到?|共有",
    re.IGNORECASE,
)


def read_sentence(text: str, start: int, asked: Asked) -> Reading | None:
    """Return the value that ends a labelled sentence, as in "Answer: the number of ways is 42."."""
    line = text.find("\n", start)
    sentence = text[start : line if line >= 0 else len(text)][:REACH].split(". ", 1)[0]
    found = None
    for verb in _COPULA.finditer(sentence):
        if not NEGATION.search(sentence):
            found = verb.end()
    if found is None or asked.answer_type == "choice":
        return None
    reading = read_value(sentence, found, asked)
    if reading is None or reading.value is None or not reading.clean:
        return None
    return reading._replace(start=start + reading.start, end=start + reading.end, flags=(*reading.flags, "in-sentence"))
