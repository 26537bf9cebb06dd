"""The `benchmark:` block of a recipe of srt-slurm as our configuration, and the error that shows the new form."""

import re
import shlex
from collections.abc import Mapping
from typing import Any

from seedbed.core.errors import InputError
from seedbed.interop.srt_slurm.recipe import Recipe
from seedbed.interop.srt_slurm.roles import VARIABLE

# what the seed system's run script takes where its caller says nothing
SCRIPT = {
    "DATASET": "aime25",
    "REPEAT": "16",
    "MAX_TOKENS": "400000",
    "NUM_THREADS": "512",
    "TEMPERATURE": "1.0",
    "TOP_P": "1.0",
    "SEED": "42",
}
FORMER = {
    "DATASET": "aime25",
    "REPEAT": "1",
    "MAX_TOKENS": "24576",
    "NUM_THREADS": "30",
    "SEED": "0",
}  # where `type: aime` says nothing
FORMER_KEYS = {
    "aime_dataset": "DATASET",
    "repeat": "REPEAT",
    "max_tokens": "MAX_TOKENS",
    "num_threads": "NUM_THREADS",
    "temperature": "TEMPERATURE",
    "top_p": "TOP_P",
    "top_k": "TOP_K",
}
NS_EVAL = {
    "--model": "MODEL",
    "--server_address": "ENDPOINT",
    "--starting_seed": "SEED",
    "--output_dir": "OUTPUT_DIR",
    "++inference.tokens_to_generate": "MAX_TOKENS",
    "++max_concurrent_requests": "NUM_THREADS",
    "++inference.temperature": "TEMPERATURE",
    "++inference.top_p": "TOP_P",
    "++inference.top_k": "TOP_K",
}
HARMLESS = {"OPENAI_API_KEY": "", "HF_TOKEN": "", "ENDPOINT": "", "OUTPUT_DIR": ""}
KNOWN = {*SCRIPT, *HARMLESS, "MODEL", "TOP_K"}


def configuration(recipe: Recipe, name: str, served: str) -> dict[str, Any] | None:
    """Return our configuration of the recipe's evaluation by server file `name`, or None where it evaluates nothing."""
    kind = recipe.take("benchmark.type", "manual")
    if kind == "manual":
        return None
    if kind == "aime":
        knobs = {**FORMER, **_former(recipe)}
    elif kind == "custom" and (said := _script(recipe)) is not None:
        knobs = {**SCRIPT, **said}
    else:
        recipe.taken.discard("benchmark.type")
        return None
    model = re.sub(r"[^A-Za-z0-9._-]+", "-", str(knobs.get("MODEL") or served.rsplit("/", 1)[-1]))
    asked = str(knobs.get("MODEL") or served)
    sampling = {
        key: _number(recipe, variable, knobs[variable])
        for key, variable in (("temperature", "TEMPERATURE"), ("top_p", "TOP_P"), ("max_tokens", "MAX_TOKENS"))
        if knobs.get(variable) not in (None, "")
    }
    if knobs.get("TOP_K") not in (None, ""):
        sampling["top_k"] = _number(recipe, "TOP_K", knobs["TOP_K"])
    return {
        "models": {model: {"server": f"{name}-server.yaml"} | ({"served_name": asked} if asked != model else {})},
        "benchmarks": [str(knobs["DATASET"])],
        "seeds": {
            "start": _number(recipe, "SEED", knobs["SEED"]),
            "count": _number(recipe, "REPEAT", knobs["REPEAT"]),
        },
        "sampling": sampling,
        "concurrency": _number(recipe, "NUM_THREADS", knobs["NUM_THREADS"]),
        "timeouts": {"first_byte": None, "silence": None},
        "scorers": ["strict", "regex"],
    }


def refuse(config: Mapping[str, Any], source: str) -> None:
    """Raise InputError that shows the new form where a configuration has a recipe's `benchmark:` or `type: aime`."""
    block = config.get("benchmark") if isinstance(config.get("benchmark"), Mapping) else config
    if not isinstance(block, Mapping) or block.get("type") not in ("aime", "custom"):
        return
    recipe = Recipe(source, {"benchmark": {"env": {}, "command": "", **block}})
    new = configuration(recipe, "SERVER", "MODEL") or {}
    shown = "; ".join(
        f"{key}: {_flow(new[key])}" for key in ("benchmarks", "seeds", "sampling", "concurrency") if key in new
    )
    raise InputError(
        f"{source}: {'benchmark.' if block is not config else ''}type: found {block['type']!r}, a recipe of srt-slurm; "
        f"expected models: {{NAME: {{server: SERVER}}}}{'; ' + shown if shown else ''} "
        "(python -m seedbed import_recipe writes it, docs/migration.md has the table)"
    )


def _former(recipe: Recipe) -> dict[str, str]:
    """Return the knobs that `type: aime` names by its own keys."""
    found = {knob: recipe.take(f"benchmark.{key}") for key, knob in FORMER_KEYS.items()}
    return {knob: str(value) for knob, value in found.items() if value is not None}


def _script(recipe: Recipe) -> dict[str, str] | None:
    """Return the knobs of the seed system's script or of a written out `ns eval`, None for any other command."""
    command = str(recipe.at("benchmark.command") or "")
    try:
        words = [word for word in shlex.split(command, comments=True) if word.strip()]
    except ValueError as error:
        raise InputError(f"{recipe.source}: benchmark.command: {error}; expected words of a shell") from error
    evaluates = "ns" in words and "eval" in words
    if not evaluates and not any(word.endswith("aime/run.sh") for word in words):
        return None
    recipe.take("benchmark.command")
    recipe.move("benchmark.container_image", "nowhere: generating and scoring need no image")
    found: dict[str, str] = {}
    given = recipe.at("benchmark.env") or {}
    if not isinstance(given, Mapping):
        raise InputError(f"{recipe.source}: benchmark.env: found {given!r}, expected a map")
    for name, value in given.items():
        if name in KNOWN:
            recipe.take(f"benchmark.env.{name}")
            if not VARIABLE.match(str(value)):
                found[name] = str(value)
            elif name not in HARMLESS:
                where = f"nowhere yet: write its value out, no shell puts in {value}"
                recipe.elsewhere[f"benchmark.env.{name}"] = where
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name == "--benchmarks":
            found["DATASET"], _, repeat = value.partition(":")
            found["REPEAT"] = repeat or "1"
        elif equals and (knob := NS_EVAL.get(name) or (name if name in KNOWN else None)):
            found[knob] = value
        elif equals and name.startswith("+"):
            recipe.elsewhere[f"benchmark.command: {word}"] = "no counterpart; look it up in config/README.md"
    return {name: value for name, value in found.items() if name not in HARMLESS}


def _number(recipe: Recipe, name: str, value: object) -> int | float:
    """Return a knob as a number; raises InputError where it is none."""
    for read in (int, float):
        try:
            return read(str(value))
        except ValueError:
            continue
    raise InputError(f"{recipe.source}: benchmark: {name}: found {value!r}, expected a number")


def _flow(value: object) -> str:
    """Return a value as YAML on one line."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_flow(inner)}" for key, inner in value.items()) + "}"
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, list) else str(value)
