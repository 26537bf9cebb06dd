"""The configuration, checked, and the names that wildcards may take."""

import re
import sys
from pathlib import Path

ROOT = Path(workflow.current_basedir).parent
sys.path.insert(0, str(ROOT / "scripts"))

from seedbed.core import environment
from seedbed.decisions import declared
from seedbed.workflow import internals, run
from seedbed.workflow.code_digest import code_digest
from seedbed.workflow.internals import exit_on_input_error

exit_on_input_error(internals.check_start, workflow, ROOT)
environment.export()
shell.prefix(environment.shell_prefix())

if not workflow.overwrite_configfiles:

    configfile: ROOT / "config" / "config.yaml"


SETTINGS = exit_on_input_error(
    internals.settings, workflow, config, ROOT / "config" / "config.yaml"
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
