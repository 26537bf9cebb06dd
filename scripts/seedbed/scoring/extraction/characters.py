"""Characters that mean the same, made the same one by one, so that every position stays what it was."""

import unicodedata

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
