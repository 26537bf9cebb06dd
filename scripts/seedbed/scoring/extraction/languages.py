"""The words of each language: for an answer, for being it, for denying it; and where they are in a text."""

# ruff: noqa: RUF001
import functools
import re
from collections.abc import Iterator
from typing import NamedTuple

UNKNOWN = re.compile(
    r"(?<![A-Za-z])(?:un(?:known|defined|determined|clear|certain|bekannt)|none\b|n/?a\b|no (?:answer|solution|such)"
    r"|not (?:enough|sure|known|possible|"
    r"determin|given|defined|applicable|clear)|cannot|can't|could not|couldn't|impossible|insufficient"
    r"|undetermin|inconclusive|"
    r"i (?:do not|don't|am not|cannot|can't)|to be (?:determined|found)|tbd\b|keine\b|nicht (?:bestimm"
    r"|bekannt|lös)|aucune?\b|inconnue?\b|"
    r"indétermin|ninguna?\b|desconocid|indetermin|nenhuma?\b|desconhecid|sconosciut|nessun|неизвестн|"
    r"невозможн|нет\b|无正确|没有正确|题目(?:可能)?有误|未知|不确定|不確定|无法|無法|不知|无解|無解|不存在|不明"
    r"|わから|分から|求められ|알 수 없|없습니다|없다|없음)",
    re.IGNORECASE,
)
RANGE = re.compile(
    r"(?<![A-Za-z])(?:between|either|anywhere|somewhere|from\s|at (?:least|most)|(?:less|more|greater|fewer|larger"
    r"|smaller|higher|lower) than|above|below|over\s|"
    r"under\s|up to|one of|both|neither|zwischen|entweder|mindestens|höchstens|entre|soit|au (?:moins|plus)"
    r"|al menos|como máximo|"
    r"pelo menos|no máximo|tra\s|fra\s|almeno|al massimo|между|от\s|либо|не менее|не более|至少|至多|大于|小于|介于|"
    r"<(?![/|A-Za-z])|[>\u2264\u2265\u00b1]|\\(?:leq?|geq?|pm|mp|lt|gt|neq?)(?![a-z]))",
    re.IGNORECASE,
)
APPROXIMATE = re.compile(
    r"(?:approximately|approx\.?|about|around|roughly|nearly|almost|circa|ca\.|etwa|ungefähr|environ"
    r"|aproximadamente|cerca de|circa|приблизительно|около|大约|约|大約|約|약|\u2248|\\approx(?![a-z])"
    r"|\\sim(?![a-z])|~)\s*",
    re.IGNORECASE,
)
NEGATION = re.compile(
    r"\bnot\b|\bcannot\b|n't\b|\bnever\b|\bnicht\b|\bpas\b|\bno\b(?!\.)|\bnão\b|\bnao\b|\bnon\b|\bне\b|不是|並非"
    r"|并非|不為|不为|不等|\u2260",
    re.IGNORECASE,
)
BUT = re.compile(
    r"[,;:.]?\s*(?:\bbut\s+(?:rather\s+|instead\s+|actually\s+|is\s+)?|\bbut\b|\brather\b"
    r"|\binstead\s+(?:it\s+is\s+)?|\bit\s+is\s+|\bit's\s+|\bsondern\s+|\baber\s+|\bmais\s+(?:plutôt\s+)?"
    r"|\bsino\s+(?:que\s+es\s+)?|\bpero\s+|\bmas\s+(?:sim\s+)?|\bsim\s+|\bma\s+(?:bensì\s+)?|\bbensì\s+"
    r"|,\s*а\s+|而是|是|而为|而為)\s*",
    re.IGNORECASE,
)
# Japanese and Korean put the negation behind the number: "12 de wa naku 13", "12 ga anira 13".
NOT_BEHIND = re.compile(r"\s*[つ個人本枚円개명원]?(?:ではなく|じゃなく|でなく|(?:이|가)?\s*아니(?:라|고))[\u3001,]?\s*")
DENIED_BEHIND = re.compile(
    r"\s*(?:では(?:ない|ありません)|じゃ(?:ない|ありません)|(?:이|가)?\s*아니(?:다|에요)|(?:이|가)?\s*아닙니다|"
    r"(?:\s*(?:is|was|ist|est|es)\s+(?:wrong|incorrect|not|falsch|faux|incorrecto))"
    r"|(?:\s+would be\s+(?:wrong|the partial|if))|[,;:.]?\s+no\b(?=[\s.,!]*(?:$|\n))|\s*\?)"
)
OR = re.compile(
    r"\s*(?:\\text\s*\{\s*(?:or|and|to|oder|ou|o|或|和)\s*\}|(?:or|and|to|through|oder|und|bis|ou|et|à|o|y|e|a"
    r"|или|и|до)\s|或(?:者)?|和|至|到|または|あるいは|と|から|또는|과|와"
    r"|[,;&/~\u3001\u2013\u2014-]|\\(?:lor|vee|cup|land|wedge|quad|qquad|ldots|pm|mp|cdots|dots)(?![a-z])"
    r"|\.\.\.?|and/or\s)\s*",
    re.IGNORECASE,
)
RETRACTION = re.compile(
    r"\b(?:wait|actually|correction|corrected|sorry|oops|however|hmm|scratch that|on (?:a )?second (?:thought|look)"
    r"|my mistake|i (?:made|was|see) (?:a |an |my )?(?:mistake|error|wrong)|let me (?:correct|fix|redo|revise))\b"
    r"|等等|更正|不对，|moment mal|korrektur|attends|perdón|espera|scusa|стоп|нет, ",
    re.IGNORECASE,
)
CONDITION = re.compile(
    r"\b(?:doubt|unlikely|(?:do not|don't|cannot|can't) (?:think|believe|say)|if|unless|suppose|assuming"
    r"|whether|wenn|falls|если)\b|如果|假如",
    re.IGNORECASE,
)


