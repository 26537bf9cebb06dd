"""The jobs of a configuration as Snakemake plans them: each with its files, its wildcards and why it would run."""

import html
import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from seedbed.core.environment import ROOT
from seedbed.core.errors import RunError

_FIELD = re.compile(r"^    (input|output|jobid|reason|wildcards): (.*)$")
_RULE = re.compile(r"^(?:local)?(?:rule|checkpoint) (\w+):$")
_NODE = re.compile(r'<b><font point-size="18">(\w+)</font></b>(.*?)</table>>\]', re.DOTALL)
_FILE = re.compile(r'<font face="monospace">(.*?)</font>')
_CONSTRAINT = re.compile(r"\{(\w+),[^}]*\}")


@dataclass(frozen=True)
class Job:
    """One job of the plan; `reason` is Snakemake's own, and empty where the job is done."""

    rule: str
    wildcards: dict[str, str] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    reason: str = ""

    @property
    def key(self) -> tuple[str, tuple[tuple[str, str], ...]]:
        """Return what identifies this job in its graph."""
        return self.rule, tuple(sorted(self.wildcards.items()))


def planned(arguments: Sequence[str]) -> list[Job]:
    """Return every job of the configuration that the arguments of Snakemake name; raises RunError.

    Two dry runs: a forced one lists all jobs with their files, a plain one lists those to run with their reasons.
    """
    to_run = {job.key: job.reason for job in parse(dry_run(*arguments))}
    every = parse(dry_run("--forceall", *arguments))
    return [replace(job, reason=to_run.get(job.key, "")) for job in every]


def dry_run(*arguments: str) -> str:
    """Return the text of a dry run of this workflow in the working directory; raises RunError."""
    return _snakemake("--dry-run", *arguments)


def parse(text: str) -> list[Job]:
    """Return the jobs that the text of a dry run lists, in its order."""
    found: list[dict[str, str]] = []
    for line in text.splitlines():
        if begins := _RULE.match(line):
            found.append({"rule": begins[1]})
        elif found and (given := _FIELD.match(line)):
            found[-1].setdefault(given[1], given[2])
    return [
        Job(
            one["rule"],
            dict(pair.split("=", 1) for pair in _words(one.get("wildcards", ""))),
            tuple(_words(one.get("input", ""))),
            tuple(_words(one.get("output", ""))),
            one.get("reason", ""),
        )
        for one in found
    ]


def file_patterns(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Return the output files of every rule as it declares them, with wildcards and without their constraints."""
    found = {}
    for rule, table in _NODE.findall(_snakemake("--filegraph", "--forceall", *arguments)):
        _, _, outputs = table.rpartition("output &rarr;")
        names = (html.unescape(name) for name in _FILE.findall(outputs)) if "output &rarr;" in table else ()
        found[rule] = [_CONSTRAINT.sub(r"{\1}", name) for name in names]
    return found


def files_between(jobs: Iterable[Job], patterns: dict[str, list[str]]) -> dict[tuple[str, str], list[str]]:
    """Return which declared files of a rule another rule reads, by (rule that makes them, rule that reads them)."""
    every = list(jobs)
    made = {file: job for job in every for file in job.outputs}
    found: dict[tuple[str, str], set[str]] = {}
    for job in every:
        for file in job.inputs:
            if maker := made.get(file):
                names = [name for name in patterns[maker.rule] if _filled(name, maker.wildcards) == file]
                found.setdefault((maker.rule, job.rule), set()).update(names)
    return {pair: sorted(names) for pair, names in sorted(found.items())}


def _filled(pattern: str, wildcards: dict[str, str]) -> str:
    """Return a file's name with its wildcards filled in."""
    for name, value in wildcards.items():
        pattern = pattern.replace(f"{{{name}}}", value)
    return pattern


def _words(listed: str) -> list[str]:
    """Return the entries of a list as a dry run prints it."""
    return [word for word in listed.split(", ") if word]


def _snakemake(*arguments: str) -> str:
    """Return what Snakemake prints for this workflow in the working directory; raises RunError with its last lines."""
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path.cwd())
    if done.returncode:
        raise RunError(f"snakemake {arguments[0]} failed: {(done.stderr or done.stdout).strip()[-800:]}")
    return done.stdout
