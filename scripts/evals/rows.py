"""Rows whose problem must be put together: options under letters, in order or shuffled."""

import functools
import random
from collections.abc import Sequence
from typing import Any

from scripts.errors import InputError

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
SHUFFLE_SEED = 42


def lettered(question: str, options: Sequence[str]) -> dict[str, Any]:
    """Return `problem` (the question with its options), `options` and a field a letter, as NeMo-Skills writes them."""
    by_letter = dict(zip(LETTERS, options, strict=False))
    text = "\n".join(f"{letter}) {option}" for letter, option in by_letter.items())
    question = question.strip("\n")
    return {"problem": f"{question}\n\n{text}", "options": text, **by_letter}


def in_order(row: dict[str, Any], options: Sequence[Any], number: int, where: str) -> dict[str, Any]:
    """Return what `lettered` makes of a row whose options stand in their final order."""
    return lettered(row["problem"], _texts(options, where))


def shuffled_options(row: dict[str, Any], options: Sequence[Any], number: int, where: str) -> dict[str, Any]:
    """Return `lettered` fields for options of which the last is right, shuffled; `option_order` records how.

    The order belongs to the row's number in the source alone: NeMo-Skills' for its seed 42, the same everywhere.
    """
    texts = [" " if text is None else _tidied(text) for text in options]
    order = order_of(number, len(texts))
    shown = [texts[index] for index in order]
    right = LETTERS[shown.index(texts[-1])]
    return {"expected_answer": right, **lettered(row["problem"], shown), "option_order": order}


def order_of(number: int, size: int) -> list[int]:
    """Return the order of `size` options of row `number`: Fisher and Yates' shuffle, row after row from the seed."""
    made, generator = _orders(size)
    while len(made) <= number:
        order = list(range(size))
        for last in range(size - 1, 0, -1):
            other = _below(generator, last + 1)
            order[last], order[other] = order[other], order[last]
        made.append(order)
    return made[number]


@functools.cache
def _orders(size: int) -> tuple[list[list[int]], random.Random]:
    """Return the orders made so far and the generator that makes the next."""
    return [], random.Random(SHUFFLE_SEED)


def _below(generator: random.Random, limit: int) -> int:
    """Return a number below `limit` from the generator's bits alone, so that no version of Python draws another."""
    bits = limit.bit_length()
    while (drawn := generator.getrandbits(bits)) >= limit:
        pass
    return drawn


def _tidied(text: str) -> str:
    """Return an option as NeMo-Skills cleans it."""
    return str(text).strip().replace(" [title]", ". ").replace("  ", " ")


def _texts(options: Sequence[Any], where: str) -> list[str]:
    """Return the options if each is a text; raises InputError."""
    for letter, option in zip(LETTERS, options, strict=False):
        if not isinstance(option, str):
            raise InputError(f"{where}: option {letter} is {type(option).__name__}; expected some text")
    return list(options)


BUILDERS = {"in_order": in_order, "shuffled_options": shuffled_options}