class Words(NamedTuple):
    """One language: nouns that name an answer, verbs that join it to its value, and how it writes numbers."""

    final: str  # nouns that alone make a label strong, wherever it stands
    noun: str  # nouns that make one at the beginning of a line
    verb: str  # joins a noun and a value in running text
    needles: tuple[str, ...]  # lower-case words of which every noun holds one
    spaced: bool = True  # words have blanks between them
    european: bool = False  # 1.234 is 1234, and 3,5 is a decimal


LANGUAGES: dict[str, Words] = {
    "en": Words(
        r"(?:final|ultimate)\s+(?:answer|result|choice|ans\b\.?)|(?:correct|right|best|selected|chosen)\s+"
        r"(?:answer|option|choice|alternative)",
        r"answer(?:[_ ](?:letter|option|choice|value))?|ans\b\.?|(?:correct|right|best)\s+(?:option|choice"
        r"|alternative)|(?:(?<=[\"'])|(?<=[\"']selected_))(?:option|choice|result)(?=[\"']\s*:)",
        r"is|was|are|equals?|(?:is|are)n't|(?:must|should|would|will|can(?:not|'t)?|has\s+to|could|may"
        r"|might)\s+(?:(?:not|therefore|thus|then|indeed|also)\s+)?be|comes?\s+(?:out\s+)?to(?:\s+be)?"
        r"|becomes|turns\s+out\s+to\s+be|works\s+out\s+to(?:\s+be)?|remains|seems\s+to\s+be|appears\s+to\s+be",
        ("ans", "result", "option", "choice", "alternative"),
    ),
    "zh": Words(
        "(?:最终|最終|最后|最後|正确|正確)的?(?:的)?(?:答案|结果|結果|选项|選項|选择)",
        "参考答案|答案|答(?!え|案)",
        "(?:就|大约|约|大概|可能|应该|應該|应|應|即|只能|必须|便|正|必为)?(?:不是|并非|並非|不为|不為|是|为|為|等于"
        "|等於|选|選)",
        ("答", "结果", "結果", "选项", "選項", "选择"),
        False,
    ),
    "ja": Words(
        "最終(?:的)?(?:な|の)?(?:答え|解答|回答|答|結果)|正しい(?:答え|選択肢)",
        "答え|答へ|解答|回答|正解|正答|こたえ|答(?!案)",
        "は|が",
        ("答", "正解", "結果", "選択肢", "こたえ"),
        False,
    ),
    "ko": Words(
        "(?:최종|올바른|맞는)\\s*(?:정답|답변|해답|답|결과)",
        "정답|답변|해답|답",
        "은|는|이|가|으로는",
        ("답", "결과"),
        False,
    ),
    "de": Words(
        r"(?:endgültige|finale|richtige|korrekte|letzte)[nrs]?\s+(?:antwort|lösung|ergebnis|option)"
        r"|endergebnis|endantwort|schlussantwort",
        r"antwort|ergebnis|lösung",
        r"(?:ist|lautet|beträgt|wäre|heißt|muss|kann)(?:\s+(?:also|somit|daher|nicht|demnach|folglich"
        r"|damit))?(?:\s+sein)?",
        ("antwort", "ergebnis", "lösung", "option"),
        european=True,
    ),
    "fr": Words(
        r"(?:réponse|reponse)\s+(?:finale|correcte|exacte|définitive)|bonne\s+réponse|résultat\s+final",
        r"réponse|reponse|résultat",
        r"(?:n'est|ne\s+vaut|est|vaut|serait|sera|doit\s+être)(?:\s+(?:pas|donc|alors|ainsi|égale?\s+à))*",
        ("réponse", "reponse", "résultat"),
        european=True,
    ),
    "es": Words(
        r"(?:respuesta|resultado|opción|solución|alternativa)\s+(?:final|correct[ao]|definitiv[ao])",
        r"respuesta|resultado|solución",
        r"(?:no\s+)?(?:es|sería|será|debe\s+ser|vale)(?:\s+(?:por\s+(?:lo\s+)?tanto|entonces|igual\s+a))*",
        ("respuesta", "resultado", "opción", "solución", "alternativa"),
        european=True,
    ),
    "pt": Words(
        r"(?:resposta|resultado|alternativa|opção)\s+(?:final|corret[ao]|definitiv[ao]|cert[ao])",
        r"resposta|resultado",
        r"(?:não\s+|nao\s+)?(?:é|e\s+igual\s+a|será|seria|deve\s+ser|vale)(?:\s+(?:portanto|então|assim|igual\s+a))*",
        ("resposta", "resultado", "alternativa", "opção"),
        european=True,
    ),
    "it": Words(
        r"(?:risposta|risultato|opzione|soluzione)\s+(?:finale|corrett[ao]|esatt[ao]|definitiv[ao]|giust[ao])",
        r"risposta|risultato|soluzione",
        r"(?:non\s+)?(?:è|e'|é|sarà|sarebbe|deve\s+essere|vale)(?:\s+(?:quindi|dunque|pertanto|uguale\s+a"
        r"|pari\s+a))*",
        ("risposta", "risultato", "opzione", "soluzione"),
        european=True,
    ),
    "ru": Words(
        "(?:окончательный|итоговый|правильный|верный|финальный)\\s+(?:ответ|вариант|результат)",
        "ответ(?:ом)?",
        "(?:не\\s+)?(?:равен|равно|будет|является|есть|это|составляет|равняется)|не",
        ("ответ", "вариант", "результат"),
        european=True,
    ),
    "bn": Words(
        "(?:চূড়ান্ত|সঠিক|শেষ)\\s+(?:উত্তর|ফলাফল)",
        "উত্তর(?:টি|টা)?|সমাধান",
        "হলো|হল|হচ্ছে|হবে",
        ("উত্তর", "সমাধান", "ফলাফল"),
        False,
    ),
    "sw": Words(
        r"jibu\s+(?:la\s+mwisho|sahihi|kamili|la\s+hatua\s+kwa\s+hatua)|matokeo\s+ya\s+mwisho",
        r"jibu|majibu|matokeo",
        r"(?:si\s+)?(?:ni|litakuwa|huwa|itakuwa)(?:\s+(?:sawa\s+na|kwa\s+hiyo))*|si",
        ("jibu", "matokeo"),
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
    r"|\s+(?:that|which)\s+[^.,:;\n]{1,50}?(?=\s(?:is|was)\s)|\s+(?:obtained|sought|required|needed|requested))?"
)
MARKS = re.compile(
    r"(?:[*_\s}\"'\u201d`$)\]]|</(?:b|strong|i|em|u"
    r"|h[1-6])>){0,6}(?:[(\[][^()\[\]\n]{1,40}[)\]][*_\s}]{0,6}(?=[:\uff1a]))?"
)
COLON = re.compile(r"[:\uff1a\ufe55]")
FILLERS = re.compile(
    r"(?:[\s:\uff1a}]|(?:therefore|thus|then|hence|simply|just|only|indeed|also|clearly|exactly|precisely"
    r"|actually|obviously|now|equal\s+to|equals?|given\s+by|"
    r"is|of\s+course|in\s+fact|the\s+(?:number|integer|value|option|choice|letter|fraction|answer)|option|choice"
    r"|rather|instead|likely|probably|still|always|definitely|"
    r"somit|daher|donc|alors|entonces|portanto|quindi|dunque|igual\s+a|uguale\s+a|égale?\s+à"
    r"|pari\s+a)(?![A-Za-z\u00c0-\u024f])|,\s[^,.;:\n\d$\\]{2,30},(?=\s)|,(?=\s)|、|数字)*",
    re.IGNORECASE,
)
HEAD = re.compile(
    r"[ \t]{0,8}(?:(?:\\\[|\$\$)[ \t]*)?(?:>\s*|\|[ \t]*(?:\d{1,3}[ \t]*\|[ \t]*)?)?"
    r"(?:#{1,6}[ \t]*|\\(?:textbf|section\*?|subsection\*?|paragraph\*?|text)\s*\{|<(?:b|strong|i|em|u"
    r"|p|h[1-6])>|(?:[-*\u2022]|\d+[.)])[ \t]+)?[*_'\"\u201c]{0,3}[ \t]*\[?"
    r"(?:(?:(?:step|part|schritt|\u00e9tape|paso|passo|etapa|\u0448\u0430\u0433|\u6b65\u9aa4)[ \t]*)?"
    r"\d{1,2}[ \t]?[.:)\u3001-][ \t]*|[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u4e03\u516b\u4e5d\u5341]\u3001[ \t]*)?"
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


CHUNK = 1 << 14  # characters looked at at a time
MOST = 400  # matches of one kind looked at from the end


def matches_from_end(
    pattern: "re.Pattern[str]", text: str, start: int, end: int, needles: tuple[str, ...], reach: int = 200
) -> "Iterator[re.Match[str]]":
    """Yield the last matches that begin in [start, end), last first; none of them may be longer than `reach`.

    Every match holds one of the needles, lower-case words: only their surroundings are searched.
    """
    stop, left = end, MOST
    while stop > start and left > 0:
        begin = max(start, stop - CHUNK)
        # Matches that begin before this chunk settle where those in it may begin.
        first, last = max(start, begin - reach), min(end, stop + reach)
        found = []
        for low, high in _surroundings(text, first, last, needles, reach):
            found += [match for match in pattern.finditer(text, low, high) if begin <= match.start() < stop]
        yield from reversed(found[-left:])
        stop, left = begin, left - len(found)


def _surroundings(text: str, start: int, end: int, needles: tuple[str, ...], reach: int) -> list[tuple[int, int]]:
    """Return the stretches of text[start:end] within `reach` of a needle, joined where they meet."""
    piece = text[start:end]
    lower = piece.lower()
    if len(lower) != len(piece):
        return [(start, end)]
    places = []
    for needle in _ascii(needles) if lower.isascii() else needles:
        place = lower.find(needle)
        while place >= 0:
            places.append(place)
            place = lower.find(needle, place + reach // 2)
    stretches: list[tuple[int, int]] = []
    for place in sorted(places):
        low, high = max(start, start + place - reach), min(end, start + place + reach)
        if stretches and low <= stretches[-1][1]:
            stretches[-1] = (stretches[-1][0], high)
        else:
            stretches.append((low, high))
    return stretches


@functools.lru_cache(maxsize=32)
def _ascii(needles: tuple[str, ...]) -> tuple[str, ...]:
    """Return the needles that may be in an ASCII text."""
    return tuple(needle for needle in needles if needle.isascii())


class Noun(NamedTuple):
    """A word for an answer in a text: its language, whether it is strong by itself, where it is."""

    language: str
    final: bool
    start: int
    end: int


@functools.lru_cache(maxsize=32)
def noun_pattern(languages: tuple[str, ...]) -> "re.Pattern[str]":
    """Return the pattern of every noun; the group that took part is language_1 for a strong noun, language_0 else."""
    parts = []
    for spaced in (True, False):
        nouns = [
            f"(?P<{name}_{strength}>{LANGUAGES[name].final if strength else LANGUAGES[name].noun})"
            for strength in (1, 0)
            for name in languages
            if LANGUAGES[name].spaced == spaced
        ]
        if nouns:
            either = "|".join(nouns)
            begins = "".join(sorted(set(re.findall(r"(?:^|[|(:>])([^\W\d_])", either))))  # passes over the rest fast
            guard = rf"(?<![{LETTER}])(?=[{begins}])"
            parts.append(rf"{guard}(?:{either})(?![{LETTER}0-9])" if spaced else f"(?=[{begins}])(?:{either})")
    return re.compile("|".join(parts), re.IGNORECASE)


@functools.lru_cache(maxsize=32)
def needles_of(languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the lower-case words of which every noun of these languages holds one."""
    return tuple(dict.fromkeys(needle for name in languages for needle in LANGUAGES[name].needles))


def noun_of(match: "re.Match[str]") -> Noun:
    """Return the noun that a match of `noun_pattern` found."""
    name, _, strength = str(match.lastgroup).partition("_")
    return Noun(name, strength == "1", match.start(), match.end())
