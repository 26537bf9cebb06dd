"""From a scorer's name or file to the scorer."""

from pathlib import Path

from scripts.evals.answers import Scorer
from scripts.evals.definitions import StrictStage, find_definition, read_definition
from scripts.evals.grading import Comparer
from scripts.evals.strict_scorer import Strict


def load_scorer(name: str, comparer: Comparer | None = None) -> Scorer:
    """Return the scorer in a file, or the shipped one of that name; raises InputError."""
    path: Path = find_definition(name)
    definition = read_definition(path)
    if isinstance(definition.stages[0], StrictStage):
        return Strict(comparer, path.stem)
    from scripts.evals.staged import Staged

    return Staged(path.stem, definition, comparer)
