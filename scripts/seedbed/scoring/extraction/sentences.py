"""What sentences and lines say without a label of their own: behind a label, at the end of a text, or as all of it."""

import re

from seedbed.scoring.answers import Words
from seedbed.scoring.extraction.candidates import BARE, Asked, Candidate, Reading
from seedbed.scoring.extraction.languages import CONDITION, LANGUAGES, NEGATION, RANGE, UNKNOWN, noun_pattern
from seedbed.scoring.extraction.latex import skip_decoration
from seedbed.scoring.extraction.options import last_option
from seedbed.scoring.extraction.values import AHEAD, SENTENCE, is_placeholder, read_box, read_value

_FORMULA = re.compile(r"\$\$(.+?)\$\$|\\\[(.+?)\\\]|\\\((.+?)\\\)|(?<!\\)\$((?:[^$\\]|\\.)+)\$", re.DOTALL)
_WORDS_OF_PROSE = re.compile(r"(?<![\\A-Za-z{])[A-Za-z]{3,}")
_NAMES = re.compile(r"Answer\b")
_RELATES = re.compile(
    r"[=<>\u2260\u2264\u2265\u2208]|\\(?:[lg]eq?q?|[lg]eqslant|neq?|lt|gt|in|equiv|approx|subset)(?![a-z])"
)
_STATES = re.compile(
    r"(?::|\b(?:is|are|equals?|was|be|get|gives?|obtain|answer|ist|est|es|é|è|равно|равен)|是|为|為|は)[\s*_]*$",
    re.IGNORECASE,
)  # what joins a formula to the sentence that states it
_FURTHER = re.compile(r"[.)]\s+\S|\d{3}|(?:\w+\s+){4}")  # a heading or a sentence goes on behind its number
_VERB = re.compile(
    r"(?<!\w)(?:is|it's|are|equals?|was|ist|sind|beträgt|est(?:\s+(?:donc\s+)?de)?|vaut|es|é|è|vale|равно|равна|равен"
    r"|составляет|هو|هي|ni)(?!\w)\s*|(?:是|为|為|は|等于|得到?|共有)\s*|:\s*(?=\0)",
    re.IGNORECASE,
)
_FORMULAS = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]|\$\$.*?\$\$|\$[^$\n]+\$", re.DOTALL)
_ANY_NUMBER = re.compile(r"(?<![\w.,\\^_{-])-?\\?\$?\d[\d,]*(?:\.\d+)?%?(?![\w^_]|[.,:/]\d)")
_WORD = re.compile(r"(?<![\\A-Za-z{])(?!and\b)[A-Za-z]{3,}(?![A-Za-z({}])")
DIGITS = re.compile(r"\d+")
_FOLLOWS = re.compile(r"[.!]\s+(?:so|thus|hence|therefore|then|consequently),?\s+", re.IGNORECASE)


def read_sentence(text: str, start: int, asked: Asked) -> Reading | None:
    """Return the value of the sentence behind a label, or of what follows from it: its end, or its only number."""
    line = text.find("\n", start)
    content = text[start : line if line >= 0 else len(text)][:AHEAD]
    if asked.answer_type == "choice":
        option = last_option(content, asked)
        return None if option is None else option.reading.moved(start)
    found: Reading | None = None
    begin = 0
    for stop in [*_FOLLOWS.finditer(content), None]:
        sentence = re.split(r"(?<!\d)\. |\. (?=[A-Z])", content[begin:], maxsplit=1)[0].rstrip(" \t*_")
        stated = _stated(sentence, asked)
        if found is None or begin > 0:
            found = None if stated is None else stated.moved(begin)
        if stop is None or found is None:
            break
        begin = stop.end()
    return None if found is None else found.moved(start)._replace(flags=(*found.flags, "in-sentence"))


