"""SHA-256 digests of files, and of values as canonical JSON."""

import hashlib
import json
from pathlib import Path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, 64 hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def canonical(value: object) -> bytes:
    """Return `value` as compact UTF-8 JSON with sorted keys: equal values give equal bytes."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def with_server(fingerprint: str, spec: object) -> str:
    """Return the digest of all that shapes an answer but row and seed: a request's fingerprint and a server's spec."""
    return digest([fingerprint, spec])


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical form of `value`, 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()
