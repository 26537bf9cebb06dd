"""Load and check the configuration; constrain wildcards to the names in it."""

import re
import sys
from pathlib import Path

ROOT = Path(workflow.current_basedir).parent
sys.path.insert(0, str(ROOT / "scripts"))

from seedbed.core import environment
from seedbed.decisions import declared
from seedbed.workflow import internals
from seedbed.workflow.code_digest import code_digest
from seedbed.workflow.internals import exit_on_input_error
from seedbed.workflow.run import Run

exit_on_input_error(internals.check_start, workflow, ROOT)
environment.export()
shell.prefix(environment.shell_prefix())

if internals.uses_default_config(workflow):

    configfile: ROOT / "config" / "config.yaml"


SETTINGS = exit_on_input_error(
    internals.settings, workflow, config, ROOT / "config" / "config.yaml"
)


def any_of(names):
    """A wildcard constraint that matches exactly these names."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    model=any_of(SETTINGS.models),
    benchmark=any_of(SETTINGS.known_benchmarks()),
    scorer=any_of(SETTINGS.broad_scorers),
    seed=r"\d+",
    pair=any_of(declared.labels(SETTINGS.config)),
