"""The part of the report about one model on one benchmark, and the table of its samples."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from seedbed.health.repetition import FLAG
from seedbed.records import outputs
from seedbed.records.coverage import INVALID
from seedbed.report import charts
from seedbed.report.sample_columns import FIRST_DIFFERS, NOTHING, RIGHT, Verdicts, flagged, places
from seedbed.report.texts import Facts
from seedbed.results import summary_table, verdict
from seedbed.results.summary_table import rows_of
from seedbed.scoring.score_files import STRICT

UNKNOWN = "end unknown"
LISTED = 200  # samples that are not ok, listed one by one
SIGNS = {outputs.OK: ".", outputs.TRUNCATED: "t", outputs.ERROR: "e", outputs.MISSING: "m", outputs.EMPTY: "0"}


@dataclass
class Pair:
    """One model and benchmark: what its files say, read once."""

    name: verdict.Pair
    folder: Path
    coverage: Mapping[str, Any]
    definition: Mapping[str, Any]
    private: bool
    max_tokens: int | None
    ids: Sequence[str] = ()
    stale: list[str] = field(default_factory=list)
    facts: list[Facts] = field(default_factory=list)  # a seed each, also where it has no output
    verdicts: dict[str, Verdicts] = field(default_factory=dict)  # of the scorers that are current
    made_from: dict[str, Any] = field(default_factory=dict)  # the digests of those scorers' files

    @property
    def main(self) -> str | None:
        """Return the scorer whose outcomes the pictures show: the last broad one, else strict."""
        return next(reversed(self.verdicts), None)

    @property
    def status(self) -> str:
        """Return one character a sample, seed by seed."""
        seeds, places = self.coverage["seeds"]["expected"], {name: at for at, name in enumerate(self.ids)}
        rows = {seed: [SIGNS[outputs.OK]] * len(self.ids) for seed in seeds}
        for cell in self.coverage["not_ok"]:
            if cell["seed"] in rows and cell["id"] in places:
                rows[cell["seed"]][places[cell["id"]]] = SIGNS[cell["status"]]
        return "".join("".join(rows[seed]) for seed in seeds)

    @property
    def cells(self) -> dict[str, str]:
        """Return what each current scorer made of each sample."""
        return {scorer: found.cells for scorer, found in self.verdicts.items()}


def told(pair: Pair, files: Mapping[str, Any]) -> dict[str, Any]:
    """Return the pair as the page gets it; `files` are those beside the report."""
    figures, curves = _figured(_statistics(pair.folder, pair.verdicts))
    compared = _read(pair.folder / "scorers.json")
    coverage, status, cells = pair.coverage, pair.status, pair.cells
    flows = {
        scorer: charts.flow(cells[STRICT], cells[scorer], len(pair.ids), _object(compared.get(scorer)))
        for scorer in cells
        if STRICT in cells and scorer != STRICT
    }
    ledgers = {scorer: {"counts": flow} for scorer, flow in flows.items()}
    rows = rows_of(pair.folder, list(cells), ledgers) if cells else []
    faults = [str(fault["fault"]) for fault in coverage["faults"]]
    return {
        "name": "/".join(pair.name),
        "model": pair.name[0],
        "benchmark": pair.name[1],
        "part": coverage.get("part") or "",
        "private": pair.private,
        "answer_type": pair.definition.get("answer_type"),
        "verdict": INVALID if pair.stale else coverage["verdict"],
        "coverage_verdict": coverage["verdict"],
        "reasons": verdict.reasons(pair.name, dict(coverage)),
        "line": verdict.line(pair.name, dict(coverage), rows, pair.stale),
        "prompt": None if "imported" in coverage else pair.definition.get("prompt"),
        "imported": coverage.get("imported"),
        "unknown_ends": coverage["unknown"]["finish_reason"],
        "max_tokens": pair.max_tokens,
        "seeds": list(coverage["seeds"]["expected"]),
        "seeds_whole": list(coverage["seeds"]["whole"]),
        "surplus": list(coverage["seeds"]["surplus"]),
        "problems": list(pair.ids),
        "counts": _counts(coverage),
        "faults": faults,
        "remarks": list(coverage.get("remarks", [])),
        "not_ok": list(coverage["not_ok"][:LISTED]),
        "not_ok_total": len(coverage["not_ok"]),
        "scorers": list(cells),
        "stale": list(pair.stale),
        "status": status,
        "cells": cells,
        "measures": _measures(rows),
        "figures": figures,
        "curves": curves,
        "flow": flows,
        "tokens": charts.tokens_by_outcome(pair.facts, status, cells.get(pair.main or "", NOTHING * len(status))),
        "mean_tokens": charts.mean_tokens(pair.facts),
        "main": pair.main,
        "time": charts.time_line(coverage["seeds"]["expected"], pair.facts),
        "first_differs": {scorer: len(flagged(found, FIRST_DIFFERS)) for scorer, found in pair.verdicts.items()},
        "files": _files(pair.folder),
        **files,
    }


def _counts(coverage: Mapping[str, Any]) -> dict[str, int]:
    """Return how many samples ended how; those that do not tell are apart from those that are ok."""
    found = dict(coverage["counts"])
    unknown = min(found[outputs.OK], coverage["unknown"]["finish_reason"])
    rest = {status: count for status, count in found.items() if status != outputs.OK}
    return {outputs.OK: found[outputs.OK] - unknown, **({UNKNOWN: unknown} if unknown else {}), **rest}


def _statistics(folder: Path, scorers: Mapping[str, Verdicts]) -> dict[str, Any]:
    """Return the figures of the current scorers by statistics.json, as far as they were made of the same outputs."""
    known = _object(_read(folder / "statistics.json").get("scorers"))
    return {
        scorer: found
        for scorer in scorers
        if (found := _object(known.get(scorer)))
        and found.get("outputs") == _read(folder / f"details-{scorer}.json").get("outputs")
    }


def _figured(statistics: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the figures and the curves of each scorer, nothing of one whose part is not as this version writes it."""
    figures, curves = {}, {}
    for scorer, found in statistics.items():
        try:
            figures[scorer], curves[scorer] = _figures(found), charts.curves(found)
        except (KeyError, TypeError, ValueError, AttributeError):
            figures.pop(scorer, None)
    return figures, curves


