"""All seeds of one benchmark, read once: every scorer's verdict on every sample, and what each sample cost."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from scripts.errors import InputError
from scripts.evals.answers import LETTERS, TIMED_OUT, Found, Sample, Scorer
from scripts.evals.metrics import Graded, Metrics, metrics
from scripts.evals.records import NO_ANSWER, Record, open_record, option_letters, trace_line
from scripts.evals.samples import Scored
from scripts.evals.seedfiles import in_seed_order, read_spans, seed_of
from scripts.evals.texts import Text


class Measured(msgspec.Struct, frozen=True):
    """What a sample cost and what became of it, the same for every scorer."""

    id: str
    seed: int
    subsets: tuple[str, ...]
    tokens: float | None
    reasoning_tokens: float
    answer_tokens: float
    start: float | None
    end: float | None
    error: bool
    truncated: bool | None
    flags: tuple[str, ...] = ()


class Cohort(msgspec.Struct):
    """Every sample of every seed: `measured[seed index][problem index]`, per scorer the rows alike; a trace a file."""

    seeds: list[int]
    ids: list[str]
    measured: list[list[Measured]]
    scored: dict[str, list[list[Scored]]]
    traces: dict[str, str]

    def rows(self, scorer: str) -> list[Scored]:
        """Return one scorer's table, seed by seed in the order of the problems."""
        return [row for seed in self.scored[scorer] for row in seed]

    def metrics(self, benchmark: str, scorer: str) -> Metrics:
        """Return one scorer's metrics in the peer's layout; an error record counts as wrong and unanswered."""
        problems = []
        for index in range(len(self.ids)):
            samples = [
                _graded(seed[index], rows[index])
                for seed, rows in zip(self.measured, self.scored[scorer], strict=True)
            ]  # fmt: skip
            problems.append((self.measured[0][index].subsets, samples))
        return metrics(benchmark, problems)


class Key(msgspec.Struct, frozen=True):
    """What a problem is: its expected answer and its wording, where the records give them."""

    expected: str | None
    problem: str | None = None
    line: int = 0


def read_cohort(
    files: Sequence[Path],
    scorers: Sequence[Scorer],
    answer_type: str,
    dataset: Mapping[str, str] | None = None,
    keyless: bool = False,
) -> Cohort:
    """Read every file once and score every sample; `dataset` is the expected answers by id, if the problems are known.

    Raises InputError if a file is broken, or if its problems are not those of the dataset or of the first file; where
    an expected answer is missing too, unless `keyless`: then nothing can be right.
    """
    files = in_seed_order(list(files))
    measured: list[list[Measured]] = []
    scored: dict[str, list[list[Scored]]] = {scorer.name: [] for scorer in scorers}
    expected = {identity: Key(answer) for identity, answer in dataset.items()} if dataset is not None else {}
    traces: dict[str, str] = {}
    first = "the dataset" if dataset is not None else files[0].name
    for path in files:
        keys: dict[str, Key] = {}
        costs: dict[str, Measured] = {}
        verdicts: dict[str, dict[str, Scored]] = {scorer.name: {} for scorer in scorers}
        trace = hashlib.sha256()
        for identity, record, sample in _samples(path, answer_type, keys, dataset or {}, keyless):
            _check_seed(path, record)
            trace.update(
                trace_line(record.id, record.generation_end_time, record.num_generated_tokens, record.finish_reason)
            )
            costs[identity] = _measured(identity, seed_of(path), record)
            for scorer in scorers:
                verdicts[scorer.name][identity] = _scored(scorer, sample, keys[identity].expected, costs[identity])
        traces[path.name] = trace.hexdigest()
        expected = expected or keys
        _check_problems(path, keys, expected, first)
        measured.append([costs[identity] for identity in expected])
        for name, rows in verdicts.items():
            scored[name].append([rows[identity] for identity in expected])
    return Cohort([seed_of(path) for path in files], list(expected), measured, scored, traces)


def _check_seed(path: Path, record: Record) -> None:
    """Raise InputError for a record that says it is of another seed than its file."""
    told = None if record.seedbed is None else record.seedbed.seed
    if told is not None and told != seed_of(path):
        raise InputError(f"{path}: holds records of seed {told}: expected those of seed {seed_of(path)}")