def _stated(sentence: str, asked: Asked) -> Reading | None:
    """Return the value that ends a sentence behind its verb, else the only number in it; None where it denies it."""
    if "?" in sentence:
        return None
    found = _behind_verb(sentence, 0, len(sentence), asked)
    words = _FORMULAS.sub(_blanked, sentence)
    if found is None and "=" in sentence and not _VERB.search(words):
        found = _value(sentence, sentence.rindex("=") + 1, len(sentence), asked)
    if found is not None or _open(words) or CONDITION.search(words) or len(words.split()) < 3:
        return found
    numbers = list(_ANY_NUMBER.finditer(sentence))
    if len(numbers) != 1 or len(DIGITS.findall(sentence)) != len(DIGITS.findall(numbers[0][0])):
        return None
    if sentence[: numbers[0].start()].rstrip().endswith(","):
        return None  # "several cases, 61 in all of them"
    return read_value(sentence, numbers[0].start(), asked)


def _behind_verb(text: str, start: int, end: int, asked: Asked) -> Reading | None:
    """Return the value that fills a sentence behind its last verb; None where it is denied, open or supposed."""
    words = _FORMULAS.sub(_blanked, text[start:end])
    verbs = list(_VERB.finditer(words))
    if not verbs or CONDITION.search(words):
        return None
    verb = verbs[-1]
    clauses = [match.start() for match in _CLAUSE.finditer(words, 0, verb.start() + 4)]
    subject = words[max([0, *clauses]) : verb.start()]
    if _NOTHING.search(subject) or UNKNOWN.search(subject) or _open(words[verb.start() :]):
        return None
    inverted = _SUBJECT.match(words, verb.end())
    return _value(text, start + (inverted or verb).end(), end, asked)


def _blanked(formula: "re.Match[str]") -> str:
    """Return what stands for a formula where only words are looked at."""
    return "\0" * len(formula[0])


def is_formula(value: str) -> bool:
    """Return whether a value is a number or a formula, without words."""
    return re.search(r"\d|\\[a-zA-Z]|^.{1,2}$|[=^]", value) is not None and not _WORD.search(value)


_LOOKED_AT = 1500  # characters; no sentence that concludes is longer
_CONCLUDES = re.compile(
    r"(?:therefore|thus|hence|so|consequently|accordingly|in (?:conclusion|summary|total)|finally|also|somit|daher"
    r"|folglich|insgesamt|donc|ainsi|en conclusion|finalement|por (?:lo )?tanto|en conclusión|finalmente|portanto"
    r"|em conclusão|logo|quindi|pertanto|dunque|in conclusione|таким образом|значит|следовательно|итак|kwa hiyo|hivyo"
    r"|因此|所以|综上|故|したがって|よって|ゆえに|따라서|그러므로|لذا|لذلك|إذن|সুতরাং|অতএব)(?![A-Za-z])[,،]?\s*",
    re.IGNORECASE,
)
_SO = re.compile(r"[,;]\s+(?:and\s+)?(?:so(?!\s+(?:on|forth|far|that)\b)|thus|hence|therefore)\b,?\s*", re.IGNORECASE)
_EQUATION = re.compile(r"[$\\(\[\s]*[A-Za-z](?:_\{?\w\}?)?\s*=\s*(?=[-\d$\\(])")  # "therefore, x = 5"
_HAS = re.compile(
    r"(?<!that )(?<!which )(?<!who )\b(?:has|have|had|there (?:are|is|were)|needs?|takes?|costs?|earns?|pays?|makes?"
    r"|gets?|receives?|spends?)\s+(?=[*`]{0,2}\\?\$?\d[\d,.]*[*`]{0,2}(?:\s+[A-Za-z]+){0,4}[.!\s]*$)"
)  # verbs whose object may be the only number of a sentence that concludes
_NOTHING = re.compile(
    r"\b(?:no|none|neither|nor|nothing|never|kein\w*|aucune?|ningun\w*)\b|n't\b|没有|不", re.IGNORECASE
)
_SUBJECT = re.compile(r"(?:die|der|das)\s+\w+\s+(?=[\d\0-])")  # "also ist die Summe 14"
_CLAUSE = re.compile(r"[,;]\s|\b(?:which|that|but|it's|who|and)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?\n।])\s+")
_TURN = re.compile(r"(?<=[\s$])(?:So|Therefore|Thus|Hence),(?=\s)")  # a sentence that begins behind a formula
_BOLD = re.compile(r"(?:^|(?<=\s))(\*\*|__)(?P<value>[^*_\n]{1,80}?)\1[ \t]*[.!]?$")
_TOKEN = re.compile(r"<\|[a-z_]+\|>")
_WISH = re.compile(r"(?:^|(?<=\s))I hope (?:it|this)[^.!\n]{0,60}[.!]?$")


