"""The configuration of one call of Snakemake: its files and what the command line adds, read and checked."""

import os
from pathlib import Path
from typing import Any

from seedbed.config.settings import Settings, load
from seedbed.core.schema import read_yaml


def settings(workflow: Any, config: dict[str, Any], default: Path) -> Settings:
    """Return the settings of this call, with every file that they name read and checked; raises InputError.

    `config` is what Snakemake made of the files and of `--config`; `default` is the file where the call names none.
    """
    files = [Path(file) for file in workflow.overwrite_configfiles or [default]]
    for file in files:
        read_yaml(file)  # Snakemake has read it, and passed over a key that stands twice
    sources = [*map(str, files), *(["--config"] if workflow.config_settings.config else [])]
    folders = [file.resolve().parent for file in reversed(files)]
    called_from = [Path(os.environ.get("PWD", ".")), Path.cwd()]
    return load(config, ", ".join(sources), folders + called_from).checked()
