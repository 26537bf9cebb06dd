"""The sentence that ends a reply and states a mathematical answer without the word for it."""

import re

from seedbed.scoring.extraction.hedges import CONDITION, NEGATION, RANGE, UNKNOWN
from seedbed.scoring.extraction.latex import skip_decoration
from seedbed.scoring.extraction.readings import Reading

_LOOKED_AT = 1500  # characters; no sentence that concludes is longer
_CONCLUDES = re.compile(
    r"(?:therefore|thus|hence|so|consequently|accordingly|in (?:conclusion|summary|total)|finally|also|somit|daher"
    r"|folglich|insgesamt|donc|ainsi|en conclusion|finalement|por (?:lo )?tanto|en conclusión|finalmente|portanto"
    r"|em conclusão|logo|quindi|pertanto|dunque|in conclusione|таким образом|значит|следовательно|итак|therefore"
    r"|因此|所以|综上|故|したがって|よって|ゆえに|따라서|그러므로|لذا|لذلك|إذن)(?![A-Za-z])[,،]?\s*",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?<!\w)(?:is|it's|are|equals?|was|ist|sind|beträgt|est(?:\s+(?:donc\s+)?de)?|vaut|es|é|è|vale|равно|равна|равен"
    r"|составляет|هو|هي)(?!\w)\s*|(?:是|为|為|は|等于)\s*",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;]\s|\b(?:which|that|but|it's|who|and)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?\n])\s+")
_TURN = re.compile(r"(?<=[\s$])(?:So|Therefore|Thus|Hence),(?=\s)")  # a sentence that begins behind a formula
_BOLD = re.compile(r"(?:^|(?<=\s))(\*\*|__)(?P<value>[^*_\n]{1,80}?)\1[ \t]*[.!]?$")
_TOKEN = re.compile(r"<\|[a-z_]+\|>")
_WISH = re.compile(r"(?:^|(?<=\s))I hope (?:it|this)[^.!\n]{0,60}[.!]?$")


def read_conclusion(text: str) -> Reading | None:
    """Return what the last sentence of a plain text states; nothing that it denies, leaves open or only supposes.

    The sentence must be all there is, begin with "therefore" or a word like it, or stress its value in bold.
    """
    token = _TOKEN.search(text)
    end = len(text[: token.start() if token else len(text)].rstrip())
    wish = _WISH.search(text, max(0, end - 100), end)
    if wish:
        end = len(text[: wish.start()].rstrip())
    begin = max(0, end - _LOOKED_AT)
    starts = [match.end() for match in _SENTENCE.finditer(text, begin, end)]
    starts += [match.start() for match in _TURN.finditer(text, begin, end)]
    start = max(starts, default=begin)
    alone = not text[:start].strip()
    if start == begin > 0:
        return None
    if CONDITION.search(text, start, end) or "?" in text[start:end]:
        return None
    bold = _BOLD.search(text, start, end)
    if bold:
        return (
            None
            if _open(text[max(start, bold.start() - 30) : bold.start()])
            else _value(text, bold.start(2), bold.end(2))
        )
    concludes = _CONCLUDES.match(text, start, end)
    verbs = list(_IS.finditer(text, start, end)) if alone or concludes else []
    if not verbs:
        return None
    clauses = [match.start() for match in _CLAUSE.finditer(text, start, verbs[-1].start() + 4)]
    if _open(text[max([start, *clauses]) : end]):
        return None
    return _value(text, verbs[-1].end(), end)


def _open(clause: str) -> bool:
    """Return whether a clause denies what it says or leaves it open."""
    return any(hedge.search(clause) for hedge in (NEGATION, RANGE, UNKNOWN))


def _value(text: str, start: int, end: int) -> Reading | None:
    """Return the value that fills text[start:end], units and all, or None."""
    from seedbed.scoring.extraction.label_values import Asked, read_value

    place = skip_decoration(text, start, end)
    if not re.search(r"\d|\\[a-zA-Z]", text[place:end]):
        return None
    reading = read_value(text[:end], start, Asked("math", ""))
    if reading is None or reading.value is None or not reading.clean:
        return None
    return reading._replace(flags=(*reading.flags, "conclusion"))
