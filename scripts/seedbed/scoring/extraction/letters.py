"""Option letters, and what only looks like one."""

import re

from seedbed.scoring.extraction.hedges import UNKNOWN
from seedbed.scoring.extraction.readings import Reading, refused

_BEFORE = re.compile(
    r"(?:[\s*_`$\"'\u201c\u201d~&]|\\\(|\\\[|\\(?:text|math)(?:bf|rm|it|sf)?\s*\{|\\boxed\s*\{|\\fbox\s*\{"
    r"|\{|\[(?=\[)|</?(?:b|strong|i|em|u|p|span|code)>|\\(?:displaystyle|quad|,|;|:|!| )"
    r"|(?:the\s+)?(?:correct\s+|best\s+|right\s+)?(?:option|choice|answer|letter|alternative|opción|opção"
    r"|opzione|вариант|alternativa|antwort|réponse|lettera|letra|lettre|buchstabe|选项|選項|選択肢"
    r"|보기)(?![A-Za-z])\s*[:.]?|(?-i:the|la|el|le|o|a|die|der|l')[ ]+(?=(?:op[cç]|opz|alternativ|lett|letr"
    r"|option|antwort|réponse"
    r"|(?-i:[(*$]{0,3}[A-J](?![A-Za-z]))))|l'(?=op))*",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?P<open>[(\[<]|\\left\()?\s*(?:\\text(?:bf|rm)?\s*\{|\*\*)?(?P<letter>[A-Za-z])(?:\}"
    r"|\*\*)?\s*(?P<close>[)\]>]|\\right\))?"
)
_MORE = re.compile(
    r"[\s*$}_)\]]*(?:\\text\s*\{\s*)?(?:or|and|and/or|/|&|\||,|;|oder|und|ou|et|o|y|e|или|и|或(?:者)?|和|\u3001|と"
    r"|または|또는|와|과)(?:\s*\})?[\s*$({\[]*(?:(?:or|and|maybe|possibly|perhaps"
    r"|even)\s+)*(?:\\text\s*\{)?[(\[]?(?P<letter>[A-Z]|(?<=\()[a-z](?=\)))(?![A-Za-z0-9'])"
    r"(?!\s+(?:is|are|was|cannot|can|has|have|would|does|do|seems|gives|ist|est|es)\b)",
)
_REASON = re.compile(
    r"\s+(?:because|since|as|for|is|which|due|by|with|from|weil|da|car|parce|porque|perché|потому|would|\("
    r"|--?|\u2013|\u2014)(?![A-Za-z])"
)
_ENDS = re.compile(r"[\s*_`$}\"'\u201d)\]]*(?:\\?[.,:;!)\]]|\n|$|\\\)|\\\]|-\s|\u2013|\u2014|\(|<)")
_EITHER = re.compile(r"(?:either|both|neither|one of|any of|not|between)\b", re.IGNORECASE)


def read_letter(text: str, start: int, end: int, letters: str) -> Reading | None:
    """Return the option letter at `start` of a plain text behind a label; None for words, a refusal for several."""
    before = _BEFORE.match(text, start, end)
    place = before.end() if before else start
    match = _LETTER.match(text, place, end)
    if match is None or not _stands_alone(text, match, before[0] if before else "", end):
        if UNKNOWN.match(text, place, end) or _EITHER.match(text, place, end):
            return refused(place, place, "unknown")
        return None
    letter = match["letter"].upper()
    if letter not in letters:
        return None
    more = _MORE.match(text, match.end(), end)
    if more and more["letter"].upper() in letters and more["letter"].upper() != letter:
        return refused(match.start("letter"), more.end(), "several")
    where = match.start("letter")
    bracketed = bool(match["close"])  # what follows is the option's own text
    return Reading(letter, where, where + 1, bracketed or _ENDS.match(text, match.end(), end) is not None)


def _stands_alone(text: str, match: "re.Match[str]", before: str, end: int) -> bool:
    """Return whether a letter is an option and not the beginning of a word, an article or a formula."""
    letter, after = match["letter"], text[match.end() : match.end() + 1] if match.end() < end else ""
    behind = text[match.end("letter") : match.end("letter") + 1] if match.end("letter") < end else ""
    if behind.isalnum() and behind.isascii():
        return False
    if match["open"] and match["close"]:
        return True
    if match["open"]:
        return False
    if behind == "'" and text[match.start("letter") - 1 : match.start("letter")] == "'":
        return True
    if behind in {"_", "^", "'", "="} or (behind == "-" and text[match.end() + 0 : match.end() + 2][1:2].isalnum()):
        return behind == "_" and before.rstrip().endswith("_")
    following = text[match.end("letter") : end]
    if re.match(r"[^\S\n]*(?:[=+>^]|<(?![/|])|\\(?!\)|\]|\.|text|quad|,|;|:| ))", following):
        return False
    wrapped = before.rstrip().endswith(
        ("*", "$", "{", "`", '"', "_", "\\(", "\u201c")
    ) or before.rstrip().lower().endswith(("option", "choice"))
    if after and not after.isascii():
        return True
    if _ENDS.match(text, match.end("letter"), end) and not re.match(r"\.[A-Za-z]", following):
        return True
    if re.match(r"\.[A-Za-z]", following):
        return False
    if letter.islower():
        if letter not in "ai" and _REASON.match(text, match.end("letter"), end):
            return True
        return wrapped and re.match(r"[\s*_`$}\"]*$", following[:4]) is not None
    if letter in "AI":
        return wrapped or _REASON.match(text, match.end("letter"), end) is not None
    return True


_IN_BOX = re.compile(
    r"[(\[]?\s*(?:\\text(?:bf|rm)?\s*\{|\\math(?:bf|rm)\s*\{)?\s*(?:(?:the\s+)?(?:correct\s+)?(?:option"
    r"|choice|answer)\s*:?\s*)?[(\[]?\s*(?P<letter>[A-Za-z])\s*(?:\}\s*)?[)\]]?(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_BOX_REST = re.compile(
    r"\s*\}?\s*(?:[.:;)\]}]|-\s|\u2013|\u2014|\\q?quad(?![a-z])|\\[ ,;:~]|~|\\text"
    r"|\s+(?:[A-Za-z($\d]|\\(?:text|math|q?quad|[ ,;:])))",
    re.DOTALL,
)


def read_box_letter(text: str, start: int, end: int, letters: str) -> Reading | None:
    """Return the option letter of a box, None for a formula, a refusal for several letters."""
    match = _IN_BOX.match(text, start, end)
    if match is None:
        return None
    letter = match["letter"].upper()
    rest = match["rest"].strip()
    more = _MORE.match(text, match.end("letter"), end)
    if more and more["letter"].upper() in letters and letter in letters:
        return refused(start, end, "several")
    if letter not in letters or match["rest"][:1].isalnum():
        return None
    if rest and (re.match(r"[=+*^_<>'|/-]", rest) or not _BOX_REST.match(text, match.end("letter"), end)):
        return None
    where = match.start("letter")
    return Reading(letter, where, where + 1)
