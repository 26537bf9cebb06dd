"""Write results/report.html and the files beside it.

By hand: python -m seedbed report, or --single-file --out FILE for one file to send.
"""

import argparse
from pathlib import Path

from seedbed.config.settings import load
from seedbed.core import files
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.records import paths
from seedbed.report import document, page

MAX_MB = 20


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed report", description=__doc__)
    parser.add_argument("--single-file", action="store_true", help="one file with all in it, long texts shortened")
    parser.add_argument("--max-mb", type=float, help=f"the size of that file at most, in MB ({MAX_MB})")
    parser.add_argument("--out", type=Path, help="where that file goes (results/report-single.html)")
    options = parser.parse_args()
    for option, value in (("--out", options.out), ("--max-mb", options.max_mb)):
        if value is not None and not options.single_file:
            raise InputError(f"{option}: expected --single-file beside it; the report itself is {paths.REPORT}")
    if not paths.CONFIG.is_file():
        raise InputError(f"{paths.CONFIG.absolute()}: there is no such file; expected the folder of a run")
    settings = load(read_yaml(paths.CONFIG), str(paths.CONFIG), [paths.CONFIG.parent])
    judged = files.read_json(paths.GATE) if settings.config["gates"] else None
    if not options.single_file:
        print(document.write(settings, {}, judged))
        return 0
    out = options.out or paths.REPORT.with_name("report-single.html")
    content = document.gather(settings, {}, judged)
    text = page.single(content, document.title_of(content), MAX_MB if options.max_mb is None else options.max_mb)
    files.write(out, text)
    print(f"{out}: {len(text) / 1e6:.1f} MB")
    return 0
