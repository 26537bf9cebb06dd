"""The benchmark of imported outputs: its rows prepared, and a file of its own where none is shipped under its name."""

import json
from pathlib import Path

import yaml

from scripts import whole
from scripts.adoption.adopting import Adopted
from scripts.benchmarks import load_benchmark
from scripts.catalogue import shipped
from scripts.digests import sha256
from scripts.evals.answer_keys import narrowest
from scripts.evals.datasets import write_rows
from scripts.prepare_dataset import prepare


def prepared(found: Adopted, answer_type: str | None) -> dict[str, Path]:
    """Write resources/{benchmark}, unless it is prepared; returns the benchmark's own file by its name, if it has one.

    Under a shipped name the rows are marked as taken from outputs: a model of a run is not asked them.
    """
    name = found.benchmark
    folder = Path("resources") / name
    own = folder / f"{name}.yaml"
    if found.problems.dataset is not None:
        return {name: own} if own.is_file() else {}
    folder.mkdir(parents=True, exist_ok=True)
    rows = found.problems.rows()
    if name in shipped("benchmarks"):
        write_rows(rows, folder / "test.jsonl")
        record = {
            "benchmark": name,
            "source": {"imported": found.record["source"]},
            "sha256": sha256(folder / "test.jsonl"),
            "rows": len(rows),
            "part": None,
        }
        whole.write(folder / "source.json", json.dumps(record, indent=2) + "\n")
        return {}
    write_rows(rows, folder / "rows.jsonl")
    definition = {
        "description": f"Problems of the outputs imported from {found.record['source']}; their prompt is not known.",
        "source": {"file": "rows.jsonl", "rows": len(rows)},
        "prompt": "{problem}",
        "answer_type": answer_type or narrowest(row["expected_answer"] for row in rows),
    }
    whole.write(own, yaml.safe_dump(definition, sort_keys=False, allow_unicode=True, width=110))
    told = prepare(load_benchmark(str(own.resolve()), []).definition, folder / "test.jsonl")
    whole.write(folder / "source.json", json.dumps(told, indent=2) + "\n")
    return {name: own}
