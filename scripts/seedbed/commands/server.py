"""Write what a server is, as far as it shapes an answer: results/{model}/server.spec.json."""

import argparse
import json
from pathlib import Path

from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.serving.spec.server_file import answer_relevant, model_file

__all__ = ["answer_relevant", "main", "model_file"]


def definition(path: Path) -> dict[str, object]:
    """Return the server definition in `path`, YAML or JSON; raises InputError when it is not a map."""
    import yaml

    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: found {type(found).__name__}, expected a map of a server's fields")
    return found


def main(argv: list[str] | None = None) -> int:
    """Write the answer-relevant part of a server definition; equal servers give equal bytes. Returns 0."""
    parser = argparse.ArgumentParser(prog="server", description=__doc__)
    parser.add_argument("--definition", required=True, type=Path, help="the server's fields, YAML or JSON")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    spec = answer_relevant(definition(arguments.definition))
    files.write_json(arguments.out, json.loads(json.dumps(spec, sort_keys=True)))
    return 0
