"""What is missing or odd about one model on one benchmark, and what to do about it."""

from collections.abc import Iterator, Mapping
from typing import Any

from scripts.evals.coverage import INVALID, PARTIAL
from scripts.evals.reports import STRICT
from scripts.reporting.findings import BAD, NOTE, ODD, Finding, counted
from scripts.standing import folder_of

_LOOK = "look at some: if the answer is there, give the scorer that form as an example (config/scorers)"
_MANY = 0.02  # share of the samples that ended without an answer, from which on that is odd
_ROOM = "raise sampling.max_tokens, within the server's context"
_ROOM_THERE = "the limit of tokens was too low where they were made: raise it there, and import the new outputs"
_WAIT = "wait: a run goes on"
_IMPORTED = "nothing is generated for imported outputs: import those of whole seeds (docs/adoption.md)"
_FROM_STORE = "comes back from the store"
_AGAIN = "remove its folder and import it again"
_REMEDIES = (  # what stands in a reason, what to do about it
    ("it was imported from", _AGAIN),
    ("made with another prompt", "run snakemake: the seeds are asked again as the configuration says now"),
    ("when it was finished", f"remove that file and run snakemake: it {_FROM_STORE}"),
    ("since it was finished", f"remove that file and run snakemake: it {_FROM_STORE}"),
    ("is no output of a seed", "move it elsewhere, then run snakemake"),
    ("not in the dataset", "the dataset has changed: move these outputs elsewhere, then run snakemake"),
    (" stands in ", "remove one of the two, then run snakemake"),
    ("not a whole record", f"remove that file and run snakemake: what is finished {_FROM_STORE}"),
)


def of_pair(pair: Mapping[str, Any], resume: str, going_on: bool = False) -> Iterator[Finding]:
    """Yield the findings on a pair as `pairs.told` gives it; `resume` is the advice that goes on with the run.

    `going_on`: a run still works on it, so that what is missing may come.
    """
    yield from _missing(pair, _IMPORTED if pair.get("imported") else resume, going_on)
    yield from _cut_off(pair)
    yield from _without_answer(pair)
    yield from _scorers(pair)
    yield from _seeds(pair)


def _missing(pair: Mapping[str, Any], resume: str, going_on: bool) -> Iterator[Finding]:
    """Yield what is not there: seeds and samples with the reason, faults of files, metrics."""
    name = pair["name"]
    if pair["coverage_verdict"] in (INVALID, PARTIAL):
        tolerated = pair["coverage_verdict"] == PARTIAL
        for reason in pair["reasons"]:
            act = next((remedy for sign, remedy in _REMEDIES if sign in reason), resume)
            if pair.get("imported") and act.endswith(_FROM_STORE):
                act = _AGAIN
            text = f"{reason}; tolerated by errors.max_fraction" if tolerated else reason
            shown = "error" if reason.startswith("error: ") else "missing" if "missing: " in reason else ""
            if going_on and shown == "missing":
                yield Finding(NOTE, text, _WAIT, name, shown, pair["main"])
            else:
                yield Finding(ODD if tolerated else BAD, text, act, name, shown, pair["main"])
    elif pair["stale"]:
        text = f"no metrics of {', '.join(pair['stale'])} for the outputs as they are now"
        level, act = (NOTE, _WAIT) if going_on else (BAD, "run snakemake")
        yield Finding(level, text, act, name, kind=text)
    elif lacking := [scorer for scorer in pair["cells"] if scorer not in pair.get("figures", pair["cells"])]:
        text = f"statistics.json has no figures of {', '.join(lacking)} for the outputs as they are now"
        act = f"remove {folder_of((pair['model'], pair['benchmark']))}/statistics.json and run snakemake"
        yield Finding(ODD, text, act, name)


