"""Option letters: what is one and what only looks like one, and running text that names one as the answer."""

# ruff: noqa: RUF001
import re
from collections.abc import Callable, Iterator
from heapq import merge

from seedbed.scoring.extraction.candidates import NAMED, REACH, STATED, Asked, Candidate, Reading, refused
from seedbed.scoring.extraction.languages import CONDITION, DENIED_BEHIND, UNKNOWN, matches_from_end

_BEFORE = re.compile(
    r"(?:[\s*_`$\"'\u201c\u201d~&]|\\\(|\\\[|\\(?:text|math)(?:bf|rm|it|sf)?\s*\{|\\boxed\s*\{|\\fbox\s*\{"
    r"|\{|\[(?=\[)|</?(?:b|strong|i|em|u|p|span|code)>|\\(?:displaystyle|quad|,|;|:|!| )"
    r"|\$?(?P<name>LETTER|ANSWER|OPTION)\s+where\s+\$?(?P=name)\s+is\b"
    r"|(?:the\s+)?(?:correct\s+|best\s+|right\s+)?(?:option|choice|answer|letter|alternative|opción|opção"
    r"|opzione|вариант|alternativa|antwort|réponse|lettera|letra|lettre|buchstabe|选项|選項|選択肢"
    r"|보기)(?![A-Za-z])\s*[:.]?|(?-i:the|la|el|le|o|a|die|der|l')[ ]+(?=(?:op[cç]|opz|alternativ|lett|letr"
    r"|option|antwort|réponse|(?-i:[(*$]{0,3}[A-J](?![A-Za-z]))))|l'(?=op))*",
    re.IGNORECASE,
)
_LETTER = re.compile(
    r"(?P<open>[(\[<]|\\left\()?\s*(?:\\text(?:bf|rm)?\s*\{|\*\*)?(?P<letter>[A-Za-z])(?:\}"
    r"|\*\*)?\s*(?P<close>[)\]>]|\\right\))?"
)
_MORE = re.compile(
    r"[\s*$}_)\]]*(?:\\text\s*\{\s*)?(?:or|and|and/or|/|&|\||,|;|oder|und|ou|et|o|y|e|или|и|或(?:者)?|和|、|と"
    r"|または|또는|와|과)(?:\s*\})?[\s*$({\[]*(?:(?:or|and|maybe|possibly|perhaps"
    r"|even|else|also|both)\s+)*(?:\\text\s*\{)?[(\[]?(?P<letter>[A-Z]|(?<=\()[a-z](?=\)))(?![A-Za-z0-9'])"
    r"(?!\s+(?:is|are|was|cannot|can|has|have|would|does|do|seems|gives|ist|est|es)\b)",
)
_LISTED = re.compile(r"[.):][^\n]{0,300}\n[ \t>*_-]*[(\[]?(?P<letter>[A-J])[.):]\s")  # another option on the line below
_JOINED = re.compile(r"A?B?C?D?E?F?G?(?<=[A-G]{2})(?![A-Za-z0-9'-])")  # "BD"
_REASON = re.compile(
    r"\s+(?:because|since|as|for|is|which|due|by|with|from|weil|da|car|parce|porque|perché|потому|would|\("
    r"|--?|\u2013|\u2014)(?![A-Za-z])"
)
_ENDS = re.compile(r"[\s*_`$}\"'\u201d)\]]*(?:\\?[.,:;!)\]]|\n|$|\\\)|\\\]|-\s|\u2013|\u2014|\(|<)")
_EITHER = re.compile(r"(?:either|both|neither|one of|any of|not|between)\b", re.IGNORECASE)
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


