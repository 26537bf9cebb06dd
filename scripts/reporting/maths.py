"""Formulas of a text as MathML; the text itself stays as it is."""

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from math_core import LatexToMathML

Formula = tuple[int, int, str]  # start and end in characters of the whole text, MathML

LONGEST = {"$": 400, "$$": 1_000, "\\[": 1_000, "\\(": 1_000}  # characters of a formula that is still tried
MOST = 1_000  # formulas a text
TAIL = 1 << 16  # characters from the end of a text in which formulas are looked for
_OPENED = re.compile(r"(?<!\\)(?:\$\$|\\\[|\\\()|(?<![\\$\w])\$(?![\s$])")
_CLOSED = {"$": "$", "$$": "$$", "\\[": "\\]", "\\(": "\\)"}


def formulas(text: str, start: int = 0) -> list[Formula]:
    """Return the formulas of text[start:], of which only the last TAIL characters are looked at.

    A formula that is none, or is too long, is left out: it stays the text that it is.
    """
    start = max(start, len(text) - TAIL)
    found: list[Formula] = []
    for begin, end, latex, display in _written(text[start:]):
        if (mathml := converted(latex, display)) is not None:
            found.append((start + begin, start + end, mathml))
            if len(found) == MOST:
                break
    return found


def _written(text: str) -> Iterator[tuple[int, int, str, bool]]:
    """Yield (start, end, LaTeX, whether it stands on lines of its own) of what is written as a formula."""
    place = 0
    while opened := _OPENED.search(text, place):
        sign = opened[0]
        begin, place = opened.end(), opened.end()
        end = text.find(_CLOSED[sign], begin, begin + LONGEST[sign] + len(sign))
        latex = text[begin:end] if end >= 0 else ""
        if not latex.strip() or (sign == "$" and not _inline(latex, text[end + 1 : end + 2])):
            continue
        place = end + len(sign)
        yield opened.start(), place, latex, sign in ("$$", "\\[")


def _inline(latex: str, after: str) -> bool:
    """Return whether what stands between two dollars is a formula, not the middle of two prices."""
    return "\n" not in latex and not latex[-1].isspace() and latex[-1] != "\\" and not after.isdigit()


@functools.lru_cache(maxsize=1 << 14)
def converted(latex: str, display: bool) -> str | None:
    """Return the MathML of a formula, None if it cannot be read."""
    try:
        return _converter().convert_with_local_state(latex, displaystyle=display)
    except BaseException as error:  # a panic of the converter is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit | MemoryError):
            raise
        return None


@functools.cache
def _converter() -> "LatexToMathML":
    """Return the converter, loaded when the first formula is there."""
    from math_core import LatexToMathML

    return LatexToMathML(fancy_error=False)
