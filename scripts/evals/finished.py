"""The mark beside a finished output, output-rs{seed}.jsonl.done: how large it is and what its content's digest is."""

import json
from pathlib import Path

from scripts import whole
from scripts.digests import sha256


def mark_of(output: Path) -> Path:
    """Return the mark of an output; NeMo-Skills looks for its being there alone."""
    return output.with_name(f"{output.name}.done")


def seal(output: Path, source: str | None = None) -> None:
    """Write the mark of an output that has just been finished, or imported from `source`, whole or not at all."""
    told = {"size": output.stat().st_size, "sha256": sha256(output)} | ({"source": source} if source else {})
    whole.write(mark_of(output), json.dumps(told) + "\n")


def changed(output: Path, by_content: bool = True) -> str | None:
    """Return how an output differs from what it was when it was finished, None if it does not or has no such mark.

    By size alone this is cheap enough for every start of a run.
    """
    try:
        told = json.loads(mark_of(output).read_text(encoding="ascii"))
        size, digest = int(told["size"]), str(told["sha256"])
        found = output.stat().st_size
    except (OSError, ValueError, KeyError, TypeError):
        return None
    mend = "remove it and run snakemake, and it comes back from the store"
    if isinstance(told.get("source"), str):
        mend = f"it was imported from {told['source']}; remove its folder and import it again"
    if found != size:
        return f"{output} has {found} bytes, {size} when it was finished: {mend}"
    if by_content and sha256(output) != digest:
        return f"{output} was changed since it was finished: {mend}"
    return None
