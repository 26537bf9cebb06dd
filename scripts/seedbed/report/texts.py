"""The texts of the report as scripts beside it: problems, generations and their formulas as MathML.

Each is written as ASCII JSON that cannot end a script block.
"""

import functools
import hashlib
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.health.repetition import SHORT
from seedbed.records.dataset import iter_rows
from seedbed.records.lazy_json import Text
from seedbed.records.outputs import Record, decode_record, mark_of, read_lines


def block(value: object) -> str:
    r"""Return compact ASCII JSON with no `<` in it; a number that JSON has no word for is null."""
    try:
        text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value), separators=(",", ":"))
    return closed(text)


def closed(text: str) -> str:
    """Return ASCII JSON with each `<`, which can stand in a string only, written by its number."""
    return text.replace("<", "\\u003c")


def call(function: str, name: str, content: str) -> str:
    """Return a script that hands a block over by its name; a key `__proto__` stays a key like any other."""
    return f"{function}({block(name)},{content.replace(_PROTOTYPE, f'[{_PROTOTYPE[:-1]}]:')})\n"


_PROTOTYPE = '"__proto__":'  # within a string its quotes are escaped, so that this is a key wherever it stands


def _finite(value: Any) -> Any:
    """Return a value without infinities and NaN."""
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


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
    """Yield (start, end, LaTeX, whether it is on lines of its own) of what is written as a formula."""
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
    """Return whether what is between two dollars is a formula, not the middle of two prices."""
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


PROBLEMS_FORMAT = 1


def write_problems(benchmark: str, dataset: Path, folder: Path) -> Path | None:
    """Write wording, formulas and expected answer of each problem by its id; returns the file.

    None where the dataset is not there or cannot be read, as its verdict says.
    Rewritten only for another dataset.
    """
    out, note = folder / "problems.js", folder / "problems.json"
    try:
        key = f'"{PROBLEMS_FORMAT} {hashlib.sha256(dataset.read_bytes()).hexdigest()}"\n'
    except OSError:
        return None
    if not (out.is_file() and note.is_file() and note.read_text() == key):
        try:
            problems = problems_of(dataset)
        except InputError:
            return None
        files.write(out, call("seedbedProblems", benchmark, block(problems)))
        files.write(note, key)
    return out


def problems_of(dataset: Path) -> dict[str, dict[str, Any]]:
    """Return the problems of a prepared dataset by id; raises InputError."""
    return {
        row["id"]: {"text": row["problem"], "maths": formulas(row["problem"]), "expected": row["expected_answer"]}
        for row in iter_rows(dataset)
    }


TEXTS_FORMAT = 1  # raised when what is written here changes
CHUNK = 1_000_000  # characters of a file of texts, unless one text alone is longer
_THOUGHT, _THOUGHT_ENDS = "<think>", "</think>"


class Facts(msgspec.Struct):
    """What the report keeps of each sample of a seed beside its texts, in the order of the problems, and the files."""

    key: str
    tokens: list[float | None] = []
    start: list[float | None] = []
    end: list[float | None] = []
    finish: list[str | None] = []
    mark: list[str] = []  # of the text, "" of none or a short one
    in_text: list[bool] = []  # whether the expected answer is in what may hold the answer
    chunks: list[tuple[int, str]] = []  # (index of the first problem, file name)

    @classmethod
    def empty(cls, problems: int) -> "Facts":
        """Return the facts of a seed without an output."""
        nothing: list[None] = [None] * problems
        return cls("", [*nothing], [*nothing], [*nothing], [*nothing], [""] * problems, [False] * problems)


_facts = msgspec.json.Decoder(Facts)


def facts_of(output: Path, trace: str, ids: Sequence[str], folder: Path, private: bool) -> Facts:
    """Return the facts of an output, its texts written into `folder` unless that was done or the benchmark is private.

    They are rewritten only for other generations, not for another scorer.
    """
    seed = output.name.partition(".")[0].removeprefix("output-")
    kept, key = folder / f"{seed}.json", _key(output, trace, ids, private)
    try:
        found = _facts.decode(kept.read_bytes())
        if found.key == key and all((folder / name).is_file() for _, name in found.chunks):
            return found
    except (OSError, msgspec.DecodeError):
        pass
    found = _read(output, key, ids, folder if not private else None, seed)
    files.write(kept, msgspec.json.encode(found).decode())
    return found


def _key(output: Path, trace: str, ids: Sequence[str], private: bool) -> str:
    """Return what tells one state of an output, of its problems and of how it may be shown from any other."""
    stat = output.stat()
    mark = mark_of(output)
    told = mark.read_text(encoding="utf-8", errors="replace") if mark.is_file() else str(stat.st_mtime_ns)
    return hashlib.sha256(block([TEXTS_FORMAT, trace, stat.st_size, told, list(ids), private]).encode()).hexdigest()


