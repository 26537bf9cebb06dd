"""A finding of the report: what is missing or odd, what to do about it, and the samples that show it."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

BAD, ODD, NOTE = "bad", "odd", "note"
_RANK = {BAD: 0, ODD: 1, NOTE: 2}
SEVERAL = 3  # findings of one kind, from which on they are told as one


class Finding(msgspec.Struct, frozen=True):
    """One finding, on one model and benchmark or on the run.

    `shown` is the filter, by `scorer`, that shows the samples it is about. `kind` tells several as one: a sentence with
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
