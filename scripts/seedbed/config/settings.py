"""A run's settings: its configuration, checked, with everything it names looked up."""

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from seedbed.config.benchmark import Benchmark, load_benchmark
from seedbed.config.catalogue import advised_scorers, check_models, files_of, load_server, located, shipped
from seedbed.core.digests import canonical, digest, with_server
from seedbed.core.errors import InputError
from seedbed.core.schema import conform, nearest
from seedbed.core.secrets import refuse_secrets
from seedbed.decisions import declared
from seedbed.records import import_record, paths
from seedbed.serving.spec import server_file
from seedbed.serving.spec.server_file import answer_relevant, model_file


@dataclass(frozen=True)
class Settings:
    """The checked configuration and what it names; `source` says where it came from, for messages."""

    config: dict[str, Any] = field(hash=False)
    source: str
    bases: Sequence[Path] = field(hash=False)
    benchmarks: dict[str, Path] = field(hash=False)
    scorers: dict[str, Path] = field(hash=False)
    servers: dict[str, Path] = field(hash=False)

    @property
    def seeds(self) -> list[int]:
        """Return the seeds in order."""
        start, count = self.config["seeds"]["start"], self.config["seeds"]["count"]
        return list(range(start, start + count))

    @property
    def models(self) -> list[str]:
        """Return the models' names in the order of the configuration."""
        return list(self.config["models"])

    @property
    def generated(self) -> list[str]:
        """Return the models whose outputs are generated: those that are not imported."""
        return [name for name in self.models if "imported" not in self.config["models"][name]]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Return what is evaluated, (model, benchmark); an imported model has the benchmarks that it has outputs of."""
        return [
            (model, name)
            for model in self.models
            for name in self.benchmarks
            if model in self.generated or import_record.read(paths.outputs_folder(model, name)) is not None
        ]

    def seeds_of(self, model: str, benchmark: str) -> list[int]:
        """Return the seeds of a model and benchmark: the run's, or of an imported model those of its files."""
        return self.seeds if model in self.generated else import_record.seeds(model, benchmark)

    @property
    def rules_on_submit_host(self) -> list[str]:
        """Return `generate` where seeds have no partition of their own, but start here."""
        return [] if self.config["seeds"]["placement"] == "partition" else ["generate"]

    @property
    def broad_scorers(self) -> list[str]:
        """Return the listed scorers other than strict, in order."""
        return [name for name in self.scorers if name != "strict"]

    @property
    def metrics(self) -> list[str]:
        """Return the stems of the metrics files: `metrics` for strict, `metrics-NAME` for any other scorer."""
        return ["metrics" if name == "strict" else f"metrics-{name}" for name in self.scorers]

    def known_benchmarks(self) -> dict[str, Path]:
        """Return every benchmark that a target may name: the shipped and the listed ones."""
        return shipped("benchmarks") | self.benchmarks

    @functools.cache  # noqa: B019 - one instance a process
    def benchmark(self, name: str) -> Benchmark:
        """Return a known benchmark by its name."""
        known = self.known_benchmarks()
        if name not in known:
            raise InputError(f"unknown benchmark {name!r}; {nearest(name, known)}")
        named = name if name in shipped("benchmarks") else str(known[name].resolve())
        return load_benchmark(named, self.bases, self.config["prompts"].get(name), self.config["subset"].get(name))

    def sampling(self, model: str, benchmark: str) -> dict[str, Any]:
        """Return what is sent with every request: the model's, the run's, or the benchmark's advice, in this order.

        Of imported outputs only what is known of them: nothing was asked here.
        """
        if model not in self.generated:
            return dict(self.config["models"][model].get("sampling", {}))
        advice = self.benchmark(benchmark).definition.get("max_tokens")
        return {**({} if advice is None else {"max_tokens": advice}), **self.model(model)["sampling"]}

    def model(self, name: str) -> dict[str, Any]:
        """Return a model's settings: `served_name`, `concurrency` and `sampling` filled in from the run's."""
        if name not in self.config["models"]:
            raise InputError(f"unknown model {name!r}; {nearest(name, self.models)}")
        own = self.config["models"][name]
        return {
            "served_name": name,
            "concurrency": self.config["concurrency"],
            **own,
            "sampling": self.config["sampling"] | own.get("sampling", {}),
        }

    def checked(self) -> Self:
        """Return these settings once every file they name, and every finished output by its size, is found right."""
        for name in self.benchmarks:
            self.benchmark(name)
        for model, path in self.servers.items():
            for name in self.benchmarks:
                server_file.check_context_length(
                    self.server(model), self.sampling(model, name).get("max_tokens"), str(path)
                )
        for model in self.models:
            names = [name for owner, name in self.pairs if owner == model]
            if model in self.generated:
                import_record.check_generated(model, names, self.seeds)
            else:
                import_record.check(model, names)
        return self

    @functools.cache  # noqa: B019 - one instance a process
    def server(self, model: str) -> dict[str, Any]:
        """Return the checked definition of a model's server, or what stands for somebody else's."""
        if model not in self.generated:
            return {"kind": "imported"}
        if model not in self.servers:
            return {"kind": "endpoint", "served_name": self.model(model)["served_name"]}
        return load_server(self.servers[model])

    def weights(self, model: str) -> list[str]:
        """Return the files that must be fetched before a model's server can start: one or none."""
        definition = self.server(model)
        file = model_file(definition)
        return [file] if file is not None and "wheel" in definition.get("model", {}) else []

    def weight_pins(self) -> dict[str, dict[str, str]]:
        """Return the `model` part of the server files by the file that is fetched for them."""
        return {file: self.server(model)["model"] for model in self.servers for file in self.weights(model)}

    def answer_fingerprint(self, model: str, benchmark: str) -> str | None:
        """Return the fingerprint that every record of a pair bears, with the server's spec; None of imported ones."""
        if model not in self.generated:
            return None
        return with_server(
            self.request_fingerprint(model, benchmark), json.loads(canonical(answer_relevant(self.server(model))))
        )

    def terms(self, model: str, benchmark: str) -> dict[str, Any]:
        """Return what a pair's outputs are judged by: their fingerprint, the seeds, the tolerated share of failures."""
        return {
            "fingerprint": self.answer_fingerprint(model, benchmark),
            "seeds": self.seeds_of(model, benchmark),
            "max_fraction": self.config["errors"]["max_failed_fraction"],
        }

    def request_fingerprint(self, model: str, benchmark: str) -> str:
        """Return the digest of all that shapes an answer beside the server, the row and the seed."""
        asked, definition = self.model(model), self.benchmark(benchmark).definition
        shaping = {
            "sampling": self.sampling(model, benchmark),
            **{key: asked[key] for key in ("served_name", "extra_body")},
        }
        loops, overflow = self.config["loops"], self.config["context_overflow"]
        shaping |= {"cut": loops["flag_chars"]} if loops["cut"] else {}
        shaping |= {"overlong": overflow} if overflow != "error" else {}  # named as in the store of older runs
        return digest(shaping | {"prompt": definition["prompt"], "system": definition["system"]})


def load(config: Mapping[str, Any], source: str, bases: Sequence[Path]) -> Settings:
    """Return the settings of a configuration read from `source`; relative paths are meant from one of `bases`."""
    refuse_secrets(config, "", source)
    checked = conform(config, "config", source)
    check_models(checked["models"], source)
    try:
        if "scorers" not in checked:
            checked["scorers"] = advised_scorers(checked["benchmarks"], bases)
        benchmarks = files_of("benchmarks", checked["benchmarks"], bases)
        for key in ("prompts", "subset"):
            for name in checked[key]:
                if name not in (known := shipped("benchmarks") | benchmarks):
                    raise InputError(f"{key}: unknown benchmark {name!r}; {nearest(name, known)}")
        scorers = files_of("scorers", checked["scorers"], bases)
        declared.resolve(checked, {"benchmarks": list(benchmarks), "scorers": list(scorers)}, bases)
        return Settings(
            checked,
            source,
            bases,
            benchmarks=benchmarks,
            scorers=scorers,
            servers={
                n: located("servers", m["server"], bases)[1] for n, m in checked["models"].items() if "server" in m
            },
        )
    except InputError as error:
        raise InputError(f"{source}: {error}") from None
