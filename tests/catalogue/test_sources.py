"""Where rows come from: fetched, resumed, verified, written atomically."""

import bz2
import gzip
import hashlib
import json
import lzma
import re
import subprocess
import sys
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow
import pytest
import zstandard
from pyarrow import parquet

from seedbed.core.environment import ROOT
from seedbed.core.errors import InputError, RunError
from seedbed.datasets import sources
from seedbed.datasets.formats import objects
from seedbed.datasets.sources import fetch, kind_of
from tests.catalogue.shapes import PARQUET, ten_options
from tests.catalogue.stub_hub import Hub

CONTENT = b"".join(b'{"id": "%d", "text": "%s"}\n' % (number, b"x" * 200) for number in range(2000))
DIGEST = hashlib.sha256(CONTENT).hexdigest()
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """Return a stand-in for a file server and a hub."""
    monkeypatch.setattr(sources, "PAUSE", 0.01)
    with Hub(files={"/rows.jsonl": CONTENT}) as server:
        server.dataset("us/set", REVISION, "data/rows.jsonl", CONTENT)
        yield server


def at(hub: Hub, path: str = "/rows.jsonl", digest: str = DIGEST) -> dict[str, str]:
    """Return a source of kind https."""
    return {"https": hub.url + path, "sha256": digest}


def test_a_source_names_just_one_kind() -> None:
    assert kind_of({"https": "x", "sha256": "y"}) == "https"
    with pytest.raises(InputError, match="found 'file' and 'wheel'"):
        kind_of({"file": "x", "wheel": "y"})


def test_a_broken_download_goes_on_where_it_broke(hub: Hub, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    hub.cuts = [100_000, 250_000]
    path = fetch(at(hub), tmp_path)
    assert path.read_bytes() == CONTENT
    assert [asked.range for asked in hub.asked] == [None, "bytes=100000-", "bytes=250000-"]
    assert "once more" in capsys.readouterr().err


def test_what_a_failed_download_left_is_taken_up_by_the_next(hub: Hub, tmp_path: Path) -> None:
    hub.cuts = [100_000] * sources.ATTEMPTS
    with pytest.raises(RunError, match="100000 bytes are kept, the next run goes on from there"):
        fetch(at(hub), tmp_path)
    assert not (tmp_path / "rows.jsonl").exists()
    assert fetch(at(hub), tmp_path).read_bytes() == CONTENT
    assert hub.asked[-1].range == "bytes=100000-"


def test_a_server_that_knows_no_ranges_begins_again(hub: Hub, tmp_path: Path) -> None:
    hub.cuts, hub.ranges = [100_000], False
    assert fetch(at(hub), tmp_path).read_bytes() == CONTENT


def test_passing_errors_are_tried_again_and_others_are_not(hub: Hub, tmp_path: Path) -> None:
    hub.faults = [503, 500]
    assert fetch(at(hub), tmp_path / "a").read_bytes() == CONTENT
    hub.faults = [403]
    with pytest.raises(RunError, match=re.escape(f"{hub.url}/rows.jsonl: HTTP 403")):
        fetch(at(hub), tmp_path / "b")
    assert len(hub.asked) == 4


def test_a_file_that_is_not_the_pinned_one_is_refused_and_dropped(hub: Hub, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"sha256 is {DIGEST}; expected {'0' * 64}"):
        fetch(at(hub, digest="0" * 64), tmp_path)
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ".lock"] == []


def test_two_may_fetch_at_once_and_the_second_waits(hub: Hub, tmp_path: Path) -> None:
    found: list[Path] = []
    both = [threading.Thread(target=lambda: found.append(fetch(at(hub), tmp_path))) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert [path.read_bytes() == CONTENT for path in found] == [True, True]
    assert len(hub.asked) == 1


HUB_FETCH = "import json, sys; from seedbed.datasets.sources import fetch; from pathlib import Path\n"
HUB_FETCH += "from seedbed.core.errors import exit_code\n"
HUB_FETCH += "sys.exit(exit_code(lambda: print(fetch(json.loads(sys.argv[1]), Path('unused')))))"


@pytest.fixture
def from_hub(hub: Hub, tmp_path: Path) -> Callable[..., "subprocess.CompletedProcess[str]"]:
    """Return a call that fetches from the stand-in in a process of its own, as a job does: it reads its environment."""

    def call(source: dict[str, Any] | None = None, **variables: str) -> "subprocess.CompletedProcess[str]":
        given = {"huggingface": "us/set", "revision": REVISION, "path": "data/rows.jsonl", "sha256": DIGEST}
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PYTHONPATH": str(ROOT / "scripts")}
        environment |= {"HF_ENDPOINT": hub.url, "HF_HOME": str(tmp_path / "hf"), "HF_HUB_DISABLE_XET": "1"} | variables
        return subprocess.run(
            [sys.executable, "-c", HUB_FETCH, json.dumps(given | (source or {}))],
            capture_output=True,
            text=True,
            env=environment,
            timeout=60,
        )

    return call


Call = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_set_of_the_hub_is_fetched_at_its_revision_from_the_endpoint_that_is_set(from_hub: Call, hub: Hub) -> None:
    done = from_hub()
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()).read_bytes() == CONTENT
    assert {asked.path for asked in hub.asked} == {f"/datasets/us/set/resolve/{REVISION}/data/rows.jsonl"}


