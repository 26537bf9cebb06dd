"""What is missing or odd about a run as a whole, and what to do about it; all findings of a report."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.evals.gates import CANNOT_TELL, FAIL
from scripts.reporting.advice import of_pair
from scripts.reporting.findings import BAD, NOTE, ODD, Finding, told
from scripts.run_record import RUNNING

Pairs = Sequence[Mapping[str, Any]]
_FEW, _THOUGHT = 0.1, 1_000  # of the tokens that another model takes on the same benchmark; where that takes so many
_ANSWERS = ("better", "worse", "cannot tell")
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
        elif gate["outcome"] == CANNOT_TELL:
            kind = f"gate cannot tell: {gate['criterion']}"
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
        answers = [one["answers"]["run_again"] for one in current if one["name"] == name]
        words = ", ".join(f"{word} in {answers.count(word)}" for word in _ANSWERS if word in answers)
        lines = f"{len(answers)} comparison{'s' if len(answers) > 1 else ''}"
        text = f"{name}: these same problems run again, B against A is {words or 'not to be told'} of {lines}"
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
