"""Write the report: the page from its skeleton, styles and scripts, and the data files beside it.

A single-file report holds samples and texts too, shortened until it is below a size.
"""

import base64
import hashlib
import html
import importlib.util
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from seedbed.core import files
from seedbed.core.digests import digest
from seedbed.core.errors import InputError
from seedbed.records import paths
from seedbed.report.pair import Pair, samples
from seedbed.report.texts import block, call

DATA = paths.REPORT_DATA
_OURS = re.compile(r"rs\d+(?:-\d+\.js|\.json)|(?:samples|problems)\.js(?:on)?")


def folder_of(model: str, benchmark: str) -> Path:
    """Return where the files of a model's samples go."""
    return DATA / model / benchmark


def told(path: Path) -> str:
    """Return a file as the page names it: as seen from the report."""
    return "/".join(path.parts[1:])


def write_samples(pair: Pair, expected: Mapping[str, str]) -> Path:
    """Write the table of every sample unless it is there already; returns the file."""
    folder = folder_of(*pair.name)
    out, note = folder / "samples.js", folder / "samples.json"
    coverage = {name: pair.coverage[name] for name in ("flags", "not_ok", "seeds")}
    key = digest([pair.made_from, [seed.key for seed in pair.facts], coverage, list(pair.ids), pair.private]) + "\n"
    if not (out.is_file() and note.is_file() and note.read_text() == key):
        files.write(out, call("seedbedSamples", "/".join(pair.name), block(samples(pair, expected))))
        files.write(note, key)
    return out


def files_of(pair: Pair, expected: Mapping[str, str], problems: Path | None) -> dict[str, Any]:
    """Return the pair's files as the page asks for them: chunks of texts by seed, samples, problems; all written."""
    folder, called = folder_of(*pair.name), "/".join(pair.name)
    return {
        "chunks": {
            str(seed): [
                [first, told(folder / name), f"{called}/{name.removesuffix('.js')}"] for first, name in found.chunks
            ]
            for seed, found in zip(pair.coverage["seeds"]["expected"], pair.facts, strict=True)
        },
        "samples_file": told(write_samples(pair, expected)) if pair.ids else None,
        "problems_file": told(problems) if problems is not None else None,
    }


