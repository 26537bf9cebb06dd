"""The configuration, checked, and the names that wildcards may take."""

import re
import sys
from pathlib import Path

ROOT = Path(workflow.basedir)
sys.path.insert(0, str(ROOT / "scripts"))

from seedbed.core import environment
from seedbed.decisions import declared
from seedbed.workflow import call, run
from seedbed.core.errors import InputError, RunError
from seedbed.workflow.code_digest import code_digest

environment.lay()

if not workflow.overwrite_configfiles:

    configfile: ROOT / "config" / "config.yaml"


def said_clearly(do, *arguments):
    """What `do` returns; what it finds wrong is told in one line: Snakemake would add a line of this file."""
    try:
        return do(*arguments)
    except (InputError, RunError) as error:
        wrong = str(error)
    except OSError as error:
        wrong = f"{error.filename}: {error.strerror}"
    print(f"error: {wrong}", file=sys.stderr)
    raise SystemExit(1)


SETTINGS = said_clearly(
    call.settings, workflow, config, ROOT / "config" / "config.yaml"
)


def any_of(names):
    """A wildcard constraint that takes exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    model=any_of(SETTINGS.models),
    benchmark=any_of(SETTINGS.known_benchmarks()),
    scorer=any_of(SETTINGS.broad_scorers),
    seed=r"\d+",
    pair=any_of(declared.labels(SETTINGS.config)),