def _samples(
    path: Path, answer_type: str, keys: dict[str, Key], dataset: Mapping[str, str], keyless: bool
) -> Iterator[tuple[str, Record, Sample]]:
    """Yield (id, record, sample) a line, its key noted; raises InputError for a double id, no answer, an empty file."""
    for position, line in enumerate(read_spans(path)):
        where = f"{path}:{line.number}"
        record, text, thought = open_record(line, where)
        identity = str(record.id) if record.id is not None else f"line-{position}"
        if identity in keys:
            raise InputError(f"{where}: id {identity} stands on line {keys[identity].line} too: expected every id once")
        answer = record.expected() if record.expected_answer is not None else dataset.get(identity)
        if answer is None and not keyless:
            raise InputError(f"{where}: no expected_answer: expected the answer key of {identity}")
        keys[identity] = Key(answer, Text(bytes(record.problem), where).full() or None, line.number)
        letters = LETTERS
        if answer_type == "choice":
            letters = option_letters(bytes(line.data[line.start : line.end]), record.options) or LETTERS
        yield identity, record, Sample(text, answer_type, record.is_truncated, letters, thought)
    if not keys:
        raise InputError(f"{path}:1: empty: expected one record a problem")


def _scored(scorer: Scorer, sample: Sample, expected: str | None, measured: Measured) -> Scored:
    """Return one scorer's verdict; an error record has no answer, a comparison out of time is a time-out."""
    if measured.error:
        return Scored(measured.id, measured.seed, Found(flags=("error", *measured.flags)), False)
    found = scorer.extract(sample)
    correct = False
    if found.value is not None and expected is not None:
        verdict = scorer.grade(found.value, expected, sample)
        if verdict is None:
            found = msgspec.structs.replace(found, state=TIMED_OUT.state)
        correct = bool(verdict)
    if measured.flags:
        found = msgspec.structs.replace(found, flags=(*found.flags, *measured.flags))
    return Scored(measured.id, measured.seed, found, correct)


def _measured(identity: str, seed: int, record: Record) -> Measured:
    """Return the costs of a record; tokens that are not told apart count as answer tokens, as the peer does."""
    reasoning, answer = record.num_reasoning_tokens or 0, record.num_answer_tokens or 0
    if not reasoning and not answer:
        answer = record.num_generated_tokens or 0
    subsets = record.subset_for_metrics or ()
    return Measured(
        identity,
        seed,
        (subsets,) if isinstance(subsets, str) else tuple(subsets),
        record.num_generated_tokens,
        reasoning,
        answer,
        record.generation_start_time,
        record.generation_end_time,
        record.is_error,
        record.is_truncated if record.tells_its_end else None,
        tuple(record.seedbed.flags or ()) if record.seedbed is not None else (),
    )


def _graded(cost: Measured, row: Scored) -> Graded:
    """Return one sample as the metrics count it."""
    return Graded(
        row.found.value if row.found.state != TIMED_OUT.state else None,
        row.correct,
        row.found.state == NO_ANSWER,
        cost.tokens,
        cost.reasoning_tokens,
        cost.answer_tokens,
        cost.start,
        cost.end,
    )


def _check_problems(path: Path, found: Mapping[str, Key], expected: Mapping[str, Key], first: str) -> None:
    """Raise InputError, with a line, unless the file has exactly the expected problems."""
    extra = [identity for identity in found if identity not in expected]
    missing = [identity for identity in expected if identity not in found]
    if extra:
        raise InputError(f"{path}:{found[extra[0]].line}: problem {_few(extra)} is not in {first}")
    if missing:
        raise InputError(
            f"{path}:{max(key.line for key in found.values())}: ends with {len(found)} problems, but {first} has "
            f"{len(expected)}; missing {_few(missing)}"
        )
    for identity, key in found.items():
        other = expected[identity]
        if key.expected != other.expected or (key.problem and other.problem and key.problem != other.problem):
            raise InputError(f"{path}:{key.line}: {identity} is another problem than in {first}: expected the same one")


def _few(names: list[str]) -> str:
    """Return the first few names, and how many more there are."""
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