def last_words(text: str, original: str, asked: Asked, words: Words | None, whole: bool) -> Candidate | None:
    """Return what the end of a text says without a mark: its last sentence, or all of a short text (`whole`)."""
    if asked.answer_type == "choice":
        found = last_option(text, asked, words)
        reading = read_option(text, asked) if whole and found is None else None
        first = _FIRST_LINE.match(text) if reading is None and whole and found is None else None
        if first and not _ITEMS.search(text):
            reading = read_option(first[0], asked)
        return found if reading is None else Candidate(reading, "bare", BARE, reading.start)
    reading = read_conclusion(text, asked)
    if reading is None and whole:
        reading = read_bare(original) if asked.answer_type == "math" else None
        if asked.answer_type != "math" and len(text) <= 400 and text.strip().count("\n") <= 2:
            reading = read_whole(text, asked)
    return None if reading is None else Candidate(reading, "bare", BARE, reading.start)


def read_option(content: str, asked: Asked) -> Reading | None:
    """Return an option that is all there is on the only line of a text, its own words behind it or not, or None."""
    line = content.strip()
    marked = set(re.findall(r"(?<!not )(?:[(\[]|\b[Oo]ption )([A-J])\b", line))
    if "\n" in line or len(line) > 200 or len(marked) > 1 or line.startswith(("* ", "- ")) or _SPEAKER.match(line):
        return None
    reading = read_value(content, 0, asked)
    return reading if reading is not None and reading.value is not None and reading.clean else None


_FIRST_LINE = re.compile(r"\s*(?:[*_(\[]*[A-J][)\].:*_]*[ \t]*(?=\n)|[*_]*[(\[][A-J][)\]][^\n]{0,200})")  # an option
_ITEMS = re.compile(r"\n[ \t>*_#-]*(?:option |choice )?[(\[]?[A-J][.):\]]", re.IGNORECASE)  # options are gone through
_SPEAKER = re.compile(
    r"A\s*(?::|[.)]\s+(?:Let|I|We|First|To|Okay|Sure)\b)"
)  # "A: Let's think", where A may be an option


def read_conclusion(text: str, asked: Asked) -> Reading | None:
    """Return what the last sentence of a plain text states; nothing that it denies, leaves open or only supposes.

    The sentence begins with "therefore" or a word like it; for mathematics it may also be the only one, or stress its
    value in bold.
    """
    token = _TOKEN.search(text, max(0, len(text) - _LOOKED_AT))
    end = len(text[: token.start() if token else len(text)].rstrip())
    wish = _WISH.search(text, max(0, end - 100), end)
    if wish:
        end = len(text[: wish.start()].rstrip())
    begin = max(0, end - _LOOKED_AT)
    starts = [match.end() for match in _SENTENCE.finditer(text, begin, end)]
    starts += [match.start() for match in _TURN.finditer(text, begin, end)]
    start = max((one for one in starts if not text[:one].rstrip(" \n*").endswith(":")), default=begin)
    sentence = text[start:end]
    words = _FORMULAS.sub(_blanked, sentence)
    if start == begin > 0 or CONDITION.search(words) or "?" in sentence:
        return None
    math = asked.answer_type == "math"
    alone = math and not text[:start].strip()
    bold = _BOLD.search(text, start, end) if math else None
    if bold:
        before = text[max(start, bold.start() - 30) : bold.start()]
        return None if _open(before) else _value(text, bold.start(2), bold.end(2), asked)
    concludes = _CONCLUDES.match(words)
    if not math and concludes is not None and sentence[0].islower():
        return None
    concludes = concludes or next(_SO.finditer(words), None)
    if concludes and _ANY_NUMBER.match(words, concludes.end()):
        return None  # "3 reds equal 2 blues" says two values
    last_line = _EQUATION.match(text, start, end) if text[:start].endswith("\n") else None
    if last_line and concludes is None:
        return _value(text, last_line.end(), end, asked)
    if concludes is None:
        return _behind_verb(text, start, end, asked) if alone else None
    equation = _EQUATION.match(text, start + concludes.end(), end)
    if equation:
        return _value(text, equation.end(), end, asked)
    found = _behind_verb(text, start, end, asked)
    only = _HAS.search(words) if found is None and len(DIGITS.findall(sentence)) == 1 else None
    if only is None or _open(words):
        return found
    return read_value(text[:end], start + only.end(), asked)


