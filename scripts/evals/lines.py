"""One line of a jsonl file as a reader wants it, by the same rules for every reader."""

import json
from typing import TypeVar

import msgspec

from scripts.errors import InputError

Kind = TypeVar("Kind")


def decoded(line: bytes, decoder: "msgspec.json.Decoder[Kind]") -> Kind:
    """Return what a line holds; raises InputError, with the reason alone, where it is not what the decoder expects.

    Half a surrogate pair, as some tokenizers emit, is kept as it is; bytes that are not UTF-8 are refused.
    """
    try:
        if not line.isascii():
            line.decode("utf-8")
        return decoder.decode(line)
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 (byte {error.start} of the line)") from None
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
    except msgspec.DecodeError as error:
        return _with_half_pairs(line, decoder, str(error))
    except RecursionError:
        raise InputError("brackets nested too deep") from None


def _with_half_pairs(line: bytes, decoder: "msgspec.json.Decoder[Kind]", fault: str) -> Kind:
    """Return what a line with half a surrogate pair holds; raises InputError with `fault` where it holds none."""
    if b"\\ud" not in line.lower():
        raise InputError(fault)
    try:
        found: Kind = msgspec.convert(json.loads(line), decoder.type)
        return found
    except msgspec.ValidationError as error:
        raise InputError(str(error)) from None
    except (ValueError, RecursionError):
        raise InputError(fault) from None
