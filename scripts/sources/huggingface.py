"""A file of a dataset on the hub, at a pinned revision, by the hub's own client and cache.

HF_TOKEN, HF_HOME, HF_ENDPOINT (a mirror) and HF_HUB_OFFLINE mean what they mean to that client.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from scripts.errors import RunError
from scripts.sources.pins import verify


def fetch(source: Mapping[str, Any], folder: Path) -> Path:
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