def sweep(kept: Iterable[Path]) -> None:
    """Remove our files that no report asks for any more, and folders that this leaves empty."""
    wanted = set(kept)
    for path in sorted(DATA.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif _OURS.fullmatch(path.name) and path not in wanted:
            path.unlink()


def names_of(pair: Pair) -> set[Path]:
    """Return the files that belong to a pair."""
    folder = folder_of(*pair.name)
    seeds = zip(pair.coverage["seeds"]["expected"], pair.facts, strict=True)
    found = {folder / name for name in ("samples.js", "samples.json")}
    for seed, facts in seeds:
        found |= {folder / f"rs{seed}.json", *(folder / name for _, name in facts.chunks)}
    return found


SHORTEST = 160  # characters of a text that are always kept
_STEPS = (1 << 30, *(round(SHORTEST * 1.25**step) for step in range(32, -1, -1)))  # characters of a text, tried in turn
Call = tuple[str, str, Any]  # what is called, by which name, with what
LEFT_OUT = ((), ("chunks",), ("chunks", "problems_file", "samples_file"))  # in this order, until the rest fits
_NAMED = {"chunks": "the generations", "problems_file": "the problems", "samples_file": "the tables of samples"}
_CALLS = {"seedbedTexts": "texts", "seedbedSamples": "samples", "seedbedProblems": "problems"}


def single(told: Mapping[str, Any], title: str, max_mb: float) -> str:
    """Return the whole page with its data inside, of `max_mb` MB at most; raises InputError if that cannot be.

    Texts are shortened as far as needed; if that is not enough they are left out, then the tables: the page says so.
    """
    left = most = 0
    for kinds in LEFT_OUT:
        data = without(told, kinds, max_mb)
        bare = render(block(data), title)
        left = int(max_mb * 1_000_000) - len(bare.encode())
        for limit in _STEPS if not kinds else _STEPS[-1:]:
            parts = _elements([paths.RESULTS / file for file in _files(data)], limit, left)
            if parts is not None:
                return render(block(data), title, parts)
        most = len(bare)
    raise InputError(f"--max-mb {max_mb:g}: found {most / 1e6:.1f} MB for the page alone; expected more room than that")


def without(told: Mapping[str, Any], kinds: Collection[str], max_mb: float) -> dict[str, Any]:
    """Return the page's document without the files of some kinds, with a finding that says so."""
    if not kinds:
        return dict(told)
    empty: dict[str, Any] = {name: {} if name == "chunks" else None for name in kinds}
    named = " and ".join(_NAMED[name] for name in kinds)
    text = f"{named} are left out of this file, which would be larger than {max_mb:g} MB with them"
    act = "look at results/report.html, or allow more by --max-mb"
    note: dict[str, Any] = {"level": "note", "pair": None, "text": text, "act": act, "filter": None, "members": []}
    pairs = [{**pair, **empty} for pair in told["pairs"]]
    return {**told, "pairs": pairs, "findings": [*told["findings"], note]}


def _elements(files: Iterable[Path], limit: int, left: int) -> list[str] | None:
    """Return files as elements of the page, texts shortened to `limit`; None if they are over `left` bytes."""
    parts: list[str] = []
    for file in files:
        parts.append(_element(file, limit))
        left -= len(parts[-1]) + 1
        if left < 0:
            return None
    return parts if left >= 0 else None


def shortened(text: dict[str, Any], limit: int) -> dict[str, Any]:
    """Return a sample's texts with the middle of the generation and of the reasoning left out beyond `limit`.

    `cut` and `cut_at` tell how many characters are left out of the generation, and where; spans and formulas count in
    the whole text, as before. More is kept of the end, where the answer is.
    """
    found = dict(text)
    if (over := len(text["text"]) - limit) > 0:
        head = limit // 4
        found |= {"cut": over, "cut_at": head, "text": text["text"][:head] + text["text"][head + over :]}
        found["maths"] = [one for one in text["maths"] if one[1] <= head or one[0] >= head + over]
    if (over := len(text["reasoning"]) - limit) > 0:
        head = limit // 2
        found |= {"reasoning_cut": over, "reasoning_cut_at": head}
        found["reasoning"] = text["reasoning"][:head] + text["reasoning"][head + over :]
    return found


def _element(file: Path, limit: int) -> str:
    """Return a file beside the report as an element of the page."""
    called, name, content = read_call(file.read_text(encoding="ascii"))
    if called == "seedbedTexts":
        content = [text and shortened(text, limit) for text in content]
    return embedded(_CALLS[called], name, block(content))


def read_call(text: str) -> Call:
    """Return (what is called, by which name, with what) of a file beside the report."""
    called, _, rest = text.partition("(")
    name, end = json.JSONDecoder().raw_decode(rest)
    content = rest[end + 1 :].rstrip().removesuffix(")").replace('["__proto__"]:', '"__proto__":')
    return called, name, json.loads(content)


def _files(told: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that the page would ask for, each once."""
    seen: set[str] = set()
    for pair in told["pairs"]:
        chunks = [chunk[1] for seed in pair["chunks"].values() for chunk in seed]
        for file in (pair["problems_file"], pair["samples_file"], *chunks):
            if file is not None and file not in seen:
                seen.add(file)
                yield file


PARTS = Path(__file__).parent / "assets"
STYLES = (  # in the order of the page; what narrow windows and paper change comes last
    *("colours", "top", "results", "findings", "result", "map", "figures", "samples", "viewer", "formulas"),
    *("narrow", "paper"),
)
PLACES = ("csp", "title", "style", "plotly", "data", "embedded", "scripts")
_PLACE = re.compile(r"\{\{(\w+)\}\}")


def render(data: str, title: str, embedded: Sequence[str] = ()) -> str:
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