def read_letter(text: str, start: int, end: int, letters: str) -> Reading | None:
    """Return the option letter at `start` of a plain text behind a label; None for words, a refusal for several."""
    before = _BEFORE.match(text, start, end)
    place = before.end() if before else start
    match = _LETTER.match(text, place, end)
    joined = _JOINED.match(text, place, end)
    if joined and set(joined[0]) <= set(letters):
        return refused(place, joined.end(), "several")
    if match is None or not _stands_alone(text, match, before[0] if before else "", end):
        if UNKNOWN.match(text, place, end) or _EITHER.match(text, place, end):
            return refused(place, place, "unknown")
        return None
    letter = match["letter"].upper()
    if letter not in letters:
        return None
    more = _MORE.match(text, match.end(), end)
    if more is None and not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip(" \t>*_-"):
        more = _LISTED.match(text, match.end("letter"), end)
    if more and more["letter"].upper() in letters and more["letter"].upper() != letter:
        return refused(match.start("letter"), more.end(), "several")
    where = match.start("letter")
    # Behind a bracket the option's own text follows.
    return Reading(letter, where, where + 1, bool(match["close"]) or _ENDS.match(text, where + 1, end) is not None)


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
    if behind == "'" and not text[match.end("letter") + 1 : match.end("letter") + 2].isalnum():
        return True
    if behind in {"_", "^", "'", "="} or (behind == "-" and text[match.end() + 0 : match.end() + 2][1:2].isalnum()):
        return behind == "_" and before.rstrip().endswith("_")
    following = text[match.end("letter") : end]
    if re.match(r"[^\S\n]*(?:[=+>^\u221e]|<(?![/|a-z])|\\(?!\)|\]|\.|text|quad|,|;|:| ))", following):
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


def is_denied_behind(text: str, start: int, end: int) -> bool:
    """Return whether what follows an option takes it back: "B is wrong", "D 不正确"."""
    return DENIED_BEHIND.match(text, start, end) is not None


