"""What a run must reach, one sentence a criterion: read, and decided as pass, fail or inconclusive.

Scores are estimates: they pass or fail where the whole interval of ACROSS_SEEDS lies on one side of the limit, since a
gate asks whether this set-up is as good, not whether other problems are as hard. Counts of what went wrong (truncated,
no_answer, duplicates, …) and the verdict are facts of the run and are decided as they stand.
"""

import re
from collections.abc import Iterable, Mapping
from math import inf
from typing import Any

import msgspec

from seedbed.core.errors import InputError

PASS, FAIL, INCONCLUSIVE = "pass", "fail", "inconclusive"
EXIT_CODES = {PASS: 0, FAIL: 1, INCONCLUSIVE: 3}  # 2 is unusable input, as everywhere
VERDICTS = ("COMPLETE", "PARTIAL", "INVALID")
COUNTS = (
    "no_answer",
    "truncated",
    "empty",
    "errors",
    "missing",
    "timeouts",
    "duplicates",
    "loops",
    "run-on",
)  # fmt: skip
_SCORE = re.compile(r"pass@(\d+)|pass@1\[avg-of-(\d+)\]|majority@(\d+)", re.ASCII)
_SENTENCE = re.compile(r"([^\s<>=≥≤]+)\s*(>=|<=|≥|≤|==|=|<|>)\s*(-?\d+(?:\.\d+)?)\s*(%|points?|percent)?", re.ASCII)
_NOT_WORSE = re.compile(r"not worse than (.+) by (-?\d+(?:\.\d+)?)\s*(?:points?|%)?", re.ASCII)
IN_COMMON = 0.9  # the share of the larger side's problems that both must have for a decision
_VERDICT = re.compile(r"verdict\s*==?\s*(\w+)")
_SIGNS = {"≥": ">=", "≤": "<=", "==": "="}
_EXAMPLES = (
    "'pass@1[avg-of-16] >= 70', 'not worse than REFERENCE by 2 points', 'truncated <= 1 %', 'verdict = COMPLETE'"
)


class Criterion(msgspec.Struct, frozen=True):
    """One sentence: `kind` is score, count, verdict or not_worse; the limit is in percent, points or samples."""

    text: str
    kind: str
    measure: str
    sign: str = "="
    limit: float = 0.0
    share: bool = True
    reference: str = ""


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """The result of a criterion, what was found, its interval, the margin this size can decide, and a sentence."""

    criterion: str
    result: str
    words: str
    found: float | str | None = None
    interval: Mapping[str, Any] | None = None
    margin: float | None = None


def criterion(text: str) -> Criterion:
    """Return what a sentence asks; raises InputError that names it and shows what is understood."""
    said = " ".join(str(text).split())
    if match := _VERDICT.fullmatch(said):
        if match[1] not in VERDICTS:
            raise InputError(f"{said!r}: found {match[1]!r}; expected one of {', '.join(VERDICTS)}")
        return Criterion(said, "verdict", match[1])
    if match := _NOT_WORSE.fullmatch(said):
        points = _limited(said, float(match[2]), "points")
        return Criterion(said, "not_worse", "pass@1", ">=", points, reference=match[1])
    match = _SENTENCE.fullmatch(said)
    if match is None:
        raise InputError(f"{said!r} is no criterion; expected a sentence such as {_EXAMPLES}")
    measure, limit, unit = match[1], float(match[3]), match[4]
    sign = _SIGNS.get(match[2], match[2])
    if measure in COUNTS:
        return Criterion(said, "count", measure, sign, _counted(said, sign, limit, unit), share=unit is not None)
    if not _SCORE.fullmatch(measure) or measure == "majority@1":
        known = ", ".join(["pass@K", "pass@1[avg-of-K]", "majority@K", *COUNTS, "verdict"])
        raise InputError(f"{said!r}: unknown measure {measure!r}; expected one of {known}")
    if match[1].startswith(("pass@", "majority@")) and k_of(measure)[1] == 0:
        raise InputError(f"{said!r}: found {measure!r}, of no sample; expected at least 1 (2 for a majority)")
    if sign == "=":
        raise InputError(f"{said!r}: found '=' with an estimate; expected >= or <=")
    if 0 < limit < 1 and unit is None:
        raise InputError(f"{said!r}: found {match[3]} without a unit; expected percent, such as 70, or {match[3]} %")
    return Criterion(said, "score", measure, sign, _possible(said, sign, _limited(said, limit, "percent"), 100))


def _counted(said: str, sign: str, limit: float, unit: str | None) -> float:
    """Return the limit of a count, or of its share in percent; raises InputError if it is none."""
    if unit is not None:
        return _possible(said, sign, _limited(said, limit, "percent"), 100)
    if limit < 0 or limit % 1:
        raise InputError(f"{said!r}: found {limit:g} samples; expected a whole number, or a share such as 0.5 %")
    return _possible(said, sign, limit)


