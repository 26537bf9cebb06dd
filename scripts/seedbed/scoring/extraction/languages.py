"""The words for an answer, and for being it, in ten languages."""

import functools
import re
from typing import NamedTuple


class Words(NamedTuple):
    """One language: nouns that name an answer, verbs that join it to its value, and how it writes numbers."""

    final: str  # nouns that alone make a label strong, wherever it stands
    noun: str  # nouns that make one at the beginning of a line
    verb: str  # joins a noun and a value in running text
    spaced: bool = True  # words have blanks between them
    european: bool = False  # 1.234 is 1234, and 3,5 is a decimal


LANGUAGES: dict[str, Words] = {
    "en": Words(
        r"(?:final|ultimate)\s+(?:answer|result|choice|ans\b\.?)|(?:correct|right|best)\s+(?:answer|option"
        r"|choice|alternative)",
        r"answer|ans\b\.?|(?:correct|right|best)\s+(?:option|choice|alternative)",
        r"is|was|are|equals?|(?:is|are)n't|(?:must|should|would|will|can(?:not|'t)?|has\s+to|could|may"
        r"|might)\s+(?:(?:not|therefore|thus|then|indeed|also)\s+)?be|comes?\s+(?:out\s+)?to(?:\s+be)?"
        r"|becomes|turns\s+out\s+to\s+be|works\s+out\s+to(?:\s+be)?|remains|seems\s+to\s+be|appears\s+to\s+be",
    ),
    "zh": Words(
        "(?:最终|最終|最后|最後|正确|正確)的?(?:的)?(?:答案|结果|結果|选项|選項|选择)",
        "参考答案|答案|答(?!え|案)",
        "(?:就|大约|约|大概|可能|应该|應該|应|應|即|只能|必须|便|正|必为)?(?:不是|并非|並非|不为|不為|是|为|為|等于|等於|选|選)",
        False,
    ),
    "ja": Words(
        "最終(?:的)?(?:な|の)?(?:答え|解答|回答|答|結果)|正しい(?:答え|選択肢)",
        "答え|答へ|解答|回答|正解|正答|こたえ|答(?!案)",
        "は|が",
        False,
    ),
    "ko": Words(
        "(?:최종|올바른|맞는)\\s*(?:정답|답변|해답|답|결과)",
        "정답|답변|해답|답",
        "은|는|이|가|으로는",
        False,
    ),
    "de": Words(
        r"(?:endgültige|finale|richtige|korrekte|letzte)[nrs]?\s+(?:antwort|lösung|ergebnis|option)"
        r"|endergebnis|endantwort|schlussantwort",
        r"antwort|ergebnis|lösung",
        r"(?:ist|lautet|beträgt|wäre|heißt|muss|kann)(?:\s+(?:also|somit|daher|nicht|demnach|folglich"
        r"|damit))?(?:\s+sein)?",
        european=True,
    ),
    "fr": Words(
        r"(?:réponse|reponse)\s+(?:finale|correcte|exacte|définitive)|bonne\s+réponse|résultat\s+final",
        r"réponse|reponse|résultat",
        r"(?:n'est|ne\s+vaut|est|vaut|serait|sera|doit\s+être)(?:\s+(?:pas|donc|alors|ainsi|égale?\s+à))*",
        european=True,
    ),
    "es": Words(
        r"(?:respuesta|resultado|opción|solución)\s+(?:final|correct[ao]|definitiv[ao])",
        r"respuesta|resultado|solución",
        r"(?:no\s+)?(?:es|sería|será|debe\s+ser|vale)(?:\s+(?:por\s+(?:lo\s+)?tanto|entonces|igual\s+a))*",
        european=True,
    ),
    "pt": Words(
        r"(?:resposta|resultado|alternativa|opção)\s+(?:final|corret[ao]|definitiv[ao]|cert[ao])",
        r"resposta|resultado",
        r"(?:não\s+|nao\s+)?(?:é|e\s+igual\s+a|será|seria|deve\s+ser|vale)(?:\s+(?:portanto|então|assim|igual\s+a))*",
        european=True,
    ),
    "it": Words(
        r"(?:risposta|risultato|opzione|soluzione)\s+(?:finale|corrett[ao]|esatt[ao]|definitiv[ao]|giust[ao])",
        r"risposta|risultato|soluzione",
        r"(?:non\s+)?(?:è|e'|é|sarà|sarebbe|deve\s+essere|vale)(?:\s+(?:quindi|dunque|pertanto|uguale\s+a"
        r"|pari\s+a))*",
        european=True,
    ),
    "ru": Words(
        "(?:окончательный|итоговый|правильный|верный|финальный)\\s+(?:ответ|вариант|результат)",
        "ответ(?:ом)?",
        "(?:не\\s+)?(?:равен|равно|будет|является|есть|это|составляет|равняется)|не",
        european=True,
    ),
}
LETTER = r"A-Za-z\u00c0-\u024f\u0400-\u04ff"
_PROSE = r"(?:[^.!?\n:=$\\\"]|\.(?=\d)|\"[^\"\n]{1,80}\")"
_CONTEXT = (
    r"(?:\s+(?:to|for|of|in|from|auf|für|der|des|zu|à|au|de|du|a|al|del|della|do|da|на|к)\s"
    rf"(?:{_PROSE}{{1,70}}?|(?:{_PROSE}{{0,40}}?\$[^$\n]{{1,40}}\$){{1,3}}{_PROSE}{{0,40}}?))?"
)
_ASIDE = (
    r"(?:,[^,.:\n]{1,50},|\s*\([^()\n]{1,50}\)|\s+(?:that\s+)?(?:we|i|you|they)\s+\w+(?:\s+\w+){0,2}?(?=\s)"
    r"|\s+(?:that|which)\s+[^.,:;\n]{1,50}?(?=\s(?:is|was)\s)|\s+(?:obtained|sought"
    r"|required|needed|requested))?"
)
MARKS = re.compile(
    r"(?:[*_\s}\"'\u201d`$)\]]|</(?:b|strong|i|em|u"
    r"|h[1-6])>){0,6}(?:[(\[][^()\[\]\n]{1,40}[)\]][*_\s}]{0,6}(?=[:\uff1a]))?"
)
COLON = re.compile(r"[:\uff1a\ufe55]")
FILLERS = re.compile(
    r"(?:[\s:\uff1a}]|(?:therefore|thus|then|hence|simply|just|only|indeed|also|clearly|exactly|precisely"
    r"|actually|obviously|now|equal\s+to|equals?|given\s+by|"
    r"is|of\s+course|in\s+fact|the\s+(?:number|integer|value|option|choice|letter|fraction|answer)|option|choice|rather|instead"
    r"|likely|probably|still|always|definitely|"
    r"somit|daher|donc|alors|entonces|portanto|quindi|dunque|igual\s+a|uguale\s+a|égale?\s+à"
    r"|pari\s+a)(?![A-Za-z\u00c0-\u024f])|,(?=\s)|数字)*",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"[ \t]{0,8}(?:>\s*|\|[ \t]*(?:\d{1,3}[ \t]*\|[ \t]*)?)?"
    r"(?:#{1,6}[ \t]*|\\(?:textbf|section\*?|subsection\*?|paragraph\*?|text)\s*\{|<(?:b|strong|i|em|u"
    r"|p|h[1-6])>|(?:[-*\u2022]"
    r"|\d+[.)])[ \t]+)?[*_]{0,3}[ \t]*\[?"
    r"(?:(?:(?:step|part|schritt|\u00e9tape|paso|passo|etapa|\u0448\u0430\u0433|\u6b65\u9aa4)[ \t]*)?"
    r"\d{1,2}[ \t]?[.:)\u3001-][ \t]*"
    r"|[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341]\u3001[ \t]*)?"
    r"(?:(?:so|thus|hence|therefore|then)?,?\s*(?:the|my|our|la|le|el|die|das|il|a|o)\s+|(?:so|thus|hence"
    r"|therefore|so)[,:]?\s+)?",
    re.IGNORECASE,
)


@functools.lru_cache(maxsize=32)
def verb_pattern(language: str) -> "re.Pattern[str]":
    """Return the pattern of what joins a noun to its value in running text; the group `verb` may hold a negation."""
    words = LANGUAGES[language]
    if not words.spaced:
        return re.compile(rf"\s*[*_]{{0,3}}\s*(?P<verb>{words.verb}|=|\uff1d)", re.IGNORECASE)
    verb = rf"(?<![{LETTER}])(?:{words.verb})(?![{LETTER}])"
    dash = r"|[\u2014\u2013-](?=\s)" if language == "ru" else r"|\u2014(?=\s*[$\d*\\])"
    return re.compile(
        rf"{_CONTEXT}{_ASIDE}[*_\s}}\"')]{{0,6}}(?P<verb>{verb}|'s(?=\s)|-{{1,2}}>|=>?|\u2192|\u21d2{dash})",
        re.IGNORECASE,
    )
