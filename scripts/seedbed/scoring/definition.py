"""A scorer's definition: one small YAML file, checked key by key."""

import re
import sys
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from seedbed.core.digests import digest
from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError

FOLDER = ROOT / "config" / "scorers"
LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es", "pt", "it", "ru", "bn", "sw")


class StrictStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="strict"):
    """NeMo-Skills' own extraction; it stands alone."""


class PatternStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="pattern"):
    """A regular expression; the answer is its first group that took part, else the whole match."""

    pattern: str
    name: str = "pattern"
    value: Literal["raw", "typed"] = "typed"


class ElementStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="element"):
    """An element such as <answer>…</answer>."""

    names: tuple[str, ...] = ("answer", "final_answer", "finalanswer", "solution", "boxed")


class BoxStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="box"):
    r"""A box: \boxed{…}, \fbox{…}."""

    commands: tuple[str, ...] = ("boxed", "fbox")


class LabelStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="label"):
    """A label directly followed by a value: "Final answer: 42", "#### 42"."""

    languages: tuple[str, ...] = LANGUAGES


class PhraseStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="phrase"):
    """Running text that names the answer: "the answer is 42", "(C) is correct"."""

    languages: tuple[str, ...] = LANGUAGES


class HashStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="hashes"):
    """A line "#### 42", as GSM8K's solutions end."""


class BareStage(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="stage", tag="bare"):
    """A final part that is nothing but a value."""


Stage = StrictStage | PatternStage | ElementStage | BoxStage | LabelStage | PhraseStage | HashStage | BareStage
STAGES = tuple(str(stage.__struct_config__.tag) for stage in get_args(Stage))


class Example(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text and the answer the scorer must take from it; null for none."""

    text: str
    answer: str | None
    answer_type: Literal["integer", "choice", "decimal", "math"] = "integer"
    finish_reason: Literal["stop", "length"] = "stop"
    options: str = "ABCD"


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole scorer."""

    stages: tuple[Stage, ...]
    description: str = ""
    answer_types: tuple[Literal["integer", "choice", "decimal", "math"], ...] = ()  # none named: all
    part: Literal["final", "whole"] = "final"
    look_back: bool = False
    match: Literal["last", "first"] = "last"
    run_on: bool = True
    grading: Literal["value", "peer"] = "value"
    timeout: float = 2.0
    examples: tuple[Example, ...] = ()


def read_definition(path: Path) -> Definition:
    """Return the definition in a YAML file; raises InputError with the file, the line or key, and what was expected."""
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        content = yaml.load(path.read_bytes(), loader)
        if isinstance(content, dict) and "canaries" in content and "examples" not in content:
            print(f"warning: {path}: `canaries` is called `examples` now; the old name is read for a release",
                  file=sys.stderr)  # fmt: skip
            content["examples"] = content.pop("canaries")
        definition = msgspec.convert(content, Definition)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}: expected a scorer's definition") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InputError(f"{path}:{line}: not YAML: {error.problem}") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: not YAML: {' '.join(str(error).split())}") from None
    except msgspec.ValidationError as error:
        line = _line_of(yaml.compose(path.read_bytes(), loader), str(error))
        stages = "; expected one of " + ", ".join(STAGES) if str(error).endswith(".stage`") else ""
        raise InputError(f"{path}:{line}: {error}{stages}") from None
    if not definition.stages:
        raise InputError(f"{path}: stages: found none, expected at least one")
    if len(definition.stages) > 1 and any(isinstance(stage, StrictStage) for stage in definition.stages):
        raise InputError(f"{path}: stages: strict stands alone, found it with others")
    for stage in definition.stages:
        unknown = set(stage.languages) - set(LANGUAGES) if isinstance(stage, LabelStage | PhraseStage) else set()
        if unknown:
            raise InputError(f"{path}: languages: found {sorted(unknown)}, expected some of {', '.join(LANGUAGES)}")
    if not definition.timeout > 0:
        raise InputError(f"{path}: timeout: found {definition.timeout}, expected seconds above 0")
    return definition


def digest_of(path: Path) -> str:
    """Return the digest of what a scorer's file says, comments left out; raises InputError."""
    return digest(msgspec.to_builtins(read_definition(path)))


def _line_of(node: Any, fault: str) -> int:
    """Return the line of a parsed file that a fault is about: of the place or the unknown field that it names."""
    place = re.search(r"at `\$(.*)`$", fault)
    unknown = re.search(r"unknown field `(.*?)`", fault)
    steps = re.findall(r"[^.\[\]]+", place[1] if place else "") + ([unknown[1]] if unknown else [])
    for step in steps:
        inner = node.value if node is not None else []
        if step.isdigit() and int(step) < len(inner):
            node = inner[int(step)]
        else:
            node = next((pair[-1] if step != steps[-1] else pair[0] for pair in inner if step == pair[0].value), node)
    return node.start_mark.line + 1 if node is not None else 1


def find_definition(name: str) -> Path:
    """Return the file of a scorer given by name (config/scorers) or by path; raises InputError if there is none."""
    path = Path(name) if name.endswith((".yaml", ".yml")) else FOLDER / f"{name}.yaml"
    if not path.is_file():
        shipped = ", ".join(sorted(file.stem for file in FOLDER.glob("*.yaml")))
        raise InputError(f"{name}: no such scorer: expected a YAML file or one of {shipped}")
    if not path.stem.replace("-", "").replace("_", "").isalnum() or not path.stem.isascii():
        raise InputError(f"{path}: a scorer's name is its file's: expected letters, digits, - and _")
    return path
