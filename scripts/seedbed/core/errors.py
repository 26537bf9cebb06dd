"""The errors of this project, and the exit codes of its commands."""

import errno
import os
import sys
from collections.abc import Callable

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the system names no file where an open one cannot grow


class InputError(Exception):
    """Unusable input; the message names the file, the line or key, what was found and what was expected."""


class RunError(Exception):
    """Work that failed although its input was sound; the message says what happened and where to look."""


def exit_code(main: Callable[[], int | None]) -> int:
    """Run `main` and return its exit code: 2 after an InputError, 1 after a RunError or a refused file."""
    try:
        return main() or 0
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except RunError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for what the interpreter flushes at its end
        return 0
    except OSError as error:
        if error.filename is None and error.errno not in _FULL:
            raise
        print(f"error: {error.filename or os.getcwd()}: {error.strerror}", file=sys.stderr)
        return 1
