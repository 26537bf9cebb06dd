"""The page: its skeleton, style and scripts of `page/`, the charts' library and the data, all in one file."""

import base64
import hashlib
import html
import importlib.util
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from scripts.errors import InputError

PARTS = Path(__file__).parent / "page"
STYLES = (  # in the order of the page; what narrow windows and paper change comes last
    *("colours", "top", "results", "findings", "result", "map", "figures", "samples", "viewer", "formulas"),
    *("narrow", "paper"),
)
PLACES = ("csp", "title", "style", "plotly", "data", "embedded", "scripts")
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def page(data: str, title: str, embedded: Sequence[str] = ()) -> str:
    """Return the whole HTML; `data` and `embedded` are blocks, the latter whole script elements without code."""
    scripts = "\n".join(path.read_text(encoding="utf-8") for path in sorted(PARTS.glob("*.js")))
    library = charts_library()
    return filled(
        (PARTS / "page.html").read_text(encoding="utf-8"),
        {
            "csp": policy([library, scripts]),
            "title": html.escape(title),
            "style": "\n".join((PARTS / f"{name}.css").read_text(encoding="utf-8") for name in STYLES),
            "plotly": library,
            "data": data,
            "embedded": "\n".join(embedded),
            "scripts": scripts,
        },
    )


def filled(skeleton: str, values: Mapping[str, str]) -> str:
    """Return the skeleton with each place filled once; raises InputError if it has other places than these."""
    pieces = _PLACE.split(skeleton)
    named = pieces[1::2]
    if sorted(named) != sorted(values):
        raise InputError(f"{PARTS / 'page.html'}: places {', '.join(named)}; expected each of {', '.join(PLACES)} once")
    pieces[1::2] = [values[name] for name in named]
    return "".join(pieces)


def policy(scripts: Sequence[str]) -> str:
    """Return the Content-Security-Policy: these scripts and those of files beside the page, and nothing else."""
    hashes = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    return (
        f"default-src 'none'; script-src {hashes} 'self' file:; style-src 'unsafe-inline'; img-src data: blob:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )


def _digest(script: str) -> str:
    """Return the SHA-256 of a script as a policy has it."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def embedded(call: str, name: str, content: str) -> str:
    """Return a block of data as an element of the page, for a report in a single file."""
    return f'<script type="application/json" data-call="{call}" data-name="{html.escape(name)}">{content}</script>'


def charts_library() -> str:
    """Return the code of Plotly, found without importing the package; raises InputError where it is not installed."""
    found = importlib.util.find_spec("plotly")
    if found is None or not found.submodule_search_locations:
        raise InputError("plotly is not installed: expected the environment of envs/run.lock")
    path = Path(found.submodule_search_locations[0]) / "package_data" / "plotly.min.js"
    return path.read_text(encoding="utf-8")
