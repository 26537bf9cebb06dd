"""All that the report shows, from the files of a run: the document of the page, and the files beside it."""

import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from seedbed.config.settings import Settings
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.core.secrets import strike
from seedbed.records import paths, run_record
from seedbed.records.coverage import COMPLETE, INVALID, PARTIAL
from seedbed.records.outputs import decoded
from seedbed.records.run_record import RUNNING
from seedbed.report import page, run_history
from seedbed.report import pair as pairs
from seedbed.report.findings import findings
from seedbed.report.pair import Pair
from seedbed.report.sample_columns import read_verdicts
from seedbed.report.texts import Facts, block, facts_of, write_problems
from seedbed.results.status import coverage_of, known_pairs, stale_scorers, terms_of
from seedbed.results.verdict import Pair as Name
from seedbed.scoring.score_files import read_details
from seedbed.serving.broker import control

FORMAT = 1
_WORST = (INVALID, PARTIAL, COMPLETE)
Coverages = Mapping[Name, Mapping[str, Any]]


class _Key(msgspec.Struct, frozen=True):
    """A row of a dataset without its wording."""

    id: str
    expected_answer: str


_key = msgspec.json.Decoder(_Key)


def write_and_describe(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> str:
    """Write the report and return the line that says where, or why it could not be written; a run is not lost by it."""
    try:
        return f"report: {write(settings, coverages, judged)}"
    except Exception as error:
        why = str(error) if isinstance(error, InputError | OSError) else f"{type(error).__name__}: {error}"
        return f"report: {paths.REPORT} could not be written: {' '.join(why.split())}"


def write(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> Path:
    """Write the report on all known pairs; returns its file. Raises InputError, OSError."""
    content = gather(settings, coverages, judged)
    files.write(paths.REPORT, page.render(block(content), title_of(content)))
    return paths.REPORT


def gather(settings: Settings, coverages: Coverages, judged: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the page's document; `coverages` are those already computed, the others are computed here."""
    record = run_record.read()
    asked = [(pair["model"], pair["benchmark"]) for pair in record.get("asked", {}).values()]
    found = {
        pair: coverages[pair] if pair in coverages else coverage_of(settings, pair, terms_of(settings, record, pair))
        for pair in dict.fromkeys([*settings.pairs, *known_pairs(settings, asked)])
    }
    return _document(settings, record, found, judged)


def title_of(content: Mapping[str, Any]) -> str:
    """Return the title of the page."""
    return f"{content['folder']}: {content['headline']['verdict']}"


def _document(
    settings: Settings,
    record: Mapping[str, Any],
    coverages: Mapping[Name, Mapping[str, Any]],
    judged: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the page's document on the pairs of `coverages`; their texts and samples are written beside the report."""
    found: list[dict[str, Any]] = []
    kept: set[Path] = set()
    keys: dict[str, dict[str, str]] = {}
    problems: dict[str, Path | None] = {}
    for name, coverage in coverages.items():
        benchmark = name[1]
        dataset = paths.dataset(benchmark)
        keys.setdefault(benchmark, _answers(dataset))
        pair = _pair(settings, record, name, coverage, keys[benchmark])
        if benchmark not in problems:
            folder = page.DATA / benchmark
            problems[benchmark] = None if pair.private else write_problems(benchmark, dataset, folder)
            kept |= {folder / "problems.js", folder / "problems.json"} if problems[benchmark] else set()
        found.append(pairs.told(pair, page.files_of(pair, keys[benchmark], problems[benchmark])))
        kept |= page.names_of(pair)
    page.sweep(kept)
    return _whole(settings, record, found, judged)


def _whole(
    settings: Settings, record: Mapping[str, Any], found: list[dict[str, Any]], judged: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the document around its pairs, secrets struck out of all that was not said by a model."""
    going_on = record.get("state") == RUNNING and control.is_locked()
    parts = {pair["benchmark"]: pair["part"] for pair in found}
    told = {
        "format": FORMAT,
        "made": time.time(),
        "state": record.get("state", "NONE"),
        "going_on": going_on,
        "title": "seedbed",
        "folder": Path.cwd().name,
        "gates": run_history.gates(judged, parts),
        "run": run_history.of_run(record),
        "servers": run_history.servers(settings.config["models"], record),
    }
    told["comparisons"], told["not_compared"] = run_history.comparisons(settings.config, parts)
    told["findings"] = findings(found, told)
    told["headline"] = headline(found, told)
    large = {"cells", "status", "problems", "curves", "figures", "tokens", "time"}
    secrets = list(_secrets(settings))
    told = dict(strike(told, secrets))
    struck = [strike({key: pair[key] for key in pair if key not in large}, secrets) for pair in found]
    told["pairs"] = [{**pair, **one} for pair, one in zip(found, struck, strict=True)]
    return told


def headline(found: Iterable[Mapping[str, Any]], told: Mapping[str, Any]) -> dict[str, str]:
    """Return the worst verdict, RUNNING while a run goes on, and one sentence on the run."""
    found = list(found)
    verdicts = [pair["verdict"] for pair in found]
    worst = RUNNING if told["going_on"] else next((word for word in _WORST if word in verdicts), INVALID)
    if not found:
        return {"verdict": worst, "text": "No output is there yet"}
    samples = sum(len(pair["status"]) for pair in found)
    there = samples - sum(pair["status"].count("m") for pair in found)
    whole = verdicts.count(COMPLETE)
    size = f"{len(found)} of {len(found)}" if whole == len(found) else f"{whole} of {len(found)}"
    text = f"{size} model × benchmark {'pair is' if len(found) == 1 else 'pairs are'} complete, "
    text += f"{samples:,} samples" if there == samples else f"{there:,} of {samples:,} samples are there"
    failed = [gate["outcome"] for gate in told["gates"] if gate["outcome"] != "pass"]
    if told["gates"]:
        passed = len(told["gates"]) - len(failed)
        text += f"; {passed} of {len(told['gates'])} gate criteria pass"
    if told["going_on"]:
        text += "; a run goes on"
    return {"verdict": worst, "text": text}


def _pair(
    settings: Settings,
    record: Mapping[str, Any],
    name: Name,
    coverage: Mapping[str, Any],
    keys: Mapping[str, str],
) -> Pair:
    """Return all that is read of one model and benchmark."""
    folder, definition = paths.outputs_folder(*name), _definition(settings, name[1])
    asked = record.get("asked", {}).get("/".join(name), {})
    scorers = [one for one in settings.scorers if one in asked.get("scorers", settings.scorers)]
    stale = stale_scorers(settings, scorers, folder, dict(coverage))
    pair = Pair(
        name=name,
        folder=folder,
        coverage=coverage,
        definition=definition,
        private=definition.get("text", "private") == "private",
        max_tokens=_max_tokens(settings, record, name),
        ids=list(keys),
        stale=stale,
    )
    seeds = coverage["seeds"]["expected"]
    pair.facts = [_facts(pair, seed) for seed in seeds]
    if coverage["verdict"] != INVALID:
        for scorer in scorers:
            if scorer not in stale:
                pair.verdicts[scorer] = read_verdicts(folder / f"samples-{scorer}.csv", seeds, pair.ids)
                pair.made_from[scorer] = read_details(folder, scorer)["written"]
    return pair


def _facts(pair: Pair, seed: int) -> Facts:
    """Return the facts of a seed's output; empty ones where there is none that can be read."""
    for output in sorted(pair.folder.glob(f"{paths.output_name(seed)}*")):
        told = pair.coverage["outputs"].get(output.name)
        if told is not None:
            try:
                return facts_of(output, told["trace"], pair.ids, page.folder_of(*pair.name), pair.private)
            except (InputError, OSError):
                break  # coverage says what is wrong with it
    return Facts.empty(len(pair.ids))


def _definition(settings: Settings, benchmark: str) -> dict[str, Any]:
    """Return a benchmark's definition as the run had it, else as it is now; {} where neither is known."""
    found = files.read_json(paths.definition_copy("benchmarks", benchmark))
    if found is None and benchmark in settings.known_benchmarks():
        found = settings.benchmark(benchmark).definition
    return found or {}


def _max_tokens(settings: Settings, record: Mapping[str, Any], name: Name) -> int | None:
    """Return the limit of a generation's tokens that requests had, None where none is known."""
    asked = record.get("provenance", {}).get("models", {}).get(name[0], {}).get("requests", {}).get(name[1])
    found = (asked or settings.sampling(*name)).get("max_tokens")
    return found if isinstance(found, int) else None


def _answers(dataset: Path) -> dict[str, str]:
    """Return the expected answers of a prepared dataset by id, in its order; {} where it is not there."""
    try:
        with dataset.open("rb") as lines:
            rows = [decoded(line, _key) for line in lines if line.strip()]
    except (OSError, InputError):
        return {}
    return {row.id: row.expected_answer for row in rows}


def _secrets(settings: Settings) -> Iterable[str]:
    """Yield what must not stand in a report: keys of endpoints and of our own servers."""
    for name, model in settings.config["models"].items():
        variable = model.get("api_key_env")
        if variable and os.environ.get(variable):
            yield os.environ[variable]
        key = paths.run_folder(name) / "key"
        if key.is_file() and (text := key.read_text(encoding="utf-8").strip()):
            yield text
