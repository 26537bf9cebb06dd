"""All seeds of one benchmark, read once: every scorer's verdict on every sample, and what each sample cost."""

import hashlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from seedbed.core.errors import InputError
from seedbed.records.dataset import Key, check_problems
from seedbed.records.lazy_json import Text
from seedbed.records.outputs import (
    NO_ANSWER,
    Record,
    in_seed_order,
    open_record,
    option_letters,
    option_words,
    read_spans,
    seed_of,
    trace_line,
)
from seedbed.scoring.answers import LETTERS, TIMED_OUT, Found, Sample, Scored, Scorer
from seedbed.scoring.metrics import Graded, Metrics, metrics
from seedbed.statistics.pass_at_k import classed


class Measured(msgspec.Struct, frozen=True, gc=False):
    """What a sample cost and what became of it, the same for every scorer."""

    tokens: float | None
    reasoning_tokens: float
    answer_tokens: float
    start: float | None
    end: float | None
    error: bool
    truncated: bool | None


class Cohort(msgspec.Struct):
    """Every sample of every seed: `measured[seed index][problem index]`, per scorer the rows alike; a trace a file."""

    seeds: list[int]
    ids: list[str]
    subsets: list[tuple[str, ...]]
    measured: list[list[Measured]]
    scored: dict[str, list[list[Scored]]]
    traces: dict[str, str]
    by_value: frozenset[str] = frozenset()  # the scorers whose equal values are one vote of a majority
    unfit: frozenset[str] = frozenset()  # the scorers that cannot find answers of this type
    keyless: int = 0  # problems whose expected answer nothing tells

    def rows(self, scorer: str) -> list[Scored]:
        """Return one scorer's table, seed by seed in the order of the problems."""
        return [row for seed in self.scored[scorer] for row in seed]

    def metrics(self, benchmark: str, scorer: str) -> Metrics:
        """Return one scorer's metrics in the peer's layout; an error record counts as wrong and unanswered."""
        costs, rows = zip(*self.measured, strict=True), zip(*self.scored[scorer], strict=True)
        samples: Iterator[list[Graded]] = (list(map(_graded, *problem)) for problem in zip(costs, rows, strict=True))
        if scorer in self.by_value:
            samples = map(_with_equal_answers, samples)
        return metrics(benchmark, zip(self.subsets, samples, strict=True))


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
    cohort = Cohort([seed_of(path) for path in files], [], [], [], {scorer.name: [] for scorer in scorers}, {})
    cohort.by_value = frozenset(scorer.name for scorer in scorers if scorer.votes == "values")
    cohort.unfit = frozenset(scorer.name for scorer in scorers if not scorer.fits(answer_type))
    expected = {identity: Key(answer) for identity, answer in dataset.items()} if dataset is not None else {}
    first = "the dataset" if dataset is not None else files[0].name
    for path, seed in zip(files, cohort.seeds, strict=True):
        keys: dict[str, Key] = {}
        costs: dict[str, Measured] = {}
        subsets: dict[str, tuple[str, ...]] = {}
        verdicts: dict[str, dict[str, Scored]] = {scorer.name: {} for scorer in scorers}
        trace = hashlib.sha256()
        for identity, record, sample in _samples(path, answer_type, keys, dataset or {}, keyless):
            _check_seed(path, seed, record)
            trace.update(
                trace_line(record.id, record.generation_end_time, record.num_generated_tokens, record.finish_reason)
            )
            costs[identity] = _measured(record)
            if not cohort.subsets:
                subsets[identity] = _subsets(record)
            for scorer in scorers:
                found, correct = _verdict(scorer, sample, keys[identity].expected, record)
                verdicts[scorer.name][identity] = Scored(identity, seed, found, correct)
        cohort.traces[path.name] = trace.hexdigest()
        expected = expected or keys
        check_problems(path, keys, expected, first)
        cohort.subsets = cohort.subsets or [subsets[identity] for identity in expected]
        cohort.measured.append([costs[identity] for identity in expected])
        for name, rows in verdicts.items():
            cohort.scored[name].append([rows[identity] for identity in expected])
    cohort.ids = list(expected)
    cohort.keyless = sum(key.expected is None for key in expected.values())
    return cohort