def _cut_off(pair: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield how many were cut off at the limit, and how much of no_answer that explains."""
    cut, scorer = pair["status"].count("t"), pair["main"]
    if not cut:
        return
    room = _ROOM_THERE if pair.get("imported") else _ROOM
    limit = f"{pair['max_tokens']:,} tokens" if pair["max_tokens"] else "the limit of tokens"
    cells = pair["cells"].get(scorer, "")
    silent = _both(pair["status"], cells, "t", "n")
    if silent:
        kind = f"{{}} of {{}} no_answer were cut off at {limit}"
        yield counted(ODD, kind, silent, cells.count("n"), room, pair, "truncated")
    if rest := cut - silent:
        with_answer = " with an answer" if cells else ""
        kind = f"{{}} of {{}} samples were cut off at {limit}{with_answer}"
        yield counted(NOTE if silent else ODD, kind, rest, len(pair["status"]), room, pair, "truncated")


def _without_answer(pair: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what samples without an answer hint at, those cut off apart."""
    main = pair["main"]
    cells, strict = pair["cells"].get(main, ""), pair["cells"].get(STRICT, "")
    if strict and main != STRICT and strict.count("n") == len(strict) > cells.count("n"):
        kind = f"strict found no answer at all, {main} found {{}} of {{}}"
        act = f"read the column {main}: the model does not box its answers, or the prompt does not ask it to"
        yield counted(ODD, kind, len(cells) - cells.count("n"), len(cells), act, pair, "recovered")
    if silent := _both(pair["status"], cells, ".", "n"):
        kind = f"{{}} of {{}} samples ended by themselves, yet {main} found no answer"
        if pair.get("unknown_ends"):
            kind = f"{main} found no answer in {{}} of {{}} samples; whether all were whole is not known"
        level = ODD if silent >= _MANY * len(cells) else NOTE
        yield counted(level, kind, silent, len(cells), _LOOK, pair, "no_answer")
    if empty := pair["counts"]["empty"]:
        act = "look at one: the chat template or a stop string may end the answer at once"
        yield counted(ODD, "{} of {} samples ended without a word", empty, len(pair["status"]), act, pair, "empty")
    for scorer, one in pair["cells"].items():
        if late := one.count("o"):
            kind = f"{scorer} ran out of time on {{}} of {{}} samples, which count as wrong"
            act = "simplify the scorer's pattern, or raise its timeout"
            yield counted(ODD, kind, late, len(one), act, pair, "timeout", scorer)


def _scorers(pair: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what a broad scorer has won and lost against strict, and where the first answer is not the last."""
    for scorer, flow in pair["flow"].items():
        won, lost = flow["recovered"], flow["lost"]
        if lost:
            kind = f"{scorer} loses {{}} that strict has right, and recovers {{}}"
            silent = 2 * flow.get("table", {}).get("right", {}).get("none", 0) > lost
            why = "it finds no answer there: give it their form as an example (config/scorers)"
            act = f"look at the lost ones: {why if silent else 'a pattern takes what is no answer'}"
            act = act if lost >= won else "look at the lost ones"
            yield counted(ODD if lost >= won else NOTE, kind, lost, won, act, pair, "lost", scorer)
        elif won:
            found = flow["newly_found"]
            kind = f"{scorer} recovers {{}} that strict misses and loses none; it found {{}} new answers"
            yield counted(NOTE, kind, won, found, "", pair, "recovered", scorer)
    for scorer, count in pair["first_differs"].items():
        if count:
            kind = f"{scorer}: in {{}} of {{}} samples the first answer differs from the last, which counts"
            act = "look at some, and change the scorer if the first is meant"
            yield counted(NOTE, kind, count, len(pair["status"]), act, pair, "first_differs", scorer)


def _seeds(pair: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is to be said of repeated generations and of seeds that nobody asked for."""
    name = pair["name"]
    for remark in pair["remarks"]:
        if "ignores `seed`" in remark:
            act = "make the server honour `seed`, or ask for one seed only: more say nothing more"
            yield Finding(ODD, remark, act, name, "duplicate", pair["main"])
        else:
            act = "on short answers that is chance; on long ones see whether the server honours `seed`"
            yield Finding(NOTE, remark, act, name, "duplicate", pair["main"])
    if pair["surplus"]:
        text = f"seeds {', '.join(map(str, pair['surplus']))} are there, but were not asked for: they do not count"
        yield Finding(NOTE, text, "raise seeds.count if they should", name)


def _both(status: str, cells: str, state: str, cell: str) -> int:
    """Return how many samples have a status and a cell."""
    return sum(one == state and other == cell for one, other in zip(status, cells, strict=False))
