"""Take a recipe of srt-slurm over: write our server file and, where it evaluates something, our configuration.

What has no counterpart here is listed in the server file and on the terminal: nothing is dropped in silence.
"""

import argparse
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from seedbed.core.errors import InputError
from seedbed.core.schema import conform, read_yaml
from seedbed.core.secrets import refuse_secrets
from seedbed.interop.srt_slurm.evaluation import configuration
from seedbed.interop.srt_slurm.recipe import Recipe
from seedbed.interop.srt_slurm.roles import server
from seedbed.serving.broker.control import check_plan
from seedbed.serving.spec import plan, server_file


def convert(recipe: Recipe, name: str) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Return the checked server file of a recipe and its configuration; the recipe knows what became of the rest."""
    made = server(recipe)
    run = configuration(recipe, name, str(made["model"]["name"]))
    placement(recipe, made)
    sound(made, f"{recipe.source}, as a server file")
    if run is not None:
        conform(run, "config", recipe.source)
    return made, run


def sound(made: Mapping[str, Any], source: str) -> None:
    """Raise InputError where a server file could not be used as it is written: keys, secrets, roles, placeholders."""
    refuse_secrets(made, "", source)
    definition = conform(made, "server", source)
    try:
        server_file.check_kind(made)
        entry = {"server": definition, "outputs": ["any"]}
        check_plan(plan.from_json({"run": "", "servers": {"m": entry}}), dict.fromkeys(made.get("secrets", ()), ""))
    except InputError as error:
        raise InputError(f"{source}: {str(error).removeprefix('server of m: ')}") from None


def placement(recipe: Recipe, made: Mapping[str, Any]) -> None:
    """Say where in a profile the recipe's partition, times and nodes belong."""
    profile = "profile: set-resources: server:"
    recipe.move("slurm.account", f"{profile} slurm_account: {recipe.take('slurm.account')}")
    recipe.move("slurm.partition", f"{profile} slurm_partition: {recipe.take('slurm.partition')}")
    if (limit := recipe.take("slurm.time_limit")) is not None:
        recipe.move("slurm.time_limit", f"{profile} runtime: {minutes(limit)}")
    workers = made.get("workers", {"server": made}).values()
    nodes = sum(worker.get("count", 1) * worker.get("nodes", 1) for worker in workers)
    gpus = recipe.number("resources.gpus_per_node", 4)
    recipe.elsewhere["resources"] = f'{profile} nodes: {nodes}, gres: "gpu:{recipe.take("resources.gpu_type")}:{gpus}"'
    for name, value in recipe.map("sbatch_directives").items():
        recipe.elsewhere[f"sbatch_directives.{name}"] = f'{profile} slurm_extra: "--{name}={value}"'


def minutes(limit: object) -> int:
    """Return a time limit of Slurm (D-HH:MM:SS, HH:MM:SS, MM; YAML makes seconds of some) in minutes."""
    if isinstance(limit, int):
        return -(-limit // 60)
    if re.fullmatch(r"(?:\d+-)?\d+(?::\d+){0,2}", str(limit)) is None:
        raise InputError(f"slurm.time_limit: found {limit!r}, expected HH:MM:SS")
    days, dash, clock = str(limit).rpartition("-")
    parts = [int(part) for part in clock.split(":")]
    if dash or len(parts) == 3:  # hours first
        hours, mins, seconds = (*parts, 0, 0)[:3]
    else:
        hours, mins, seconds = 0, *(*parts, 0)[:2]
    return int(days or 0) * 1440 + hours * 60 + mins + (seconds > 0)


def comments(recipe: Recipe) -> list[str]:
    """Return what of the recipe belongs elsewhere, and what has no counterpart, one value a line."""
    lines = [f"belongs elsewhere: {path} → {where}" for path, where in recipe.elsewhere.items()]
    return lines + [f"no counterpart: {path} = {value}" for path, value in recipe.left().items()]


def main(argv: Sequence[str] | None = None) -> int:
    """Write NAME-server.yaml and NAME.yaml beside each other; returns 0."""
    parser = argparse.ArgumentParser(prog="import_recipe", description=__doc__)
    parser.add_argument("recipe", type=Path)
    parser.add_argument("--out", type=Path, default=Path(), help="the folder to write into")
    parser.add_argument("--name", help="what the files are called; by default the recipe's own name")
    parser.add_argument("--variant", help="which one of a recipe that has `base` and `override_…`")
    arguments = parser.parse_args(argv)
    recipe = Recipe.of(str(arguments.recipe), read_yaml(arguments.recipe), arguments.variant)
    named = arguments.name or str(recipe.take("name", arguments.recipe.stem))
    name = re.sub(r"[^a-z0-9.-]+", "-", named.lower()).strip("-.") or "recipe"
    made, run = convert(recipe, name)
    notes = comments(recipe)
    head = [f"from {arguments.recipe.name}, a recipe of srt-slurm", *notes]
    written = {f"{name}-server.yaml": made} | ({} if run is None else {f"{name}.yaml": run})
    for file in written:
        if (arguments.out / file).exists():
            raise InputError(f"{arguments.out / file}: exists already; expected a new file (--name, --out)")
    arguments.out.mkdir(parents=True, exist_ok=True)
    for file, value in written.items():
        text = "".join(f"# {line}\n" for line in (head if value is made else head[:1]))
        text += yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=110)
        (arguments.out / file).write_text(text, encoding="utf-8")
        print(f"wrote {arguments.out / file}")
    print("\n".join(notes))
    if run is None:
        print("no configuration: the recipe's benchmark is none that is evaluated here")
    return 0
