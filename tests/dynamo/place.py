"""Working directories whose server is dynamo-mocker-1p1d: real frontend, simulated workers, words of ours."""

import copy
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.client.dynamo import PYTHON
from tests.serving.workplace import ROOT, Workplace
from tests.slurm.cluster import Cluster
from tests.slurm.workflow_place import PROFILE, WorkflowPlace
from tests.slurm.workplace import PLACEMENT

SHIPPED = "dynamo-mocker-1p1d"
EXPECTED = ("7", "7", "7", "8", "9")  # the workers always say 7: three of five problems
Server = dict[str, Any]


def server(change: Callable[[Mapping[str, Server]], None] | None = None) -> Server:
    """Return the shipped server file, its roles changed by `change`, which is given them by name."""
    found: Server = copy.deepcopy(yaml.safe_load((ROOT / "config" / "servers" / f"{SHIPPED}.yaml").read_text()))
    for role in found["roles"]:  # anchors of the file must not be shared any longer
        role["environment"], role["command"] = dict(role["environment"]), list(role["command"])
    if change is not None:
        change({role["name"]: role for role in found["roles"]})
    return found


def saying(phrase: str) -> Callable[[Mapping[str, Server]], None]:
    """Return the change by which both workers say `phrase`."""

    def change(roles: Mapping[str, Server]) -> None:
        for name in ("prefill", "decode"):
            words = roles[name]["command"]
            words[:] = [f"--say={phrase}" if word.startswith("--say=") else word for word in words]

    return change


def role_process(folder: Path, module: str, mark: str) -> int:
    """Return the id of the one process that works in `folder`, runs `module` and has `mark` on its command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "cwd") == str(folder):
                words = (entry / "cmdline").read_bytes().decode().split("\0")
                if words[0] == PYTHON and module in words and any(mark in word for word in words):
                    found.append(int(entry.name))
        except OSError:
            continue
    assert len(found) == 1, (module, mark, found)
    return found[0]


MARKS = {
    "frontend": ("dynamo.frontend", "--http-port"),
    "prefill": ("dynamo.mocker", "mode=prefill"),
    "decode": ("dynamo.mocker", "mode=decode"),
}


class DynamoPlace(Workplace):
    """A workplace whose servers run on this machine."""

    def begin(self, definition: Server, **plan: Any) -> None:
        """Start a driver whose one server is `m`."""
        self.start({"m": definition}, site={"programs": {"dynamo_python": PYTHON}}, **plan)

    def role(self, name: str) -> int:
        """Return the process id of a role."""
        return role_process(self.folder, *MARKS[name])


class DynamoFlow(WorkflowPlace):
    """A workplace in which `snakemake` with a Slurm profile is the driver; the servers take two nodes."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        """Work in `folder`; a site file beside it says where Dynamo is."""
        super().__init__(folder, cluster)
        self.environment["SEEDBED_SITE"] = str(self.files / "site.yaml")

    def lay_out(
        self, models: Mapping[str, Server | str], max_tokens: int = 24, python: str | None = None, **config: Any
    ) -> None:
        """Write site, server files (a text is a shipped name), benchmark, config and profile of a run."""
        self._yaml("site.yaml", {"programs": {"dynamo_python": PYTHON}, "python": python})
        named = {}
        for model, definition in models.items():
            if isinstance(definition, dict):
                self._yaml(f"{model}-server.yaml", definition)
                definition = str(self.files / f"{model}-server.yaml")
            named[model] = {"server": definition, "concurrency": 4, **config.pop(model, {})}
        self._yaml(
            "tiny.yaml",
            {"source": {"file": "tiny.jsonl"}, "prompt": "{problem}\n", "answer_type": "integer"},
        )
        rows = [
            {"id": f"t-{place}", "problem": f"What is {place} and more?", "expected_answer": answer}
            for place, answer in enumerate(EXPECTED)
        ]
        (self.files / "tiny.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self._yaml(
            "config.yaml",
            {
                "models": named,
                "benchmarks": [str(self.files / "tiny.yaml")],
                "seeds": {"start": 42, "count": 2},
                "sampling": {"temperature": 1.0, "max_tokens": max_tokens},
                "scorers": ["strict", "regex"],
                "servers": {"lease_seconds": 12, "idle_seconds": 60, "max_restarts": 3},
                **config,
            },
        )
        (self.files / "profile").mkdir(exist_ok=True)
        resources = {"server": {**PLACEMENT, "nodes": 2}}
        told = {"slurm-status-command": "squeue", "set-resources": resources}  # this Slurm keeps no accounts
        self._yaml("profile/config.yaml", {**PROFILE, **told})

    def counts(self, model: str, name: str) -> tuple[float, float]:
        """Return right answers and no answers, in percent of all samples."""
        both = json.loads(self.results(name, model).read_text())["tiny"]["pass@1[avg-of-2]"]
        return both["symbolic_correct"], both["no_answer"]

    def tokens(self, model: str) -> list[int]:
        """Return how many tokens each running seed has received so far."""
        files = (self.folder / "run" / model / "progress").glob("*.json")
        return [int(json.loads(file.read_text())["tokens"]) for file in files]

    def finished(self, model: str) -> dict[int, int]:
        """Return by seed how many samples have been stored, one asked for twice counted twice."""
        files = {seed: self.folder / "store" / model / "tiny" / f"rs{seed}.jsonl" for seed in (42, 43)}
        return {seed: len(file.read_bytes().splitlines()) if file.exists() else 0 for seed, file in files.items()}

    def logs_of_seeds(self, model: str) -> str:
        """Return what all seeds of a model have said."""
        files = sorted((self.folder / "logs" / "generate" / model).glob("*.log"))
        return "\n".join(file.read_text() for file in files)

    def ran(self, model: str) -> Server:
        """Return the record of what ran."""
        found: Server = json.loads((self.folder / "results" / model / "server_runs.json").read_text())
        return found

    def role(self, name: str) -> int:
        """Return the process id of a role."""
        return role_process(self.folder, *MARKS[name])