# An option as running text names one: "(C)", "option C", "**C. words**"; a bare letter is marked by its sentence alone.
_WORD = (
    r"(?:option|choice|answer|statement|alternative|opción|opção|opzione|alternativa|alternative|вариант|antwort"
    r"|réponse|respuesta|resposta|risposta)"
)
_ONE = r"[*_$]{0,3}[(\[]?(?P<one>[A-J])[)\]]?[*_$.]{0,3}"
_RIGHT = (
    r"(?:one\s+(?:that|which)|correct|right|best|most\s+\w+|answer|richtig\w*|korrekt\w*|correcte?|correcta|bonne"
    r"|corret[ao]|corrett[ao]"
    r"|верн\w+|правильн\w+)"
)
_VERDICT = re.compile(
    rf"(?:(?<![A-Za-z\u00c0-\u024f\u0400-\u04ff*_$(\[]){_ONE}\s+(?:is|would\s+be|ist|est|es|é|è|[-\u2013\u2014])\s+"
    r"(?:indeed\s+|therefore\s+|clearly\s+|thus\s+|definitely\s+|the\s+only\s+)?(?:the\s+|die\s+|la\s+|a\s+|o\s+)?"
    rf"{_RIGHT}(?![A-Za-z])"
    r"|(?:选项?|選項?|選択肢|只有|仅|僅|只有选项)?\s*(?<![A-Za-z])[(]?(?P<two>[A-J])[)]?\s*(?:选项|選項|项|項)?[^\n。，,;；A-Za-z]{0,24}?"
    r"(?:是|が|は|最|才)?\s*(?:正确|正確|对的|正しい|正解|符合|恰当|合适)|[(]?(?P<three>[A-J])[)]?(?:가|이)?\s*(?:정답|맞))"
)
_VERDICT_NEEDLES = (
    "correct", "right", "best", "most ", "answer", "richtig", "korrekt", "bonne", "corret", "corrett", "верн",
    "правильн", "正确", "正確", "对的", "正しい", "正解", "符合", "恰当", "合适", "정답", "맞",
)  # fmt: skip
_CHOOSE = re.compile(
    r"\b(?:i|we)\s*(?:'ll|'d|will|would|can|should|must)?\s*(?:therefore\s+)?(?:choose|pick|select"
    r"|go\s{1,2}with|chose|say|answer|guess|'m\s+going\s+with|am\s+going\s+with)\s+(?:option\s+|answer\s+|choice\s+)?"
    r"|\bmy\s+(?:choice|pick)\s+is\s+"
    r"|(?:故|应|應|所以|因此|答案|只能)?(?:选择|選擇|应选|應選|选(?!项)|選(?!項))(?:选项|選項)?(?:的是|为)?[:\uff1a]?\s*(?=[*(\uff08\[]{0,3}[A-J])",
    re.IGNORECASE,
)
_CHOOSE_NEEDLES = (
    "say", "d answer", "ll answer", "i answer", "guess", "going with", "choose", "chose", "pick", "select", "go with",
    "go  with", "choice", "选", "選",
)  # fmt: skip
_SUPERLATIVE = re.compile(
    r"\b(?:(?:best|closest|correct|right|strongest|final|most\s+[a-z]+|only)(?:\s+[a-z-]+){0,2}?\s+"
    r"(?:fit|match|guess|statement|description|explanation|candidate|conclusion|pair|combination|order|value|one|option"
    r"|choice|answer|selection|response|letter|bet|pick|verdict|decision|interpretation|hypothesis|reason)s?"
    r"|odd\s+one\s+out)(?:\s+(?:here|among\s+(?:these|them|the\s+\w+(?:\s+\w+)?)"
    r"|(?:to|for|of|with)\s+(?:this|these|the)\s+[a-z]+))?\s*(?:is|would\s+be|seems\s+to\s+be|:|is\s+then)\s*:?\s*",
    re.IGNORECASE,
)
_SUPERLATIVE_NEEDLES = ("best", "closest", "correct", "right", "strongest", "final", "most", "only", "odd")
_DENIED = re.compile(
    r"(?:\bnot|n't|\bnever|\bno longer|\bnicht|\bpas|\bno|\bnão|\bnon|\bне|不|没有|沒有|无法|無法|并非|別|别)\s*"
    r"(?:[\w\u4e00-\u9fff]{0,12}\s*)?$",
    re.IGNORECASE,
)
_NOT_RIGHT = re.compile(
    r"(?:不|不太|不够|並不|并不|没有|非)\s*(?:是|够|能|太|完全)?\s*(?:正确|正確|对的|符合|恰当|合适)$"
)
_PART = re.compile(r"\s+(?:in part|as an?|about|only|in itself|for|name|but|however|if|when|yet)\b", re.IGNORECASE)
_THING = re.compile(
    r"(?<![A-Za-z])(?!(?:so|that|hence|thus|therefore|then|and|but|or|only|because|since|as|where|while|when|here"
    r"|clearly"
    r"|option|choice|answer|statement|letter|alternative|say|says|think|believe|conclude|see|is|are|was|shows?|why"
    r"|which"
    r"|whether|know|means?|suggests?|indicates?|implies|confirms?|follows|clear|sure)\s)"
    r"[A-Za-z]{2,}\s+$",
    re.IGNORECASE,
)  # a noun before a letter: "hepatitis B", "acid (B)"
_LIST = re.compile(
    r"(?<![A-Za-z])(?-i:[A-J])[)\]*]*\s*(?:,|or|and|nor|&|/)\s*[(\[*]*$|\b(?:none|neither|both|either)\b[^.\n]*$",
    re.IGNORECASE,
)
_CJK_LIST = re.compile(r"[A-J](?:选?项)?\s*(?:和|与|以及|及|或|,|、)\s*(?:选项)?$")
_ASKED = re.compile(r"[^.!\n]{0,60}\?")  # the sentence goes on to a question mark
_CLAUSE = re.compile(r"[.!?;,。，；！？\n]")
_SUPPOSED = re.compile(
    r"\b(?:if|unless|suppose|assuming|whether|would|could|might|trap|tempting|(?<!i )think|thinking|(?<!i )believe"
    r"|mistake)\b|如果"
    r"|假如|假设|若",
    re.IGNORECASE,
)


