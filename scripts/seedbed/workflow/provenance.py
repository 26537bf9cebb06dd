"""The provenance of a run for results/run.json: enough to repeat it, with secrets removed."""

import hashlib
import importlib.metadata
import os
import platform
import socket
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from seedbed.client.requests import STREAM
from seedbed.config.settings import Settings
from seedbed.core.digests import digest
from seedbed.core.environment import ROOT
from seedbed.core.secrets import strike
from seedbed.records import import_record, paths
from seedbed.serving.spec.server_file import answer_relevant
from seedbed.workflow import snapshot
from seedbed.workflow.code_digest import code_digest

PACKAGES = (
    "snakemake",
    "snakemake-executor-plugin-slurm",
    "aiohttp",
    "math-verify",
    "msgspec",
    "orjson",
    "pandas",
    "pyarrow",
    "pyyaml",
    "regex",
    "sympy",
    "xllamacpp",
    "zstandard",
)
_LISTED = 20  # at most so many changed files are listed


def of_run(settings: Settings, pairs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the provenance at the start: code, versions, configuration, data, scorers, servers, requests."""
    found = {
        "code": code(),
        "command": sys.argv,
        "host": {"name": socket.gethostname(), "system": platform.platform(), "processors": os.cpu_count()},
        "versions": versions(),
        "config": snapshot.effective(settings),
        "seeds": settings.seeds,
        "benchmarks": {name: _benchmark(settings, name) for name in settings.benchmarks},
        "scorers": {name: _scorer(name, path) for name, path in settings.scorers.items()},
        "models": {model: _model(settings, model, pairs) for model in settings.models},
    }
    known = [os.environ.get(str(model.get("api_key_env"))) for model in settings.config["models"].values()]
    struck: dict[str, Any] = strike(found, [secret for secret in known if secret])
    return struck


def code() -> dict[str, Any]:
    """Return the commit, whether the checkout is as committed, and a digest of the code that needs no git."""
    content = hashlib.sha256()
    for path in sorted([*ROOT.glob("scripts/**/*.py"), *ROOT.glob("rules/*.smk"), ROOT / "Snakefile"]):
        content.update(f"{path.relative_to(ROOT)}\n".encode())
        content.update(path.read_bytes())
    commit, changed = _git("rev-parse", "HEAD"), _git("status", "--porcelain")
    files = [] if changed is None else [line[3:] for line in changed.splitlines()]
    return {
        "commit": commit.strip() if commit else None,
        "clean": None if changed is None else not files,
        "changed": files[:_LISTED] + ([f"and {len(files) - _LISTED} more"] if len(files) > _LISTED else []),
        "sha256": content.hexdigest(),
    }


def _git(*words: str) -> str | None:
    """Return the output of a git command on the checkout, None without git or outside a repository."""
    if not (ROOT / ".git").exists():
        return None
    try:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that matter, as far as they are installed."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def _benchmark(settings: Settings, name: str) -> dict[str, Any]:
    """Return a benchmark's definition with a digest of its prompt; its rows are known only when they are prepared."""
    definition = settings.benchmark(name).definition
    return {"definition": definition, "prompt_sha256": digest([definition["prompt"], definition["system"]])}


def _scorer(name: str, path: Path) -> dict[str, str]:
    """Return the digests of a scorer's file and of the code that runs it."""
    command = "score" if name == "strict" else "rescore"
    return {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "code_sha256": code_digest(command)}


def _model(settings: Settings, model: str, pairs: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a model's server, and the fields of its requests for each benchmark except problem and seed."""
    if model not in settings.generated:
        names = [name for owner, name in settings.pairs if owner == model]
        imported = {name: import_record.read(paths.outputs_folder(model, name)) for name in names}
        return {"server": settings.server(model), "requests": {}, "fingerprints": {}, "imported": imported}
    asked = settings.model(model)
    requests = {
        name: {
            "model": asked["served_name"],
            **settings.sampling(model, name),
            **asked["extra_body"],
            **(STREAM if asked["stream"] else {}),
        }
        for name in settings.benchmarks
    }
    return {
        "endpoint": asked.get("endpoint"),
        "server": settings.server(model),
        "server_spec_sha256": digest(answer_relevant(settings.server(model))),
        "requests": requests,
        "fingerprints": {pair["benchmark"]: pair["fingerprint"] for pair in pairs if pair["model"] == model},
    }
