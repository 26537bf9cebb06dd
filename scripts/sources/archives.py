"""Files that are packed: compressed, or in a tar or zip archive."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from scripts.errors import InputError


def unpacked(path: Path) -> IO[bytes]:
    """Return a stream of the content of a file, which its ending may call compressed: .gz, .bz2, .xz or .zst."""
    if path.suffix == ".gz":
        return cast(IO[bytes], gzip.open(path))
    if path.suffix == ".bz2":
        return cast(IO[bytes], bz2.open(path))
    if path.suffix == ".xz":
        return cast(IO[bytes], lzma.open(path))
    if path.suffix == ".zst":
        import zstandard

        return io.BufferedReader(cast(io.RawIOBase, zstandard.open(path)), 1 << 20)
    return path.open("rb")


def members(path: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield (name, stream) of the regular files of an archive in the order in which they stand there."""
    try:
        if path.suffix == ".zip":
            with zipfile.ZipFile(path) as packed:
                for entry in packed.infolist():
                    if not entry.is_dir():
                        with packed.open(entry) as stream:
                            yield entry.filename, stream
            return
        with tarfile.open(path) as archive:
            for member in archive:
                if member.isfile() and (content := archive.extractfile(member)) is not None:
                    yield member.name, content
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: {' '.join(str(error).split())}; expected a whole archive") from None