def named_options(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Return the options that running text chooses or calls right, from the last to the first."""
    sources = (_chosen(text, start, asked), _best(text, start, asked), _verdicts(text, start, asked))
    return merge(*sources, key=lambda one: -one.start)


def _chosen(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield what "I choose B", "故选D" choose; what is denied or only supposed is left out."""
    for match in matches_from_end(_CHOOSE, text, start, len(text), _CHOOSE_NEEDLES, 60):
        reading = read_letter(text, match.end(), len(text), asked.letters)
        if reading is None or reading.value is None or _denied(text, match.start()):
            continue
        if _ASKED.match(text, reading.end):
            continue
        if not is_denied_behind(text, reading.end, len(text)):
            yield Candidate(reading, "chosen", STATED, match.start())


def _best(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield what "the best fit is C" names, where the letter is marked or ends its clause."""
    for match in matches_from_end(_SUPERLATIVE, text, start, len(text), _SUPERLATIVE_NEEDLES):
        reading = read_letter(text, match.end(), len(text), asked.letters)
        if reading is None or (reading.value is not None and not reading.clean):
            continue
        if reading.value is None and "several" not in reading.flags:
            continue
        if _denied(text, match.start()) or _SUPPOSED.search(_clause_before(text, match.start())):
            continue
        if not is_denied_behind(text, reading.end, len(text)):
            yield Candidate(reading, "named", STATED, match.start())


def _verdicts(text: str, start: int, asked: Asked) -> Iterator[Candidate]:
    """Yield the one option that is called right near the end; where several are, none of them is the answer."""
    found: list[Candidate] = []
    several = False
    for match in matches_from_end(_VERDICT, text, start, len(text), _VERDICT_NEEDLES, 80):
        group = next(name for name in ("one", "two", "three") if match[name])
        place = match.start(group)
        if found and place < found[0].start - REACH:
            break
        if match[group] not in asked.letters or _rejected(text, match, place, group):
            continue
        several = several or _CJK_LIST.search(text[max(0, match.start() - 12) : place]) is not None
        found.append(Candidate(Reading(match[group], place, place + 1), "named", NAMED, match.start()))
    if several or len({one.reading.value for one in found}) > 1:
        last = found[0]
        found = [last._replace(reading=refused(last.reading.start, last.reading.end, "several"))]
    yield from found


def _rejected(text: str, match: "re.Match[str]", place: int, group: str) -> bool:
    """Return whether a verdict is denied, supposed, partial, a question, or about a thing that only bears a letter."""
    before = _clause_before(text, match.start())
    if group == "two" and (_NOT_RIGHT.search(match[0]) or re.search(r"[不没非错錯]", text[place : match.end()])):
        return True
    if _denied(text, match.start()) or _SUPPOSED.search(before) or "would" in match[0]:
        return True
    if _ASKED.match(text, match.end()) or _PART.match(text, match.end()):
        return True
    return group == "one" and (_THING.search(before) or _LIST.search(text[max(0, place - 60) : place])) is not None


def _clause_before(text: str, place: int) -> str:
    """Return the beginning of the clause in which `place` is."""
    return _CLAUSE.split(text[max(0, place - 120) : place])[-1]


def _denied(text: str, place: int) -> bool:
    """Return whether the words before `place` deny what follows."""
    return _DENIED.search(_clause_before(text, place)) is not None


# The last sentence, where it names one option and only one.
_MARKED = re.compile(
    rf"(?:\b(?i:{_WORD})\s+[*_$]{{0,3}}[(\[]?(?P<word>[A-J])\b[)\]]?|(?<![\w$\\])[(\[](?P<bracket>[A-J])[)\]]"
    r"|(?:[*_]{2}|^[ \t>*-]*|(?<=[:]\s)|(?<=\bis\s)|(?<=\bare\s)|(?<=\bto\s))(?P<point>[A-J])[.)][*_]{0,2}(?=\s+\S)"
    r"|[*_]{2}(?P<bold>[A-J])[*_]{2}|(?:(?<=\bis\s)|(?<=^So,\s))(?P<bare>[A-J])(?=[.\s*]*\Z)"
    r"|\b(?i:hence|thus|therefore|so|it's),?\s+(?P<hence>[A-J])(?=[.\s*]*\Z)|\bmak(?:es"
    r"|ing)\s+(?P<makes>[A-J])(?= the )"
    r"|\b(?i:only)\s+(?P<only>[A-J])(?=\s+(?!and\b|or\b|to\b)[a-z])"
    r"|(?:选项|選項|選択肢)\s*[(]?(?P<zh>[A-J])[)]?|(?<![A-Za-z])(?P<item>[A-J])\s*(?:选项|選項|项|項)"
    r"|(?:是|为|為|は|が|只有|只剩下?)\s*[(]?(?P<cjk>[A-J])(?![A-Za-z0-9]))",
    re.MULTILINE,
)
_COPULA = re.compile(
    r"(?:\b(?:is|are|be|was|ist|est|es|é|è|matches|match|(?:corresponds?|corresponding|closest|nearest|equal|points?"
    r"|leads?)\s+to|gives|yields|supports"
    r"|leaves(?:\s+us\s+with)?|leaving|namely|called\s+for\s+is|with|in)|:|=|\u2192|是|为|為|は|が|选|選)\s*:?\s*"
    r"(?:the\s+|an?\s+|only\s+|indeed\s+|therefore\s+|thus\s+|likely\s+|most\s+likely\s+)*$",
    re.IGNORECASE,
)
_THE_ONE = re.compile(r"\W*(?:is|must be)\s+(?:\w+\s+)?the\s+(?:\w+\s+){0,2}(?:one|answer|statement|option|choice)\b")
_LEADS = re.compile(
    r"(?:\b(?:is|are|be|to|towards?|with|by|as|for|matches|matching|supports?|favou?rs?|gives|leaves|leaving|choose"
    r"|only"
    r"|namely|thus|hence|so|therefore|get|of|also|является)|i\.e\.|[:=(,\u2192\u21d2\u2234>\d]|[-\u2013\u2014])[*_( ]*"
    r"(?:the\s+|our\s+|answer\s+|is\s+)*$",
    re.IGNORECASE,
)  # what may stand before an option that ends a sentence
_NEGATIVE = re.compile(
    r"\b(?:not|never|neither|nor|cannot|eliminat\w*|rul\w+ out|exclud\w*|unlike|except|incorrect|wrong|false|fails?"
    r"|instead of|rather than)\b|n't\b|不|错|錯|没有|排除|ない|ありません|않|아니",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:so|thus|hence|therefore|remain\w*|left|making|which\s+is|points?\s+to|best|only|exactly|conclu\w+"
    r"|corresponds?"
    r"|matches|must)\b|综上|只有|只剩|最",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"[,;:，；]\s*(?=(?:so|which|thus|hence|therefore|leaving|making|but)\b|所以|因此|故|而)", re.IGNORECASE
)
_CLOSING = re.compile(r"(?:[\s*_`\"'$]|<[^<>\n]{1,20}>|\.|。|!)+$")
_LAST_CHARACTERS = 1200  # no sentence that concludes is further from the end
_SHORTEST = 4  # characters of an option's words that may end a sentence
_BREAK = re.compile(r"(?<![A-J(])(?<!i\.e)(?<!e\.g)[.!?。！？][*_\"')]{0,4}(?:\s+|(?=[\u4e00-\u9fff]))|\s*\n\s*")
_ITEM = re.compile(r"[\s>*_-]*[(\[]?[A-J][.):]\s")
_CONCLUSION = re.compile(
    r"\W*(?:so|thus|hence|therefore|in (?:conclusion|summary)|overall|consequently|this (?:means|leaves)|based on"
    r"|(?:the )?(?:correct|best|closest|right|final|most \w+)|所以|因此|故|综上|よって|したがって|따라서)(?![A-Za-z])",
    re.IGNORECASE,
)


def last_option(text: str, asked: Asked, words: Callable[[], tuple[str, ...]] | None = None) -> Candidate | None:
    """Return the option that the last sentence to name one names, or whose own words are the last line, or None.

    Behind a sentence that names an option at most three others may follow, if it says that it concludes.
    """
    closing = _CLOSING.search(text)
    end = closing.start() if closing else len(text)
    stop = end
    for number, start in enumerate(_sentences_from_end(text, max(0, end - _LAST_CHARACTERS), end)):
        sentence = text[start:stop]
        found = [match for match in _MARKED.finditer(sentence) if _letter_of(match) in asked.letters]
        found = [match for match in found if not sentence[: match.start()].endswith("not ")]
        if found:
            concludes = number == 0 or _CONCLUSION.match(sentence) is not None
            one = len({_letter_of(match) for match in found}) == 1
            if concludes and one and _is_choice(sentence, found[-1], text[stop : stop + 3]):
                where = start + found[-1].start(found[-1].lastgroup or 0)
                return Candidate(Reading(_letter_of(found[-1]), where, where + 1), "named", NAMED, start)
            break
        if number == 3 or "?" in sentence:
            break
        stop = start
    if words is None:
        return None
    sentences = _sentences_from_end(text, max(0, end - _LAST_CHARACTERS), end)
    return _own_words(text, sentences[0] if sentences else 0, end, words(), asked)


def _sentences_from_end(text: str, begin: int, end: int) -> list[int]:
    """Return where the sentences of a stretch begin, the last first; a colon or an option below joins two lines."""
    starts = [match.end() for match in _BREAK.finditer(text, begin, end) if not _joins(text, match)]
    return [start for start in reversed(starts) if start < end] + ([0] if begin == 0 else [])


def _joins(text: str, gap: "re.Match[str]") -> bool:
    """Return whether the lines around a gap are one sentence."""
    if "\n" not in gap[0]:
        return False
    return text[: gap.start()].rstrip(" *_").endswith(":") or _ITEM.match(text, gap.end()) is not None


def _letter_of(match: "re.Match[str]") -> str:
    """Return the letter of an option that was found."""
    return str(match[match.lastgroup or 0]).upper()


def _is_choice(sentence: str, match: "re.Match[str]", closing: str) -> bool:
    """Return whether a sentence that names one option says that it is the answer."""
    turns = [turn for turn in _TURNS.finditer(sentence) if turn.end() <= match.start()]
    sentence = sentence[turns[-1].start() :] if turns else sentence
    before, after = sentence[: len(sentence) - len(match.string) + match.start()], match.string[match.end() :]
    if "?" in closing or CONDITION.search(sentence) or _SUPPOSED.search(sentence):
        return False
    if match.lastgroup in {"bracket", "point"} and not before.strip(" -*_>#("):
        return False  # an item of a list
    if (
        match.lastgroup in {"bold", "bare"}
        and not sentence.startswith("So,")
        and not re.search(_WORD + r"s?\b(?!:)", sentence, re.IGNORECASE)
    ):
        return False
    if _THE_ONE.match(after):
        return True
    joined = _COPULA.search(before.rstrip("*_$( \n") + " ") or _COPULA.search(before.rstrip("*_$ \n"))
    joined = joined or (re.search("$", before) if match.lastgroup == "cjk" else None)
    own = match.lastgroup in {"point", "bracket", "word", "bold"}
    if joined and not re.search(r"[不非]$", before[: joined.start()].rstrip()) and (own or not _NEGATIVE.search(after)):
        denied = _NEGATIVE.match(after.lstrip()) or (match.lastgroup == "cjk" and _NEGATIVE.search(after[:12]))
        return not denied and not re.match(r"\s*(?:is|are|was)\s+(?:not|in|wrong)", after)
    if _NEGATIVE.search(sentence):
        return match.lastgroup in {"zh", "item"} and "只有" in before
    if not before.strip(" -*_>#") and re.match(r"\s*[:*]", after):
        return False  # the heading of a list's item
    if match.lastgroup == "hence":
        return True
    ends = not after.strip(" )*_].") or re.match(r"\s*\)?[*_]{0,3}$", after) is not None
    return (ends and _LEADS.search(before) is not None) or _CONCLUDES.search(sentence) is not None


def _own_words(text: str, start: int, end: int, words: tuple[str, ...], asked: Asked) -> Candidate | None:
    """Return the option whose own words are the last line of a text, or end its last sentence if that concludes."""
    line = _bare(text[text.rfind("\n", 0, end) + 1 : end])
    last = _bare(text[start:end])
    bare = {letter: _bare(option) for letter, option in zip(asked.letters, words, strict=False) if _bare(option)}
    same = [letter for letter, option in bare.items() if option == line]
    if not same and _CONCLUSION.match(text[start:end]) and not _NEGATIVE.search(text, start, end):
        said = [letter for letter, option in bare.items() if len(option) >= _SHORTEST and option in last]
        same = [letter for letter in said if len(said) == 1 and last.endswith(bare[letter])]
    return Candidate(Reading(same[0], start, end), "words", NAMED, start) if len(same) == 1 else None


def _bare(text: str) -> str:
    """Return a text in lower case without blanks, marks and final stops."""
    return re.sub(r"[\s*_$`\"'\\(){}]|[.。]+$", "", text).lower()