def _read(output: Path, key: str, ids: Sequence[str], folder: Path | None, seed: str) -> Facts:
    """Return the facts of an output; its texts go to `folder` where there is one."""
    records: dict[str, Record] = {}
    for number, line in read_lines(output):
        record = decode_record(line, f"{output}:{number}")
        records[str(record.id)] = record
    found, texts = Facts(key), Chunks(folder, seed)
    for index, identity in enumerate(ids):
        record = records.pop(identity, Record())
        texts.add(index, _noted(found, identity, record, seed, wanted=folder is not None))
    found.chunks = texts.end()
    return found


def _noted(found: Facts, identity: str, record: Record, seed: str, wanted: bool) -> str:
    """Add a sample's facts; returns its texts as a block, null where there is no record, "" where none is wanted."""
    where = f"{identity} of {seed}"
    text, thought = Text(bytes(record.generation), where).full(), Text(bytes(record.reasoning_content), where).full()
    final = final_at(text, bool(thought))
    found.tokens.append(record.num_generated_tokens)
    found.start.append(record.generation_start_time)
    found.end.append(record.generation_end_time)
    found.finish.append(record.finish_reason)
    found.mark.append(_mark(thought, text))
    found.in_text.append(_stands_in(record.expected(), text, final))
    if not wanted:
        return ""
    if record.id is None:
        return "null"
    told = {"id": identity, "seed": int(seed.removeprefix("rs")), "final_at": final, "cut": 0, "cut_at": 0}
    told["maths"] = formulas(text, final)
    parts = (("text", record.generation, text), ("reasoning", record.reasoning_content, thought))
    written = "".join(f',"{name}":{_as_written(bytes(raw), value)}' for name, raw, value in parts)
    return f"{block(told)[:-1]}{written}}}"


def final_at(text: str, separate: bool) -> int:
    """Return where what follows the reasoning begins; at the end of a text that never left its thought."""
    ends = text.rfind(_THOUGHT_ENDS)
    if separate or (ends < 0 and not text.lstrip().startswith(_THOUGHT)):
        return 0
    return len(text) if ends < 0 else ends + len(_THOUGHT_ENDS)


def _as_written(raw: bytes, value: str) -> str:
    """Return a text as a block: as the output has it where that is ASCII, so that long ones are not rewritten."""
    return closed(raw.decode()) if value and raw.isascii() else block(value)


def _mark(thought: str, text: str) -> str:
    """Return what distinguishes one text from another, as `duplicates` does; "" where the text is too short."""
    both = f"{thought}\0{text}"
    if len(both) <= SHORT:
        return ""
    return hashlib.blake2b(both.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _stands_in(answer: str | None, text: str, final: int) -> bool:
    """Return whether an answer of more than a letter stands, as a word of its own, in what follows the reasoning.

    In the whole text where nothing follows it.
    """
    if answer is None or not answer.strip() or (len(answer) == 1 and answer.isalpha()):
        return False
    start = final if text[final:].strip() else 0
    if text.find(answer, start) < 0:
        return False
    return re.compile(rf"(?<![\w.,]){re.escape(answer)}(?![\w]|[.,]\d)").search(text, start) is not None


class Chunks:
    """Files of texts, each a call with a list: as many texts as fit, or one that is longer."""

    def __init__(self, folder: Path | None, seed: str) -> None:
        """Prepare to write into `folder`; None writes nothing."""
        self._folder, self._seed = folder, seed
        self._waiting: list[str] = []
        self._size = self._first = 0
        self._files: list[tuple[int, str]] = []

    def add(self, index: int, texts: str) -> None:
        """Take the texts of the next problem; those before them are written if these do not fit."""
        if self._waiting and self._size + len(texts) > CHUNK:
            self._write()
        if not self._waiting:
            self._first = index
        self._waiting.append(texts)
        self._size += len(texts)

    def end(self) -> list[tuple[int, str]]:
        """Write what waits; returns (index of the first problem, file name) of every file."""
        if self._waiting:
            self._write()
        return self._files

    def _write(self) -> None:
        """Write what waits into the next file."""
        if self._folder is not None:
            name = f"{self._seed}-{len(self._files)}"
            called = f"{self._folder.parent.name}/{self._folder.name}/{name}"
            files.write(self._folder / f"{name}.js", call("seedbedTexts", called, f"[{','.join(self._waiting)}]"))
            self._files.append((self._first, f"{name}.js"))
        self._waiting, self._size = [], 0
