"""Characters and LaTeX around a value: look-alikes, wrappers, delimiters, groups, boxes."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

LONGEST = 4000  # characters; a longer group holds no answer

_LEFT = re.compile(
    r"(?:[\s~]|\\[,;:! ]|\\q?quad(?![a-z])|\\(?:display|text|script)style(?![a-z])|\*+|__?(?=[\s$\\(]|$)|`+"
    r"|\\\(|\\\[|\$+|\\limits|\\large(?![a-z])"
    r"|\\Large(?![a-z])|\\(?:huge|Huge|LARGE|small|tiny|normalsize|footnotesize|tt|sf|sc)(?![a-z])"
    r"|\\[hv]?phantom\s*\{[^{}]*\}|\\bf(?![a-z])|\\rm(?![a-z])|\\it(?![a-z])|&nbsp;|&|\\\\(?=[\s$\d-])"
    r"|\\begin\{(?:aligned|align\*?|gathered|gather\*?|equation\*?|split|center|math|displaymath)\}"
    r"|</?(?:b|strong|i|em|u|p|span|mark|code|br|div|center|h[1-6])(?:\s[^<>\n]{0,60})?/?>|={2,}(?=\s*[\d$\\(-]))+",
)
_RIGHT = re.compile(
    r"(?:[\s~]|\\[,;:! ]|\\q?quad|\*+|`+|\\\)|\\\]|(?<!\\)\$+|&|\\\\"
    r"|\\end\{(?:aligned|align\*?|gathered|gather\*?|equation\*?|split|center|math|displaymath)\})+$"
)
_STOPS = re.compile(r"[\s.,;:]+$")
_WRAPPER = re.compile(
    r"\\(?:text(?:bf|rm|it|sf|tt|normal|sl|sc|up)?|math(?:bf|rm|it|sf|tt|bb|cal|normal|ord|rel)?|boldsymbol"
    r"|bm|mbox|hbox|operatorname\*?|"
    r"underline|uline|boxed|fbox|emph|bold|ensuremath|fcolorbox\{\w+\}\{\w+\}|colorbox\{\w+\}"
    r"|textcolor\{\w+\}|color\{\w+\}|pmb)\s*\{"
)
_GOES_ON = re.compile(r"[ \t]*[_^]|[ \t]*[-+*/][ \t]*[\\\w(]")
_COLOR = re.compile(r"\\color\s*\{\w+\}")
MOST_BOXES = 500  # boxes looked at from the end, empty ones and placeholders
_OPENING = re.compile(r"\s*\{")
_BARE = re.compile(r"\s*\$?\s*([-\u2212]?\d[\d,]*(?:\.\d+)?)(?![\w{])")
_LIKE = {
    "-": "\u2212\u2010\u2011\ufe63\uff0d\ufe58\u2796\u2043",
    "+": "\uff0b\u2795",
    "=": "\uff1d",
    ":": "\uff1a\ufe55",
    ",": "\uff0c\u066c",
    ".": "\uff0e\uff61\u3002\u066b",
    "(": "\uff08",
    ")": "\uff09",
    "[": "\uff3b\u3010\u3014",
    "]": "\uff3d\u3011\u3015",
    "{": "\uff5b",
    "}": "\uff5d",
    "%": "\uff05",
    "/": "\uff0f\u2044\u2215\u00f7",
    "*": "\uff0a\u2217\u00d7\u00b7\u22c5\u2219",
    "!": "\uff01",
    "?": "\uff1f",
    ";": "\uff1b",
    "~": "\uff5e\u301c",
    "$": "\uff04",
    "<": "\uff1c",
    ">": "\uff1e",
    "#": "\uff03",
    " ": ("\u00a0\u202f\u2009\u2007\u2002\u2003\u2005\u2006\u2008\u200a\u3000\u200b\ufeff\u2060\u200e\u200f"),
    "'": "\u2019\u2018\u02bc",
    "\\": "\uff3c",
    "^": "\uff3e",
    "_": "\uff3f",
    "\u2248": "\u2243\u2245\u2252",
}  # a plain character: those that mean the same
_SAME = {like: plain_one for plain_one, all_like in _LIKE.items() for like in all_like}


class _Table(dict[int, str]):
    """A translation table that works out digits and full-width letters when it first meets them."""

    def __missing__(self, code: int) -> str:
        """Return the plain form of a character and remember it."""
        character = chr(code)
        plain = _SAME.get(character, character)
        if plain == character and code > 0x7F:
            if 0xFF21 <= code <= 0xFF3A or 0xFF41 <= code <= 0xFF5A:
                plain = chr(code - 0xFEE0)
            elif unicodedata.category(character) == "Nd":
                plain = str(unicodedata.digit(character))
        self[code] = plain
        return plain


_table = _Table()


def plain(text: str) -> str:
    """Return `text` with full-width and other look-alike characters in their plain form; the length stays the same."""
    return text if text.isascii() else text.translate(_table)


def group_end(text: str, start: int, limit: int = LONGEST) -> int | None:
    r"""Return where the group closes whose content begins at `start`, or None; \{ and \} count in pairs like braces."""
    depth = 1
    stop = min(len(text), start + limit)
    opening, closing = text.find("{", start, stop), text.find("}", start, stop)
    while closing >= 0:
        if 0 <= opening < closing:
            depth += 1
            opening = text.find("{", opening + 1, stop)
        else:
            depth -= 1
            if depth == 0:
                return closing
            closing = text.find("}", closing + 1, stop)
    return None


def unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the stretch without blanks, delimiters, wrappers and final stops around all of it."""
    while True:
        before = (start, end)
        left = _LEFT.match(text, start, end)
        if left:
            start = left.end()
        inner = text[start:end]
        right = _RIGHT.search(inner)
        if right:
            end = start + right.start()
        stops = _STOPS.search(text[start:end])
        if stops and not text[start:end].endswith("\\" + stops[0]):
            end = start + stops.start()
        color = _COLOR.match(text, start, end)
        if color:
            start = color.end()
        wrapper = _WRAPPER.match(text, start, end)
        opening = wrapper.end() if wrapper else start + 1 if text.startswith("{", start) and start < end else None
        if opening is not None and group_end(text, opening) == end - 1:
            start, end = opening, end - 1
        if (start, end) == before or start >= end:
            return start, max(start, end)


