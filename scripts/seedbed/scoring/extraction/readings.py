"""What a marked stretch of text says: a value, several values or none, or nothing that is a value."""

from typing import NamedTuple


class Reading(NamedTuple):
    """A value and where it stands in the text it was read from; `value` None says that there is no single answer."""

    value: str | None
    start: int
    end: int
    clean: bool = True  # nothing but punctuation, units or a bracket stands behind it up to the end of the line
    flags: tuple[str, ...] = ()


def refused(start: int, end: int, flag: str) -> Reading:
    """Return the reading of something that marks an answer but gives no single one."""
    return Reading(None, start, end, True, (flag,))
