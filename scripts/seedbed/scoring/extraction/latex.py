"""LaTeX around a value: wrappers, delimiters, spacing, balanced groups."""

import re

LONGEST = 4000  # characters; a longer group holds no answer

_LEFT = re.compile(
    r"(?:[\s~]|\\[,;:! ]|\\q?quad(?![a-z])|\\(?:display|text|script)style(?![a-z])|\*+|__?(?=[\s$\\(]|$)|`+"
    r"|\\\(|\\\[|\$+|\\limits|\\large(?![a-z])"
    r"|\\Large(?![a-z])|\\(?:huge|Huge|LARGE|small|tiny|normalsize|footnotesize|tt|sf|sc)(?![a-z])|\\[hv]?phantom\s*\{[^{}]*\}|\\bf(?![a-z])|\\rm(?![a-z])|\\it(?![a-z])|&nbsp;|&|\\\\(?=[\s$\d-])"
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
_COLOR = re.compile(r"\\color\s*\{\w+\}")


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
        if wrapper:
            place = wrapper.end()
        elif text[place : place + 1] in {'"', "'", "\u201c", "\u201d", "\u201e", "\u00ab", "\u300c", "\u300e", "{"}:
            place += 1
        elif not left:
            return place
    return place


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