def test_offline_the_cache_is_used_and_what_is_not_there_is_told(from_hub: Call, hub: Hub) -> None:
    missing = from_hub(HF_HUB_OFFLINE="1")
    assert missing.returncode == 1
    assert "HF_HUB_OFFLINE is set and the file is not in the cache" in missing.stderr
    assert "snakemake prepare" in missing.stderr
    assert hub.asked == []
    assert from_hub().returncode == 0
    asked = len(hub.asked)
    assert Path(from_hub(HF_HUB_OFFLINE="1").stdout.strip()).read_bytes() == CONTENT
    assert len(hub.asked) == asked


def test_a_gated_set_says_what_its_reader_must_do(from_hub: Call, hub: Hub) -> None:
    hub.gated = {"us/set"}
    without = from_hub()
    assert without.returncode == 1
    assert "HF_TOKEN is not set; accept its terms at " + f"{hub.url}/datasets/us/set" in without.stderr
    refused = from_hub(HF_TOKEN="hf_other")
    assert refused.returncode == 1
    assert "the account of HF_TOKEN may not read the set; accept its terms at" in refused.stderr
    assert "hf_other" not in refused.stderr
    assert without.stderr.count("\n") == refused.stderr.count("\n") == 1
    assert from_hub(HF_TOKEN=hub.token).returncode == 0


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"revision": "f" * 40}, "the hub does not know this revision (source.revision)"),
        ({"path": "data/other.jsonl"}, "the hub has no such file at this revision (source.path)"),
        ({"huggingface": "us/other"}, "the hub has no such set (source.huggingface)"),
        ({"sha256": "0" * 64}, f"sha256 is {DIGEST}; expected {'0' * 64} (source.sha256)"),
    ],
)
def test_what_the_hub_does_not_have_is_told_in_one_line(from_hub: Call, source: dict[str, str], message: str) -> None:
    done = from_hub(source)
    assert done.returncode in (1, 2)
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_cut_download_from_the_hub_is_resumed(from_hub: Call, hub: Hub) -> None:
    hub.cuts = [150_000]
    done = from_hub()
    if done.returncode:  # the client may leave going on to the next call
        done = from_hub()
    assert Path(done.stdout.strip()).read_bytes() == CONTENT


def test_no_hub_at_all_is_told() -> None:
    from huggingface_hub import constants, errors

    told = sources.reason(errors.LocalEntryNotFoundError("a page of advice"), "the page of the set")
    assert told == f"{constants.ENDPOINT} was not reached and the file is not in the cache {constants.HF_HUB_CACHE}"


ROWS = [{"id": "a", "n": 1, "text": "é, 'quoted'\nand more"}, {"id": "b", "n": 2, "text": ""}]
TEXTS = {
    "rows.jsonl": "".join(json.dumps(row) + "\n" for row in ROWS),
    "rows.txt": "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS),
    "rows.json": json.dumps(ROWS, ensure_ascii=False, indent=1),
}
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda content: zstandard.ZstdCompressor().compress(content),
}


@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.parametrize("name", TEXTS)
def test_objects_are_read_from_every_format_packed_or_not(name: str, ending: str, tmp_path: Path) -> None:
    path = tmp_path / (name + ending)
    path.write_bytes(PACKERS[ending](TEXTS[name].encode()))
    assert [value for _, value in objects(path, {})] == ROWS


