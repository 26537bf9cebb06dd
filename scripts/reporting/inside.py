"""The report as a single file: samples and texts inside the page, texts shortened so that it stays below a size."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.reporting.blocks import block
from scripts.reporting.page import embedded, page

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
        bare = page(block(data), title)
        left = int(max_mb * 1_000_000) - len(bare.encode())
        for limit in _STEPS if not kinds else _STEPS[-1:]:
            parts = _elements([Path("results") / file for file in _files(data)], limit, left)
            if parts is not None:
                return page(block(data), title, parts)
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
