"""The findings of a report: what is missing or odd, what to do about it, and the samples that show it.

First those of one model on one benchmark, then those of the run as a whole.
"""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from seedbed.decisions.criteria import FAIL, INCONCLUSIVE
from seedbed.records import paths
from seedbed.records.coverage import INVALID, PARTIAL
from seedbed.records.run_record import RUNNING
from seedbed.scoring.score_files import STRICT

BAD, ODD, NOTE = "bad", "odd", "note"
_RANK = {BAD: 0, ODD: 1, NOTE: 2}
SEVERAL = 3  # findings of one kind, from which on they are grouped into one


class Finding(msgspec.Struct, frozen=True):
    """One finding, on one model and benchmark or on the run.

    `shown` is the filter, by `scorer`, that shows the samples it is about. `kind` groups several: a sentence with
    two places for the sums of `part` and `whole`, or with none.
    """

    level: str
    text: str
    act: str = ""
    pair: str | None = None
    shown: str = ""
    scorer: str | None = None
    kind: str = ""
    part: int = 0
    whole: int = 0


def counted(
    level: str, kind: str, part: int, whole: int, act: str, pair: Mapping[str, Any], shown: str, scorer: str | None = ""
) -> Finding:
    """Return a finding whose text is its kind with its own numbers."""
    text = kind.format(f"{part:,}", f"{whole:,}")
    scorer = pair["main"] if scorer == "" else scorer
    return Finding(level, text, act, pair["name"], shown, scorer, kind, part, whole)


def told(findings: Iterable[Finding]) -> list[dict[str, Any]]:
    """Return the findings as the page gets them, the most urgent first; several of a kind as one, with its members."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for number, finding in enumerate(findings):
        groups.setdefault((finding.level, finding.kind or f"\0{number}"), []).append(finding)
    found = []
    for members in groups.values():
        if len(members) < SEVERAL:
            found += [_one(member) | {"members": []} for member in members]
        else:
            found.append(_several(members))
    return sorted(found, key=lambda finding: _RANK[finding["level"]])


def _one(finding: Finding) -> dict[str, Any]:
    """Return one finding."""
    shown = {"name": finding.shown, "scorer": finding.scorer} if finding.shown else None
    return {"level": finding.level, "pair": finding.pair, "text": finding.text, "act": finding.act, "filter": shown}


def _several(members: list[Finding]) -> dict[str, Any]:
    """Return several findings of a kind as one."""
    first = members[0]
    part, whole = sum(one.part for one in members), sum(one.whole for one in members)
    pairs = {one.pair for one in members if one.pair is not None}
    text = f"{first.kind.format(f'{part:,}', f'{whole:,}')} ({len(pairs)} models and benchmarks)"
    act = first.act if all(one.act == first.act for one in members) else ""
    found = {"level": first.level, "pair": None, "text": text, "act": act, "filter": None}
    return found | {"members": [_one(member) for member in members]}


_LOOK = "look at some: if the answer is there, give the scorer that form as an example (config/scorers)"
_MANY = 0.02  # share of the samples that ended without an answer, from which on that is odd
_ROOM = "raise sampling.max_tokens, within the server's context"
_ROOM_THERE = "the limit of tokens was too low where they were made: raise it there, and import the new outputs"
_WAIT = "wait: a run goes on"
_IMPORTED = "nothing is generated for imported outputs: import those of whole seeds (docs/importing.md)"
_FROM_STORE = "comes back from the store"
_AGAIN = "remove its folder and import it again"
_REMEDIES = (  # what is in a reason, what to do about it
    ("it was imported from", _AGAIN),
    ("made with another prompt", "run snakemake: the seeds are asked again as the configuration says now"),
    ("when it was finished", f"remove that file and run snakemake: it {_FROM_STORE}"),
    ("since it was finished", f"remove that file and run snakemake: it {_FROM_STORE}"),
    ("is no output of a seed", "move it elsewhere, then run snakemake"),
    ("not in the dataset", "the dataset has changed: move these outputs elsewhere, then run snakemake"),
    (" and in output-rs", "remove one of the two, then run snakemake"),
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
            text = f"{reason}; tolerated by errors.max_failed_fraction" if tolerated else reason
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
        act = f"remove {paths.outputs_folder(pair['model'], pair['benchmark'])}/statistics.json and run snakemake"
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
    """Yield the findings on repeated generations and surplus seeds."""
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


Pairs = Sequence[Mapping[str, Any]]
_FEW, _THOUGHT = 0.1, 1_000  # of the tokens that another model takes on the same benchmark; where that takes so many
_ANSWERS = ("better", "worse", "inconclusive")
_ENDLESS = 100  # times the seeds, from which on more of them are no advice


def findings(pairs: Pairs, run: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return all findings on pairs, as `pairs.told` gives them, and on their run; where nothing is odd it says so.

    `run` has state, going_on, servers, gates, comparisons, not_compared, and run.command.
    """
    again = resume(run["run"].get("command"))
    found = [finding for pair in pairs for finding in of_pair(pair, again, run["going_on"])]
    found += [*_state(pairs, run, again), *_decisions(pairs, run)]
    found += [finding for server in run["servers"] for finding in _server(server)]
    found += [*_few_tokens(pairs), *_compared(run["comparisons"])]
    return told(found or [Finding(NOTE, "nothing is missing, and nothing is odd")])


