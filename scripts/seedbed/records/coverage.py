"""What of a benchmark is there: one status for every cell of problems × seeds, and the verdict that follows."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from seedbed.core.errors import InputError
from seedbed.records import outputs
from seedbed.records.outputs import changed, decoded, read_lines, seed_of

COMPLETE, PARTIAL, INVALID = "COMPLETE", "PARTIAL", "INVALID"
ROUNDING = 1e-6  # samples: 0.29 of 100 is 28.999… in binary, and 29 is meant


class _Origin(msgspec.Struct, frozen=True):
    """The part of our own key that tells how a sample came to be."""

    status: str | None = None
    reason: str | None = None
    flags: tuple[str, ...] | None = None
    fingerprint: str | None = None
    seed: int | None = None


_NO_ORIGIN = _Origin()


class _Sample(msgspec.Struct, frozen=True):
    """A record without its texts."""

    id: str | int | None = None
    finish_reason: str | None = None
    num_generated_tokens: outputs.Count | float | None = None
    generation_end_time: float | None = None
    seedbed: _Origin | None = None

    @property
    def origin(self) -> _Origin:
        """Return our own key, an empty one where there is none."""
        return self.seedbed or _NO_ORIGIN


_decoder = msgspec.json.Decoder(_Sample)


@dataclass
class SeedFile:
    """One output file, read without its texts: each id's status, what is not ok, and what is wrong with the file."""

    statuses: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    flags: dict[str, tuple[str, ...]] = field(default_factory=dict)
    fingerprints: set[str | None] = field(default_factory=set)
    seeds: set[int | None] = field(default_factory=set)
    unknown: Counter[str] = field(default_factory=Counter)
    tokens: float = 0
    trace: str = ""
    fault: str | None = None


def status_of(sample: _Sample) -> str:
    """Return the one status of a record; where our key is missing, its finish_reason decides."""
    if sample.origin.status is not None:
        return sample.origin.status
    return {"length": outputs.TRUNCATED, "error": outputs.ERROR}.get(sample.finish_reason or "", outputs.OK)


def told_by(sample: _Sample) -> dict[str, bool]:
    """Return what is known of a record: whether it was cut, its tokens, whether anybody looked for loops in it."""
    ours, end = sample.origin.status is not None, sample.finish_reason is not None
    return {"finish_reason": ours or end, "tokens": sample.num_generated_tokens is not None, "loops": ours}


def read_seed_file(path: Path) -> SeedFile:
    """Return what an output file holds; a file that cannot be read, or holds an id twice, has a `fault`."""
    found, trace = SeedFile(), hashlib.sha256()
    try:
        for number, line in read_lines(path):
            try:
                sample = decoded(line, _decoder)
            except InputError as error:
                raise InputError(f"{path}, line {number}: not a whole record ({error})") from None
            key = str(sample.id)
            if key in found.statuses:
                raise InputError(f"{path}, line {number}: id {key!r} occurs twice; expected every id once")
            found.statuses[key] = status_of(sample)
            if sample.origin.reason:
                found.reasons[key] = sample.origin.reason
            if sample.origin.flags:
                found.flags[key] = sample.origin.flags
            found.fingerprints.add(sample.origin.fingerprint)
            found.seeds.add(sample.origin.seed)
            found.tokens += sample.num_generated_tokens or 0
            found.unknown.update(name for name, known in told_by(sample).items() if not known)
            fields = (sample.generation_end_time, sample.num_generated_tokens, sample.finish_reason)
            trace.update(outputs.trace_line(sample.id, *fields))
    except (InputError, OSError) as error:
        found.fault = str(error)
    found.trace = trace.hexdigest()
    return found


