"""Draw the workflow: docs/dag.md for code hosts, and docs/dag.svg where Graphviz is installed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from seedbed.core.environment import ROOT
from seedbed.core.errors import RunError

OUT = Path("docs/dag.md")
_NODE = re.compile(r'^\s*(\d+)\[label\s*=\s*"([^"]+)"')
_EDGE = re.compile(r"^\s*(\d+)\s*->\s*(\d+)")


def rulegraph() -> str:
    """Return the workflow's graph of rules in the dot language, as Snakemake tells it for the default configuration."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), "--rulegraph", "--forceall"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RunError(f"snakemake --rulegraph failed: {done.stderr.strip()[-500:]}")
    return done.stdout[done.stdout.index("digraph") :]


def mermaid(dot: str) -> str:
    """Return the graph of a dot text as a mermaid flow chart, nodes and arrows in a fixed order."""
    names = {match[1]: match[2] for line in dot.splitlines() if (match := _NODE.match(line))}
    arrows = {(names[match[1]], names[match[2]]) for line in dot.splitlines() if (match := _EDGE.match(line))}
    lines = [f"    {start} --> {end}" for start, end in sorted(arrows)]
    return "\n".join(["flowchart TD", *(f"    {name}" for name in sorted(names.values())), *lines])


def page(dot: str) -> str:
    """Return docs/dag.md for a dot text."""
    return (
        "# The workflow\n\nRules of the default configuration, as `snakemake --rulegraph` tells them;"
        f" `make dag` writes this page.\n\n```mermaid\n{mermaid(dot)}\n```\n"
    )


def main() -> int:
    """Run the command; returns 0."""
    dot = rulegraph()
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(page(dot), encoding="utf-8")
    written = [OUT]
    if shutil.which("dot"):
        picture = OUT.with_suffix(".svg")
        subprocess.run(["dot", "-Tsvg", "-o", str(picture)], input=dot, text=True, check=True)
        written.append(picture)
    print("wrote", *written)
    return 0