def resume(command: Sequence[str] | None) -> str:
    """Return the advice that goes on with a run, with the command that began it where it is known."""
    words = [str(word) for word in command or ["snakemake"]]
    name = Path(words[0]).name
    words[0] = "snakemake" if name.startswith(("__main__", "snakemake")) else words[0]
    return f"run {shlex.join(words)} again: what is finished is kept, only what is missing is asked for"


def _state(pairs: Pairs, run: Mapping[str, Any], again: str) -> Iterator[Finding]:
    """Yield what the state of the run says."""
    if run["going_on"]:
        yield Finding(NOTE, "a run goes on in this folder: what is missing may still come", "make summary")
    elif run["state"] == RUNNING:
        yield Finding(BAD, "the last run ended without a word: it was killed", again)
    if not pairs:
        yield Finding(BAD, "there is no output yet", f"{again}; logs/ says why there is none")


def _decisions(pairs: Pairs, run: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield the gates that do not pass, and comparisons that cannot be shown as they are."""
    for gate in run["gates"]:
        seeds = next((len(pair["seeds"]) for pair in pairs if pair["name"] == gate["pair"]), 0)
        if gate["outcome"] == FAIL:
            kind = f"gate fails: {gate['criterion']}"
            yield Finding(BAD, f"{kind}: {gate['text']}", "", gate["pair"], kind=kind)
        elif gate["outcome"] == INCONCLUSIVE:
            kind = f"gate inconclusive: {gate['criterion']}"
            act = enough(gate, seeds)
            yield Finding(ODD, f"{kind}: {gate['text']}", act, gate["pair"], kind=kind)
    stale = [told["name"] for told in run["comparisons"] if told["stale"]]
    for name in dict.fromkeys(stale):
        yield Finding(ODD, f"comparison {name} was made before the samples that it is about", "run snakemake")
    for name in run["not_compared"]:
        yield Finding(ODD, f"comparison {name} was not made", "run snakemake: it is made when every seed is there")


def _compared(comparisons: Pairs) -> Iterator[Finding]:
    """Yield of each comparison in how many of its lines B is better and worse; more odd where it is worse in any."""
    current = [one for one in comparisons if not one["stale"]]
    for name in dict.fromkeys(one["name"] for one in current):
        answers = [one["answers"]["across_seeds"] for one in current if one["name"] == name]
        words = ", ".join(f"{word} in {answers.count(word)}" for word in _ANSWERS if word in answers)
        lines = f"{len(answers)} comparison{'s' if len(answers) > 1 else ''}"
        question = "across seeds (the same problems with other seeds)"
        text = f"{name}: {question}, B against A is {words or 'not known'} of {lines}"
        worse = "worse" in answers
        yield Finding(ODD if worse else NOTE, text, "see Comparisons below: the problems that moved most" * worse)


def enough(gate: Mapping[str, Any], seeds: int) -> str:
    """Return how many samples would decide a gate, if the value stays: its interval narrows with their square root."""
    margin, distance = gate.get("margin"), gate.get("distance")
    if margin is None or distance is None or not seeds:
        return "more seeds narrow the interval of another run"
    if distance * _ENDLESS**0.5 < margin:
        return "the value is too near the limit for any number of seeds: move the limit"
    times = (margin / distance) ** 2
    needed = max(seeds + 1, round(seeds * times + 0.5))
    return (
        f"if the value stays, about {needed:,} seeds instead of {seeds} would decide it (seeds.count),"
        f" or {times:.1f} times the problems"
    )


def _server(server: Mapping[str, Any]) -> Iterator[Finding]:
    """Yield what is odd about a server."""
    model = server["model"]
    if restarts := server["restarts"]:
        why = next((one["reason"] for one in server["attempts"] if one.get("reason")), None)
        text = f"the server of {model} was started again {'once' if restarts == 1 else f'{restarts} times'}"
        act = f"read logs/server/{model}-*.log; what it was answering was asked again"
        yield Finding(ODD, f"{text}: {why}" if why else text, act)
    if server["guarded"] is False:
        text = f"the server of {model} answers without a key: whoever reaches its port can use it"
        yield Finding(NOTE, text, "its engine knows no key (Dynamo's does not): keep its nodes in a closed network")


def _few_tokens(pairs: Pairs) -> Iterator[Finding]:
    """Yield models that say far less than another on the same benchmark: their thinking may be switched off."""
    for pair in pairs:
        others = [one["mean_tokens"] or 0 for one in pairs if one["benchmark"] == pair["benchmark"]]
        own, most = pair["mean_tokens"], max(others)
        if own and most >= _THOUGHT and own < _FEW * most:
            text = f"{own:,.0f} tokens a sample, where another model takes {most:,.0f}"
            act = "see whether its thinking is switched on (extra_body, chat template)"
            yield Finding(ODD, text, act, pair["name"])
