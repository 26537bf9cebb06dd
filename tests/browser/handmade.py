"""A report of one pair made by hand, for texts that no model has written yet."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.report.page import render
from seedbed.report.texts import block, call

SEED = 42
PAIR = "maple/sums"


def write(folder: Path, ids: Sequence[str], texts: Sequence[Mapping[str, Any]], **given: Any) -> Path:
    """Write a report of one seed, with its files beside it; `given` changes the data or, by these names, its parts.

    pair: of the pair; answers, spans, flags: by scorer; expected: by problem. Returns the report.
    """
    scorers = ("strict", "regex")
    many = len(ids)
    blank = {name: [None] * many for name in scorers}
    table = {
        "answer": given.pop("answers", blank),
        "stage": {name: ["box"] * many for name in scorers},
        "span": given.pop("spans", blank),
        "flags": given.pop("flags", {name: [""] * many for name in scorers}),
        "part": {name: ["final"] * many for name in scorers},
        "expected": given.pop("expected", ["7"] * many),
        "tokens": [1] * many,
        "finish": ["stop"] * many,
        "duplicate": [],
        "first_differs": {name: [] for name in scorers},
        "right_in_text": {name: [] for name in scorers},
    }
    problems = given.pop("problems", {name: {"text": f"Problem {name}", "maths": [], "expected": "7"} for name in ids})
    pair = _pair(ids, scorers) | given.pop("pair", {})
    data = {
        "format": 1, "made": 1_790_000_000, "state": "ENDED", "going_on": False, "title": "seedbed", "folder": "made",
        "headline": {"verdict": "COMPLETE", "text": "1 of 1 is complete"}, "findings": [], "gates": [], "servers": [],
        "comparisons": [], "run": {"versions": {}, "hosts": []}, "pairs": [pair],
    } | given  # fmt: skip
    rows = [
        {"id": name, "seed": SEED, "reasoning": "", "final_at": 0, "maths": [], "cut": 0, "cut_at": 0, **text}
        for name, text in zip(ids, texts, strict=True)
    ]
    beside = folder / "report-data"
    beside.mkdir(parents=True)
    (beside / "samples.js").write_text(call("seedbedSamples", PAIR, block(table)))
    (beside / "texts.js").write_text(call("seedbedTexts", f"{PAIR}/rs{SEED}-0", block(rows)))
    (beside / "problems.js").write_text(call("seedbedProblems", "sums", block(problems)))
    (folder / "report.html").write_text(render(block(data), str(data["title"])), encoding="utf-8")
    return folder / "report.html"


def _pair(ids: Sequence[str], scorers: Sequence[str]) -> dict[str, Any]:
    """Return a complete pair in which everything is right."""
    figure = {"pass@1": {"value": 100.0, "across_problems": [60.0, 100.0], "across_seeds": [80.0, 100.0]}}
    return {
        "name": PAIR, "model": "maple", "benchmark": "sums", "part": "", "private": False, "answer_type": "integer",
        "verdict": "COMPLETE", "line": "sums / maple: COMPLETE", "prompt": "{problem}", "max_tokens": 64,
        "seeds": [SEED], "seeds_whole": [SEED], "problems": list(ids), "counts": {"ok": len(ids)}, "faults": [],
        "reasons": [], "remarks": [], "not_ok": [], "not_ok_total": 0, "scorers": list(scorers), "main": "regex",
        "stale": [], "status": "." * len(ids), "cells": {name: "r" * len(ids) for name in scorers}, "measures": [],
        "figures": dict.fromkeys(scorers, figure), "curves": {}, "flow": {}, "tokens": {}, "time": {},
        "first_differs": {}, "files": {}, "chunks": {str(SEED): [[0, "report-data/texts.js", f"{PAIR}/rs{SEED}-0"]]},
        "samples_file": "report-data/samples.js", "problems_file": "report-data/problems.js",
    }  # fmt: skip