def _open(clause: str, hedges: tuple["re.Pattern[str]", ...] = (NEGATION, RANGE, UNKNOWN)) -> bool:
    """Return whether a clause denies what it says or leaves it open."""
    return any(hedge.search(clause) for hedge in hedges)


def _value(text: str, start: int, end: int, asked: Asked) -> Reading | None:
    """Return the value that fills text[start:end], units and all, or None."""
    place = skip_decoration(text, start, end)
    if not re.search(r"\d|\\[a-zA-Z]", text[place:end]):
        return None
    reading = read_value(text[:end], start, asked)
    if reading is None or reading.value is None or not reading.clean or not is_formula(reading.value):
        return None
    if "\n" in text[reading.end : end].rstrip(" \n$\\)]}.*"):
        return None  # more lines follow
    return reading._replace(flags=(*reading.flags, "conclusion"))


def read_whole(content: str, asked: Asked) -> Reading | None:
    """Return a value that is all there is in a stretch, or None."""
    if not content.strip() or len(content) > 400:
        return None
    reading = read_value(content, 0, asked)
    if reading is None or (reading.value is not None and not reading.clean):
        return None
    before = content[: reading.start].replace("\\text", "").replace("\\boxed", "")
    if reading.value and re.search(r"[A-Za-z]{2,}", before):
        return None
    rest = content[reading.end :].strip()
    return None if "\n" in rest or (reading.value is not None and _FURTHER.search(rest)) else reading


def read_bare(text: str) -> Reading | None:
    """Return the answer of a reply that is one short line: the line itself, or the only formula in its sentence."""
    start = len(text) - len(text.lstrip())
    line = text.strip()
    if not line or len(line) > 200 or len(re.sub(r"\\\[\s*|\s*\\\]|\$\$\s*|\s*\$\$", "", line).split("\n")) > 1:
        return None
    if noun_pattern(tuple(LANGUAGES)).fullmatch(re.sub(r"^\W+|[\W_]+$", "", line.lstrip("_"))):
        return None  # a label and nothing behind it
    formulas = list(_FORMULA.finditer(line))
    before, after = (line[: formulas[0].start()], line[formulas[0].end() :]) if formulas else (line, "")
    words = before + after
    if len(formulas) == 1 and (":" in words or SENTENCE.search(words) or len(words.split()) > 2 or _NAMES.match(words)):
        if (
            NEGATION.search(words)
            or "?" in after
            or not (_RELATES.search(formulas[0][0]) or not before.strip() or _STATES.search(before))
        ):
            return None
        content = next(group for group in formulas[0].groups() if group is not None)
        start, line = start + formulas[0].start() + formulas[0][0].index(content), content
    elif (not formulas and (line.startswith("<") or len(_WORDS_OF_PROSE.findall(line)) > 2)) or (
        SENTENCE.search(line) and not (formulas and formulas[0].start() == 0)
    ):
        return None
    elif len(formulas) > 1:
        return Reading(line, start, start + len(line))
    box = read_box(line, "math", "")
    value = "" if box is None else (box.value or "").strip()
    if box is None or not value or value.startswith("<") or is_placeholder(value, "math"):
        return None
    return box._replace(start=start + box.start, end=start + box.end)
