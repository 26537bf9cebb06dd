"""What imported outputs say of themselves, beside what the strict scorer makes of them here."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from seedbed.core.errors import InputError
from seedbed.interop.outputs.find import SGL_EVAL
from seedbed.scoring.score_files import read_table

FIGURES = ("symbolic_correct", "no_answer")
SAME = 0.0051  # points: some round to two digits
_NAMED = 3  # samples that are named
Said = dict[str, dict[str, float]]


def said(metrics: Path, form: str, benchmark: str) -> Said:
    """Return the percentages of a peer's metrics.json by mode; raises InputError if they cannot be read."""
    try:
        document = json.loads(metrics.read_bytes())
        if form == SGL_EVAL:
            return _of_sgl_eval(document["aggregate"], int(document["n_repeats"]))
        blocks = {name: block for name, block in document.items() if isinstance(block, dict)}
        block = blocks[benchmark if benchmark in blocks else next(iter(blocks))]
        return {
            mode: {name: float(values[name]) for name in FIGURES if isinstance(values.get(name), int | float)}
            for mode, values in block.items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, StopIteration) as error:
        raise InputError(f"{metrics}: {type(error).__name__}: {error}; expected the metrics of {form}") from None


def _of_sgl_eval(theirs: Mapping[str, float], k: int) -> Said:
    """Return the shares of sgl-eval's aggregate as percentages under NeMo-Skills' names."""
    mean = f"pass@1[avg-of-{k}]" if k > 1 else "pass@1"
    found = {mean: {"symbolic_correct": 100 * float(theirs["pass@1" if k > 1 else "score"])}}
    if "no_answer" in theirs:
        found[mean]["no_answer"] = 100 * float(theirs["no_answer"])
    for mode in (f"pass@{k}", f"majority@{k}") if k > 1 else ():
        if mode in theirs:
            found[mode] = {"symbolic_correct": 100 * float(theirs[mode])}
    return found


def compared(theirs: Said, folder: Path) -> dict[str, Any]:
    """Return how many figures agree with metrics.json of `folder`, which differ, and which have no counterpart."""
    block: Said = json.loads((folder / "metrics.json").read_text(encoding="utf-8"))[folder.name]
    same, differ, without = 0, [], []
    for mode, figures in theirs.items():
        for name, value in figures.items():
            ours = block.get(mode, {}).get(name)
            if ours is None:
                without.append(f"{mode} {name}")
            elif abs(ours - value) <= SAME:
                same += 1
            else:
                differ.append({"figure": f"{mode} {name}", "theirs": value, "ours": ours})
    return {"same": same, "different": differ, "without_counterpart": without}


def judged_otherwise(judged: Mapping[tuple[str, int], bool], folder: Path) -> list[str]:
    """Return id@seed of the samples whose own symbolic_correct is not the strict scorer's verdict here."""
    rows = read_table(folder / "samples-strict.csv")
    return [f"{row.id}@{row.seed}" for row in rows if judged.get((row.id, row.seed), row.correct) != row.correct]


def lines(record: Mapping[str, Any]) -> list[str]:
    """Return what people read of the two comparisons in imported.json."""
    sentences = []
    if found := record.get("their_metrics"):
        file, different = found["file"], found["different"]
        each = [f"{one['figure']} {one['theirs']:.2f}, here {one['ours']:.2f}" for one in different]
        if different:
            sentences.append(f"{file} differs from the strict recount: {'; '.join(each)}")
        if found["same"]:
            sentences.append(f"{file}: {found['same']} figures are as the strict recount has them")
        if missing := found["without_counterpart"]:
            sentences.append(f"{file}: {len(missing)} figures have no counterpart here, such as {missing[0]}")
    if (samples := record.get("judged_otherwise")) is not None and samples:
        more = f" and {len(samples) - _NAMED} more" if len(samples) > _NAMED else ""
        sentences.append(
            f"judged otherwise than the records say (symbolic_correct): {', '.join(samples[:_NAMED])}{more}"
        )
    return sentences
