"""From a dataset row to the text a model is asked."""

import re
from collections.abc import Mapping

_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}")


def render(template: str, row: Mapping[str, object]) -> str:
    """Return `template` with every `{name}` that is a field of `row` replaced; every other brace stays literal."""
    return _PLACEHOLDER.sub(lambda found: str(row[found[1]]) if found[1] in row else found[0], template)


def fields(template: str) -> set[str]:
    """Return the names that `template` would take from a row."""
    return set(_PLACEHOLDER.findall(template))
