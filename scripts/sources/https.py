"""A file at an address: resumed where an earlier attempt stopped, verified, and there whole or not at all."""

import fcntl
import http.client
import os
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from scripts.digests import sha256
from scripts.errors import InputError, RunError
from scripts.sources.pins import verify

ATTEMPTS, PAUSE, SILENCE = 5, 1.0, 60.0  # tries; seconds before the second, doubled each time; seconds without a byte
_BLOCK = 1 << 20
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_FAULTS = (OSError, http.client.HTTPException)


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file of `https`, downloaded into `folder`; a second job that wants it waits for the first."""
    url, digest = source["https"], source["sha256"]
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / (Path(urlsplit(url).path).name or "rows")
    part = folder / f".{path.name}.{digest[:16]}.part"
    with (folder / f".{path.name}.lock").open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if path.is_file() and sha256(path) == digest:
            return path
        part.touch()
        _download(url, part)
        try:
            verify(part, digest, url)
        except InputError:
            part.unlink(missing_ok=True)
            raise
        os.replace(part, path)
    return path


def _download(url: str, part: Path) -> None:
    """Bring `part` to the whole length of `url`, going on from what it holds; raises RunError after the last try."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return _go_on(url, part)
        except urllib.error.HTTPError as error:
            with error:
                fault = f"HTTP {error.code} {error.reason}"
            if error.code not in _PASSING:
                raise RunError(f"{url}: {fault}") from None
        except _FAULTS as error:
            fault = str(getattr(error, "reason", "") or error) or type(error).__name__
        if attempt == ATTEMPTS:
            break
        print(f"warning: {url}: {fault} after {part.stat().st_size} bytes; once more", file=sys.stderr, flush=True)
        time.sleep(PAUSE * 2 ** (attempt - 1))
    raise RunError(f"{url}: {fault}; {part.stat().st_size} bytes are kept, the next run goes on from there")


def _go_on(url: str, part: Path) -> None:
    """Append to `part` what it lacks; starts it anew when the server does not go on where it ends."""
    have = part.stat().st_size
    request = urllib.request.Request(url, headers={"Range": f"bytes={have}-"} if have else {})
    try:
        answer = urllib.request.urlopen(request, timeout=SILENCE)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        error.close()
        if error.headers.get("Content-Range", "").rpartition("/")[2] != str(have):
            os.truncate(part, 0)
            raise OSError("what was kept is longer than the file") from None
        return
    with answer, part.open("r+b") as file:
        start = have if answer.status == 206 else 0
        file.truncate(start)
        file.seek(start)
        length = answer.headers.get("Content-Length")
        while block := answer.read(_BLOCK):
            file.write(block)
        if length is not None and file.tell() - start != int(length):
            raise OSError(f"the answer was cut at {file.tell() - start} of {length} bytes")
