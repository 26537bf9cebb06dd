"""The nouns that name an answer, in ten languages: how to find them in a text, and fast."""

import functools
import re
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from seedbed.scoring.extraction.languages import LANGUAGES, LETTER

NEEDLES = {
    "en": ("ans", "result", "option", "choice", "alternative"),
    "zh": ("答", "结果", "結果", "选项", "選項", "选择"),
    "ja": ("答", "正解", "結果", "選択肢", "こたえ"),
    "ko": ("답", "결과"),
    "de": ("antwort", "ergebnis", "lösung", "option"),
    "fr": ("réponse", "reponse", "résultat"),
    "es": ("respuesta", "resultado", "opción", "solución"),
    "pt": ("resposta", "resultado", "alternativa", "opção"),
    "it": ("risposta", "risultato", "opzione", "soluzione"),
    "ru": ("ответ", "вариант", "результат"),
}  # every noun of a language holds one of these


class Noun(NamedTuple):
    """A word for an answer in a text: its language, whether it is strong by itself, where it stands."""

    language: str
    final: bool
    start: int
    end: int


@functools.lru_cache(maxsize=32)
def noun_pattern(languages: tuple[str, ...]) -> "re.Pattern[str]":
    """Return the pattern of every noun; the group that took part is language_1 for a strong noun, language_0 else."""
    parts = []
    for spaced in (True, False):
        names = [name for name in languages if LANGUAGES[name].spaced == spaced]
        nouns = [
            (f"{name}_{strength}", LANGUAGES[name].final if strength else LANGUAGES[name].noun)
            for strength in (1, 0)
            for name in names
        ]
        if nouns:
            begins = f"(?=[{''.join(sorted(set().union(*(initials(noun) for _, noun in nouns))))}])"
            groups = "|".join(f"(?P<{name}>{noun})" for name, noun in nouns)
            parts.append(
                rf"(?<![{LETTER}]){begins}(?:{groups})(?![{LETTER}0-9])" if spaced else f"{begins}(?:{groups})"
            )
    return re.compile("|".join(parts), re.IGNORECASE)


def initials(pattern: str) -> set[str]:
    """Return the characters that matches of a pattern of words may begin with: a search passes over the rest."""
    return _initials(parser.parse(pattern))


def _initials(tree: Any) -> set[str]:
    """Return the same for a parsed pattern, whose first part is a literal, a choice of them or a group."""
    kind, value = tree[0]
    if kind is op.LITERAL:
        return {chr(value)}
    if kind is op.SUBPATTERN:
        return _initials(value[3])
    if kind is op.IN:
        return {chr(one) for _, one in value}
    return set().union(*map(_initials, value[1]))


@functools.lru_cache(maxsize=32)
def needles_of(languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lower-case words of which every noun of these languages holds one."""
    return tuple(dict.fromkeys(needle for name in languages for needle in NEEDLES[name]))


def noun_of(match: "re.Match[str]") -> Noun:
    """Return the noun that a match of `noun_pattern` found."""
    name, _, strength = str(match.lastgroup).partition("_")
    return Noun(name, strength == "1", match.start(), match.end())