def skip_decoration(text: str, start: int, end: int) -> int:
    """Return the position after everything that may stand between a label and its value."""
    place = start
    while place < end:
        left = _LEFT.match(text, place, end)
        if left:
            place = left.end()
        wrapper = _WRAPPER.match(text, place, end) or _COLOR.match(text, place, end)
        if wrapper and not _closed_early(text, wrapper, end):
            place = wrapper.end()
        elif text[place : place + 1] in {'"', "'", "\u201c", "\u201d", "\u201e", "\u00ab", "\u300c", "\u300e", "{"}:
            place += 1
        elif not left:
            return place
    return place


def _closed_early(text: str, wrapper: "re.Match[str]", end: int) -> bool:
    """Return whether a formula goes on behind the group of a wrapper: then it is a part of the value."""
    close = group_end(text, wrapper.end(), end - wrapper.end()) if wrapper[0].endswith("{") else None
    return close is not None and _GOES_ON.match(text, close + 1, end) is not None


def top_level(text: str, start: int, end: int, marks: "re.Pattern[str]") -> list[tuple[int, int]]:
    """Return the spans of `marks` that stand outside every brace and bracket of the stretch."""
    found = []
    depth = 0
    place = start
    while place < end:
        character = text[place]
        if character in "{([":
            depth += 1
        elif character in "})]":
            depth = max(0, depth - 1)
        elif depth == 0:
            match = marks.match(text, place, end)
            if match and match.end() > place:
                found.append(match.span())
                place = match.end()
                continue
        place += 2 if character == "\\" and text[place + 1 : place + 2] in {"{", "}", "(", ")", "[", "]"} else 1
    return found


class Box(NamedTuple):
    """A box: where its command begins, and its content, None if it never closes."""

    start: int
    content: tuple[int, int] | None
    end: int


def boxes_from_end(text: str, commands: tuple[str, ...]) -> Iterator[Box]:
    """Yield the boxes from the last to the first; a bare command without a group or number is a mere word."""
    places = {command: text.rfind("\\" + command) for command in commands}
    for _ in range(MOST_BOXES):
        command = max(places, key=lambda name: places[name])
        start = places[command]
        if start < 0:
            return
        places[command] = text.rfind("\\" + command, 0, start)
        after = start + 1 + len(command)
        opening = _OPENING.match(text, after)
        if opening:
            end = group_end(text, opening.end())
            if end is None:
                yield Box(start, None, len(text))
            else:
                yield Box(start, (opening.end(), end), end + 1)
            continue
        bare = _BARE.match(text, after)
        if bare:
            yield Box(start, bare.span(1), bare.end())