def cover(
    folder: Path, ids: Sequence[str], seeds: Sequence[int], max_fraction: float, fingerprint: str | None = None
) -> dict[str, Any]:
    """Return coverage.json of a benchmark's folder: counts over problems × seeds, what is not ok, faults, verdict.

    COMPLETE: every cell is ok, truncated or empty. PARTIAL: some are error or missing, at most `max_fraction` of all.
    INVALID: anything else, and any fault: a broken file, foreign or doubled ids, outputs of another `fingerprint`.
    `unknown` counts the records that do not tell whether they were cut, their tokens, or whether they loop.
    """
    present, faults = _files(folder)
    files = {seed: read_seed_file(present[seed]) for seed in seeds if seed in present}
    counts: Counter[str] = Counter()
    not_ok: list[dict[str, Any]] = []
    flags: Counter[str] = Counter()
    unknown = Counter(dict.fromkeys(told_by(_Sample()), 0))
    for seed in seeds:
        read = files.get(seed, SeedFile())
        for key in ids:
            status = read.statuses.get(key, outputs.MISSING)
            counts[status] += 1
            if status != outputs.OK:
                why = read.reasons.get(key) or (None if seed in files else "no output file")
                not_ok.append({"seed": seed, "id": key, "status": status, "reason": why})
        flags.update(flag for marks in read.flags.values() for flag in marks)
        unknown.update(read.unknown)
    for seed, read in files.items():
        if fault := _fault(present[seed], seed, read, set(ids), fingerprint):
            faults.append({"seed": seed, "fault": fault})
    bad = counts[outputs.ERROR] + counts[outputs.MISSING]
    tolerated = bad <= max_fraction * len(ids) * len(seeds) + ROUNDING
    return {
        "verdict": COMPLETE if not (bad or faults) else PARTIAL if tolerated and not faults else INVALID,
        "seeds": {
            "expected": list(seeds),
            "found": sorted(files),
            "whole": [seed for seed, read in files.items() if not read.fault and set(ids) <= set(read.statuses)],
            "surplus": sorted(set(present) - set(seeds)),
        },
        "problems": len(ids),
        "samples": len(ids) * len(seeds),
        "counts": {status: counts[status] for status in outputs.STATUSES},
        "unknown": dict(unknown),
        "max_fraction": max_fraction,
        "not_ok": not_ok,
        "flags": dict(sorted(flags.items())),
        "faults": faults,
        "fingerprint": fingerprint,
        "outputs": {
            present[seed].name: {
                "samples": len(read.statuses),
                "tokens": None if read.unknown["tokens"] else int(read.tokens),
                "trace": read.trace,
            }
            for seed, read in files.items()
        },
    }


def _files(folder: Path) -> tuple[dict[int, Path], list[dict[str, Any]]]:
    """Return the seed files of a folder by seed, and what is wrong with the folder itself."""
    found: dict[int, Path] = {}
    faults: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.jsonl*")):
        if path.name.endswith((".done", "-async", ".part")):
            continue
        try:
            seed = seed_of(path)
        except InputError:
            fault = f"{path.name} is no output of a seed, yet NeMo-Skills would count it as one: move it elsewhere"
            faults.append({"seed": None, "fault": fault})
            continue
        if seed in found:
            faults.append({"seed": seed, "fault": f"seed {seed} is in {found[seed].name} and in {path.name}"})
        found.setdefault(seed, path)
    return found, faults


def _fault(path: Path, seed: int, read: SeedFile, ids: set[str], fingerprint: str | None) -> str | None:
    """Return what is wrong with one seed's file as a whole, None if nothing is."""
    strangers = sorted(set(read.statuses) - ids)
    if read.fault:
        return read.fault
    if ids and strangers:
        return f"{path.name}: {len(strangers)} ids are not in the dataset: {strangers[0]}"
    if others := sorted(read.seeds - {seed, None}, key=str):
        return f"{path.name} holds records of seed {others[0]}: expected those of seed {seed}"
    if fingerprint is not None and read.fingerprints - {fingerprint}:
        return f"{path.name}: made with another prompt, sampling, model setting or server"
    return changed(path)