def _check_seed(path: Path, seed: int, record: Record) -> None:
    """Raise InputError for a record that says it is of another seed than its file."""
    told = None if record.seedbed is None else record.seedbed.seed
    if told is not None and told != seed:
        raise InputError(f"{path}: holds records of seed {told}: expected those of seed {seed}")


def _samples(
    path: Path, answer_type: str, keys: dict[str, Key], dataset: Mapping[str, str], keyless: bool
) -> Iterator[tuple[str, Record, Sample]]:
    """Yield (id, record, sample) a line, its key noted; raises InputError for a double id, no answer, an empty file."""
    for position, line in enumerate(read_spans(path)):
        where = f"{path}:{line.number}"
        record, text, thought = open_record(line, where)
        identity = sys.intern(str(record.id) if record.id is not None else f"line-{position}")
        if identity in keys:
            raise InputError(f"{where}: id {identity} is on line {keys[identity].line} too: expected every id once")
        answer = record.expected() if record.expected_answer is not None else dataset.get(identity)
        if answer is None and not keyless:
            raise InputError(f"{where}: no expected_answer: expected the answer key of {identity}")
        problem = Text(bytes(record.problem), where).full()
        keys[identity] = Key(answer, hash(problem) if problem else None, line.number)
        letters, words = LETTERS, None
        if answer_type == "choice":
            row = bytes(line.data[line.start : line.end])
            letters = option_letters(row, record.options) or LETTERS
            words = partial(option_words, row, record.options)
        cut = record.is_truncated
        yield identity, record, Sample(text, answer_type, cut, letters, thought is not None, thought, words)
    if not keys:
        raise InputError(f"{path}:1: empty: expected one record a problem")


def _verdict(scorer: Scorer, sample: Sample, expected: str | None, record: Record) -> tuple[Found, bool]:
    """Return what a scorer finds and whether it is right; an error record has no answer, a comparison may time out."""
    flags = tuple(record.seedbed.flags or ()) if record.seedbed is not None else ()
    if record.is_error:
        return Found(flags=("error", *flags)), False
    found = scorer.extract(sample)
    correct = False
    if found.value is not None and expected is not None:
        verdict = scorer.grade(found.value, expected, sample)
        if verdict is None:
            found = msgspec.structs.replace(found, state=TIMED_OUT.state)
        correct = bool(verdict)
    if flags:
        found = msgspec.structs.replace(found, flags=(*found.flags, *flags))
    return found, correct


def _measured(record: Record) -> Measured:
    """Return the costs of a record; tokens that are not told apart count as answer tokens, as the peer does."""
    reasoning, answer = record.num_reasoning_tokens or 0, record.num_answer_tokens or 0
    if not reasoning and not answer:
        answer = record.num_generated_tokens or 0
    return Measured(
        record.num_generated_tokens,
        reasoning,
        answer,
        record.generation_start_time,
        record.generation_end_time,
        record.is_error,
        record.is_truncated if record.tells_its_end else None,
    )


def _subsets(record: Record) -> tuple[str, ...]:
    """Return the subsets that a problem counts in beside the whole."""
    named = record.subset_for_metrics or ()
    return tuple(map(sys.intern, (named,) if isinstance(named, str) else named))


def _with_equal_answers(problem: list[Graded]) -> list[Graded]:
    """Return the samples of a problem with equal answers written alike, so that a majority counts values."""
    answers = classed([(sample.predicted_answer, sample.correct) for sample in problem])
    return [
        msgspec.structs.replace(one, predicted_answer=value) for one, (value, _) in zip(problem, answers, strict=True)
    ]


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