@pytest.mark.parametrize("ending", PACKERS)
def test_csv_cells_are_texts_and_empty_ones_are_missing(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows.csv{ending}"
    path.write_bytes(PACKERS[ending]('﻿id,text\r\na,"one\ntwo, ""three"""\r\nb,\r\n'.encode()))
    assert [value for _, value in objects(path, {})] == [
        {"id": "a", "text": 'one\ntwo, "three"'},
        {"id": "b", "text": None},
    ]


def test_a_csv_without_a_head_takes_its_columns_from_the_source(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("a,1\nb,2\n")
    found = list(objects(tmp_path / "rows.csv", {"header": ["id", "n"]}))
    assert found == [
        (f"{tmp_path}/rows.csv, line 1", {"id": "a", "n": "1"}),
        (f"{tmp_path}/rows.csv, line 2", {"id": "b", "n": "2"}),
    ]


def test_parquet_gives_plain_values_over_all_its_groups(tmp_path: Path) -> None:
    assert [value for _, value in objects(PARQUET, {})] == ten_options()
    packed = tmp_path / "rows.parquet.gz"
    packed.write_bytes(gzip.compress(PARQUET.read_bytes()))
    assert len(list(objects(packed, {}))) == 24


def test_parquet_keeps_integers_beside_nulls_and_what_is_nested(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 2**60 + 1, "list": ["a", None], "inner": {"k": [1, 2], "none": None}, "share": 0.5},
        {"id": None, "list": None, "inner": None, "share": None},
        {"id": 3, "list": [], "inner": {"k": None, "none": "x"}, "share": 1.0},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "rows.parquet")
    found = list(objects(tmp_path / "rows.parquet", {}))
    assert [value for _, value in found] == rows
    assert [type(value["id"]) for _, value in found] == [int, type(None), int]
    assert found[2][0] == f"{tmp_path}/rows.parquet, row 3"


def test_reading_jsonl_and_csv_does_not_import_pandas(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("id\na\n")
    code = "import sys; from pathlib import Path; from seedbed.datasets.formats import objects;"
    code += f" list(objects(Path({str(tmp_path / 'rows.csv')!r}), {{}}));"
    code += " print(sorted({name.split('.')[0] for name in sys.modules} & {'pandas', 'numpy', 'pyarrow'}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".zip"])
def test_members_of_an_archive_are_read_in_its_order_and_tell_their_name(ending: str, tmp_path: Path) -> None:
    for name in ("b.jsonl", "a.jsonl", "notes.md"):
        (tmp_path / name).write_text(json.dumps({"id": name}) + "\n")
    path = tmp_path / f"rows{ending}"
    if ending == ".zip":
        with zipfile.ZipFile(path, "w") as packed:
            for name in ("b.jsonl", "a.jsonl", "notes.md"):
                packed.write(tmp_path / name, f"set/{name}")
    else:
        with tarfile.open(path, "w:gz" if ending.endswith("gz") else "w") as archive:
            for name in ("b.jsonl", "a.jsonl", "notes.md"):
                archive.add(tmp_path / name, f"set/{name}")
    found = [value for _, value in objects(path, {"members": "set/*.jsonl"})]
    assert found == [{"id": "b.jsonl", "member": "b"}, {"id": "a.jsonl", "member": "a"}]
    with pytest.raises(InputError, match="no member is like 'other/\\*'"):
        list(objects(path, {"members": "other/*"}))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("rows.json", b"[1]", "object 1: found int; expected a JSON object"),
        ("rows.json", b'{"id": 1}', "expected a list of objects"),
        ("rows.json", b'[{"id": 1}', "expected a list of objects"),
        ("rows.csv", b"id,text\na\n", "line 2: found 1 columns; expected 2"),
        ("rows.csv", b"id,text\na,\xff\n", "not UTF-8"),
        ("rows.parquet", b"no parquet", "expected parquet"),
        ("rows.jsonl.gz", gzip.compress(b'{"id": 1}\n' * 5000)[:-20], "cut short"),
        ("rows.jsonl.gz", b"plain", "Not a gzipped file"),
        ("rows.tar", b"no archive", "expected a whole archive"),
        ("rows.zip", b"no archive", "expected a whole archive"),
        ("rows.xlsx", b"", "expected source.format"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_place(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=f"^{re.escape(str(tmp_path / name))}.*{re.escape(message)}"):
        list(objects(tmp_path / name, {}))


def test_a_large_list_is_not_decoded_at_once(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_bytes(
        b"[" + b",".join(b'{"id": "%d", "text": "%s"}' % (n, b"\xc3\xa9" * 100_000) for n in range(200)) + b"]"
    )
    peak = subprocess.run(
        [
            sys.executable,
            "-c",
            "import resource, sys; from pathlib import Path; from seedbed.datasets.formats import objects\n"
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "count = sum(1 for _ in objects(Path(sys.argv[1]), {}))\n"
            "print(count, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)",
            str(path),
        ],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT / "scripts")},
    ).stdout.split()
    assert int(peak[0]) == 200
    assert int(peak[1]) < 60  # MB; the file is 40 MB and mapped
