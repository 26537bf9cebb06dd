"""The one way a command says that its input is unusable."""

import errno
import os
import sys
from collections.abc import Callable

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # told of no file where an open one cannot grow


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
    except OSError as error:
        if error.filename is None and error.errno not in _FULL:
            raise
        print(f"error: {error.filename or os.getcwd()}: {error.strerror}", file=sys.stderr)
        return 1
