"""The report as a single file: samples and texts inside the page, texts shortened so that it stays below a size."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from scripts.errors import InputError
from scripts.reporting.blocks import block
from scripts.reporting.page import embedded, page

SHORTEST = 400  # characters of a text that are always kept
_STEPS = (1 << 30, 200_000, 100_000, 50_000, 20_000, 10_000, 5_000, 2_000, 1_000, SHORTEST)
Call = tuple[str, str, Any]  # what is called, by which name, with what
_CALLS = {"seedbedTexts": "texts", "seedbedSamples": "samples", "seedbedProblems": "problems"}


def single(told: Mapping[str, Any], title: str, max_mb: float) -> str:
    """Return the whole page with all its data inside, of `max_mb` MB at most; raises InputError if that cannot be."""
    data, files = block(told), [Path("results") / file for file in _files(told)]
    bare = len(page(data, title))
    left = int(max_mb * 1_000_000) - bare
    most = left
    for limit in _STEPS:
        parts: list[str] = []
        size = 0
        for file in files:
            parts.append(_element(file, limit))
            size += len(parts[-1]) + 1
            if size > left:
                break
        if size <= left:
            return page(data, title, parts)
        most = size
    least = (bare + most) / 1e6
    raise InputError(f"--max-mb {max_mb:g}: found more than {least:.0f} MB with every text at its shortest")


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