def _limited(said: str, limit: float, what: str) -> float:
    """Return a limit from 0 to 100; raises InputError for any other."""
    if not 0 <= limit <= 100:
        raise InputError(f"{said!r}: found {limit:g}; expected 0 to 100 {what}")
    return limit


def _possible(said: str, sign: str, limit: float, most: float = inf) -> float:
    """Return a limit that something from 0 to `most` can keep; raises InputError where nothing ever will."""
    if (sign, limit) in (("<", 0), (">", most)):
        raise InputError(f"{said!r} can never hold; expected {sign}= {limit:g}")
    return limit


def k_of(measure: str) -> tuple[str, int | None]:
    """Return (pass or mean or majority, k) of a score; k is None for pass@1, the mean over all samples."""
    match = _SCORE.fullmatch(measure)
    assert match is not None
    if match[3]:
        return "majority", int(match[3])
    if match[2]:
        return "mean", int(match[2])
    return ("mean", None) if match[1] == "1" else ("pass", int(match[1]))


def decide_score(asked: Criterion, figure: Mapping[str, Any] | None, why_not: str = "") -> Decision:
    """Return the decision on a score by its run-again interval; `figure` as in statistics.json, None if undefined."""
    bounds = figure and figure.get("across_seeds")
    if not figure or not bounds:
        words = why_not if not figure and why_not else "no interval can be given for this size"
        return Decision(asked.text, INCONCLUSIVE, words)
    return _by_bounds(asked, figure["value"], bounds, asked.limit, "")


def decide_not_worse(asked: Criterion, compared: Mapping[str, Any]) -> Decision:
    """Return the decision on a comparison (run minus reference, in points) by its run-again interval.

    Where less than nine tenths of the larger side's problems are in both, it is inconclusive, whatever the figures.
    """
    difference, shared, whole = compared["difference"], compared["problems"]["compared"], compared["problems"]["of"]
    bounds = difference.get("across_seeds")
    common = "" if shared == whole else f" on {shared} of {whole} problems in common"
    if not bounds:
        return Decision(asked.text, INCONCLUSIVE, f"no interval can be given for this size{common}")
    found = _by_bounds(asked, difference["value"], bounds, -asked.limit, "difference ", common)
    if shared < IN_COMMON * whole:
        words = f"found difference {difference['value']:.1f}{common}; expected at least {100 * IN_COMMON:.0f} % of them"
        return Decision(asked.text, INCONCLUSIVE, words, difference["value"], bounds)
    return found


def decide_count(asked: Criterion, count: int | None, samples: int) -> Decision:
    """Return the decision on a count, or on its share of all samples in percent; None where it was not counted."""
    if count is None or (asked.share and not samples):
        return Decision(asked.text, INCONCLUSIVE, f"{asked.measure} was not counted")
    found = 100 * count / samples if asked.share else float(count)
    result = PASS if _holds(found, asked.sign, asked.limit) else FAIL
    return Decision(
        asked.text, result, f"found {count} of {samples} samples" + (f", {found:.2f} %" if asked.share else ""), found
    )


def decide_verdict(asked: Criterion, verdict: str | None) -> Decision:
    """Return the decision on the verdict of a model and benchmark."""
    result = PASS if verdict == asked.measure else FAIL
    return Decision(asked.text, result, f"found {verdict or 'no verdict'}", verdict)


def overall(results: Iterable[str]) -> str:
    """Return the result of a gate: fail if any fails, else inconclusive if any is, else pass."""
    found = set(results)
    return FAIL if FAIL in found else INCONCLUSIVE if INCONCLUSIVE in found or not found else PASS


def _by_bounds(
    asked: Criterion, value: float, bounds: Mapping[str, Any], limit: float, what: str, where: str = ""
) -> Decision:
    """Return pass or fail where both bounds agree, else inconclusive with the margin that this size can decide."""
    low, high = bounds["low"], bounds["high"]
    held = {_holds(low, asked.sign, limit), _holds(high, asked.sign, limit)}
    result = INCONCLUSIVE if len(held) > 1 else PASS if held == {True} else FAIL
    words = f"found {what}{value:.1f}{where} ({low:.1f} to {high:.1f} across seeds)"
    margin = max(high - value, value - low)
    if result == INCONCLUSIVE:
        words += f", decides from {margin:.1f} points off {limit:g}"
    return Decision(asked.text, result, words, value, bounds, margin)


def _holds(found: float, sign: str, limit: float) -> bool:
    """Return whether `found` stands to the limit as the sign says."""
    return {
        ">=": found >= limit,
        "<=": found <= limit,
        ">": found > limit,
        "<": found < limit,
        "=": found == limit,
    }[sign]
