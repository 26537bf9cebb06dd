"""What comparisons and gates depend on beside the files of the run: their wording, and stored references by content."""

import hashlib
from pathlib import Path
from typing import Any

from scripts.decisions import labels, sides_of
from scripts.evals.gates import criterion
from scripts.sides import Side, folders_with_samples, outputs_in, side

_READ = 1 << 16  # bytes of each end of a stored file that its digest is made of


def of_pair(config: dict[str, Any], label: str) -> list[str]:
    """Return what a comparison depends on beside the run's own files: its two sides, a stored one by its content."""
    found = dict(zip(labels(config), config["comparisons"], strict=True))[label]
    return [_mark(one) for one in sides_of(config, found)]


def of_gates(config: dict[str, Any]) -> dict[str, Any]:
    """Return what the gates depend on beside the run's own files: their wording, a stored reference by its content."""
    gates = []
    for gate in config["gates"]:
        require = []
        for text in gate["require"]:
            named = criterion(text).reference
            require.append(text.replace(named, _mark(side(named, config["models"], [Path()]))) if named else text)
        gates.append(gate | {"require": require})
    return {"gates": gates, "max_fraction": config["errors"]["max_fraction"]}


def _mark(found: Side) -> str:
    """Return a side's name, or the digest of a stored folder: a reference that has moved is the same reference."""
    return _digest(found.root) if found.stored else found.named


def _digest(root: Path) -> str:
    """Return a digest of a stored folder's tables and outputs: names, sizes and both ends, but no path and no time."""
    content = hashlib.sha256()
    for folder in folders_with_samples(root):
        for path in sorted([*folder.glob("samples-*.csv"), *outputs_in(folder)]):
            size = path.stat().st_size
            content.update(f"{path.relative_to(root)}\t{size}\n".encode())
            with path.open("rb") as file:
                content.update(file.read(_READ))
                file.seek(max(0, size - _READ))
                content.update(file.read())
    return content.hexdigest()