def _figures(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return pass@1 and no_answer with the bounds of both questions, and the counts beside them."""
    pass_1 = next((figure for name, figure in found.items() if name.startswith("pass@1")), None)
    return {
        "pass@1": _bounded(pass_1),
        "no_answer": _bounded(found.get("no_answer")),
        "truncated": (found.get("truncated") or {}).get("count"),
        "timeouts": found.get("timeouts"),
        "first_differs_from_last": (found.get("first_differs_from_last") or {}).get("count"),
    }


def _bounded(figure: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Return a value with the bounds of both questions, null where the size gives none."""
    if figure is None:
        return None
    bounds = {key: figure.get(key) for key, _ in summary_table.QUESTIONS}
    return {"value": figure["value"]} | {key: [b["low"], b["high"]] if b else None for key, b in bounds.items()}


def _measures(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the lines of the printed table."""
    scorers = [row["scorer"] for row in rows]
    return [
        {"name": name, "cells": dict(zip(scorers, cells, strict=True))}
        for name, cells in (summary_table.measures(rows) if rows else [])
    ]


def _files(folder: Path) -> dict[str, str]:
    """Return the files of the pair that people may want, by what they are, as seen from the report."""
    kinds = {
        "outputs": "output-rs*.jsonl",
        "coverage": "coverage.json",
        "scorers": "scorers.json",
        "statistics": "statistics.json",
    }
    found = {kind: name for kind, name in kinds.items() if next(folder.glob(name), None) is not None}
    found |= {path.stem: path.name for pattern in ("metrics*.json", "samples-*.csv") for path in folder.glob(pattern)}
    where = "/".join(folder.parts[1:])
    return {kind: f"{where}/{name}" if kind != "outputs" else f"{where}/" for kind, name in sorted(found.items())}


def _read(path: Path) -> dict[str, Any]:
    """Return a JSON object, {} where there is none."""
    try:
        found = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return _object(found)


def _object(found: object) -> dict[str, Any]:
    """Return an object, {} of anything else."""
    return found if isinstance(found, dict) else {}


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
    """Return the samples whose text is in an earlier seed already, where that is a repetition."""
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
    """Return the samples that are not right, although the expected answer is in what may hold the answer."""
    there = (stands for seed in pair.facts for stands in seed.in_text)
    return [at for at, (stands, cell) in enumerate(zip(there, cells, strict=True)) if stands and cell != RIGHT]
