"""The snapshot of a run: the files that its jobs and its broker read besides inputs, written when the run starts."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from seedbed.config.catalogue import shipped
from seedbed.config.settings import Settings
from seedbed.core import files
from seedbed.records import paths
from seedbed.serving.spec.plan import POLL, Plan, ServerPlan
from seedbed.serving.spec.site import read_site, site

Pair = tuple[str, str]


def write(settings: Settings, pairs: Iterable[Pair]) -> None:
    """Write results/config.yaml and what jobs read below run/, for the (model, benchmark) pairs of a run."""
    wanted = sorted(set(pairs))
    _write(paths.CONFIG, yaml.safe_dump(effective(settings), sort_keys=False, allow_unicode=True))
    for benchmark in {name for _, name in wanted} | set(settings.benchmarks):
        _write(paths.definition_copy("benchmarks", benchmark), _json(settings.benchmark(benchmark).definition))
    for name, path in settings.scorers.items():
        _write(paths.scorer_copy(name), path.read_text(encoding="utf-8"))
    for model in settings.generated:
        benchmarks = {name for owner, name in wanted if owner == model} | set(settings.benchmarks)
        _write(paths.client_config(model), _json(client(settings, model, benchmarks)))
        _write(paths.definition_copy("servers", model), _json(settings.server(model)))


def client(settings: Settings, model: str, benchmarks: Iterable[str]) -> dict[str, Any]:
    """Return what the seeds of `model` read: endpoint, limits, and the prompt and sampling of each benchmark."""
    asked, config = settings.model(model), settings.config
    definitions = {name: settings.benchmark(name).definition for name in sorted(benchmarks)}
    return {
        "model": model,
        **{key: asked[key] for key in ("served_name", "stream", "extra_body", "reasoning", "concurrency")},
        "endpoint": asked.get("endpoint"),
        "api_key_env": asked.get("api_key_env"),
        **{key: config[key] for key in ("errors", "timeouts", "retries", "loops", "context_overflow")},
        "lease_seconds": config["servers"]["lease_seconds"],
        "placement": config["seeds"]["placement"],
        "benchmarks": {
            name: {
                **{key: definition[key] for key in ("prompt", "system", "answer_type")},
                "context": definition.get("context"),
                "sampling": settings.sampling(model, name),
                "request_fingerprint": settings.request_fingerprint(model, name),
                "answer_fingerprint": settings.answer_fingerprint(model, name),
            }
            for name, definition in definitions.items()
        },
    }


def servers_plan(
    settings: Settings, launcher: str, resources: Mapping[str, Mapping[str, Any]], outputs: Mapping[str, Sequence[str]]
) -> Plan:
    """Return the plan of a run's servers: limits and, by model, its server, resources and the outputs that need it."""
    limits = settings.config["servers"]
    return Plan(
        run="",  # given when the plan is written
        launcher=launcher,
        max_servers=limits["max_servers"],
        max_restarts=limits["max_restarts"],
        idle_seconds=limits["idle_seconds"],
        lease_seconds=limits["lease_seconds"],
        poll=min(POLL, limits["lease_seconds"] / 4),
        site=site(read_site()),
        servers={
            model: ServerPlan(
                model=model,
                definition=settings.server(model),
                served_name=settings.model(model)["served_name"],
                resources=dict(resources.get(model, {})),
                concurrency=settings.model(model)["concurrency"],
                outputs=tuple(outputs.get(model, ())),
            )
            for model in settings.servers
        },
    )


def effective(settings: Settings) -> dict[str, Any]:
    """Return the configuration of the run with defaults and absolute paths: the same DAG from any folder."""

    def named(kind: str, paths_by_name: Mapping[str, Path]) -> list[str]:
        return [name if name in shipped(kind) else str(path.resolve()) for name, path in paths_by_name.items()]

    servers = {
        name: path.stem if path.stem in shipped("servers") else str(path) for name, path in settings.servers.items()
    }
    return {
        **settings.config,
        "models": {
            name: model | ({"server": servers[name]} if name in servers else {})
            for name, model in settings.config["models"].items()
        },
        "benchmarks": named("benchmarks", settings.benchmarks),
        "prompts": {name: settings.benchmark(name).prompt for name in settings.config["prompts"]},
        "scorers": named("scorers", settings.scorers),
    }


def _json(value: object) -> str:
    """Return `value` as indented JSON."""
    return json.dumps(value, indent=2) + "\n"


def _write(path: Path, text: str) -> None:
    """Write a file unless it has this content already, so that its time stays."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        files.write(path, text)
