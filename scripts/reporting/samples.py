"""The table of every sample of a model on a benchmark, of which the page asks when it shows samples."""

from collections.abc import Mapping
from typing import Any

from scripts.evals.duplicates import FLAG
from scripts.reporting.pairs import Pair
from scripts.reporting.verdicts import FIRST_DIFFERS, RIGHT, flagged, places


def samples(pair: Pair, expected: Mapping[str, str]) -> dict[str, Any]:
    """Return the table of every sample, the columns seed by seed, of which the page asks when it shows samples."""
    found = {
        name: {scorer: getattr(one, name) for scorer, one in pair.verdicts.items()}
        for name in ("answer", "stage", "flags", "part")
    }
    found["span"] = {scorer: list(map(places, one.span)) for scorer, one in pair.verdicts.items()}
    shown: dict[str, Any] = {} if pair.private else {"expected": [expected.get(name) for name in pair.ids]}
    return {
        **found,
        **shown,
        "tokens": [count for seed in pair.facts for count in seed.tokens],
        "finish": [word for seed in pair.facts for word in seed.finish],
        FLAG: repeated(pair),
        "first_differs": {scorer: flagged(one, FIRST_DIFFERS) for scorer, one in pair.verdicts.items()},
        "right_in_text": {scorer: _overlooked(pair, one.cells) for scorer, one in pair.verdicts.items()},
    }


def repeated(pair: Pair) -> list[int]:
    """Return the samples whose text stands in an earlier seed already, where that tells anything."""
    if not pair.coverage["flags"].get(FLAG):
        return []
    seen: set[tuple[int, str]] = set()
    found = []
    for number, seed in enumerate(pair.facts):
        for index, mark in enumerate(seed.mark):
            if mark and (index, mark) in seen:
                found.append(number * len(pair.ids) + index)
            seen.add((index, mark))
    return found


def _overlooked(pair: Pair, cells: str) -> list[int]:
    """Return the samples that are not right, although the expected answer stands in what may hold the answer."""
    there = (stands for seed in pair.facts for stands in seed.in_text)
    return [at for at, (stands, cell) in enumerate(zip(there, cells, strict=True)) if stands and cell != RIGHT]
