"""The append-only store: what is in it stays, what is torn goes, one writes at a time."""

import os
import resource
import subprocess
import sys
from argparse import Namespace
from pathlib import Path
from typing import Any

import pytest

from seedbed.client.sample_store import Store, drop, key_of, lines
from seedbed.commands.store import parts, show
from seedbed.core.errors import RunError

ROOT = Path(__file__).resolve().parents[2]


def key(number: int) -> str:
    """Return a key."""
    return f"{number:064x}"


def record(number: int, size: int = 1) -> dict[str, Any]:
    """Return a record with a text that holds what JSON must escape."""
    return {
        "id": f"b-{number}",
        "generation": f'"{number}"\n\u2028é😀' * size,
        "finish_reason": "stop",
        "num_generated_tokens": 3,
        "seedbed": {"status": "ok"},
    }


def fill(path: Path, count: int) -> None:
    """Write `count` samples."""
    with Store(path) as store:
        for number in range(count):
            store.add(key(number), record(number))


def test_samples_come_back_as_they_went_in(tmp_path: Path) -> None:
    path = tmp_path / "m/b/rs42.jsonl"
    fill(path, 5)
    with Store(path) as store:
        assert len(store) == 5
        assert [store.get(key(number)) for number in range(5)] == [record(number) for number in range(5)]
        assert key(5) not in store
    assert len(path.read_bytes().splitlines()) == 5


@pytest.mark.parametrize("cut", [1, 2, 40, 80, 100])
def test_a_torn_last_line_is_dropped_with_a_warning_and_the_rest_stays(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 3)
    whole = path.read_bytes()
    path.write_bytes(whole[:-cut])
    with Store(path) as store:
        assert len(store) == 2
        assert "torn" in store.warnings[0]
        store.add(key(9), record(9))
    with Store(path) as store:
        assert not store.warnings
        assert len(store) == 3
        assert store.get(key(9)) == record(9)


def test_a_line_of_another_kind_is_passed_over_and_kept(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 1)
    foreign = b'{"something": "else"}\n'
    path.write_bytes(foreign + path.read_bytes())
    with Store(path) as store:
        assert len(store) == 1
        assert "passed over" in store.warnings[0]
        store.add(key(1), record(1))
    assert path.read_bytes().startswith(foreign)


def test_a_damaged_sample_is_named_when_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 2)
    path.write_bytes(path.read_bytes().replace(b'"id":"b-0"', b'"id":"b-0\x00'))
    with Store(path) as store:
        assert store.get(key(1)) == record(1)
        with pytest.raises(RunError, match="cannot be read"):
            store.get(key(0))


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    with Store(path):
        with pytest.raises(RunError, match="another process"):
            Store(path)
        with pytest.raises(RunError, match="another process"):
            drop(path, None)
    with Store(path):
        pass


def test_the_lock_ends_with_its_process(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    code = (
        "import os; from pathlib import Path; from seedbed.client.sample_store import Store; "
        f"Store(Path({str(path)!r})); os._exit(9)"
    )
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": str(ROOT / "scripts")}, check=False)
    with Store(path) as store:
        store.add(key(0), record(0))


def test_a_full_disk_leaves_the_samples_before_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 3)
    size = path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with Store(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + 100, hard))
        try:
            with pytest.raises(RunError, match="the 3 samples before it are kept"):
                store.add(key(3), record(3, size=1000))
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.stat().st_size == size
        store.add(key(4), record(4))
    with Store(path) as store:
        assert (len(store), store.warnings) == (4, [])


def test_drop_removes_the_named_rows_only(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 4)
    assert drop(path, {"b-1", "b-3"}) == 2
    assert [key_of(line) for line in lines(path)] == [key(0), key(2)]
    assert drop(path, None) == 2
    assert not path.exists()


def test_a_file_that_was_replaced_while_waiting_is_opened_anew(tmp_path: Path) -> None:
    path = tmp_path / "rs42.jsonl"
    fill(path, 4)
    drop(path, {"b-0"})
    fill(path, 1)
    with Store(path) as store:
        assert len(store) == 4


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere; the workflow tests use a read-only mount")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(RunError, match="cannot be written"):
        Store(tmp_path / "rs42.jsonl")
    tmp_path.chmod(0o700)


def test_half_a_character_is_kept_as_it_came(tmp_path: Path) -> None:
    path, half = tmp_path / "rs42.jsonl", record(0) | {"generation": "x\ud83d"}
    with Store(path) as store:
        store.add(key(0), half)
        assert store.get(key(0), "b-0") == half
    with Store(path) as store:
        assert store.get(key(0), "b-0") == half


@pytest.mark.parametrize(
    "foreign",
    [{"id": "b-1"}, {"id": "b-1", "generation": 7}, {"some": "thing"}, record(1) | {"seedbed": None}, record(2)],
)
def test_a_foreign_record_under_a_key_of_ours_is_named_by_its_line(tmp_path: Path, foreign: dict[str, Any]) -> None:
    path = tmp_path / "rs42.jsonl"
    with Store(path) as store:
        store.add(key(0), record(0))
        store.add(key(1), foreign)
        with pytest.raises(RunError, match=r"rs42.jsonl, line 2: .*seedbed store drop"):
            store.get(key(1), "b-1")


def test_the_list_is_in_the_order_of_the_problems(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store(tmp_path / "store" / "m" / "b" / "rs42.jsonl") as store:
        for name in ("b-10", "b-9", "a-2"):
            store.add(f"key of {name}", {"id": name, "num_generated_tokens": 3})
    show(parts(tmp_path / "store", Namespace(model=None, benchmark=None, seed=None)), None)
    assert [line.split("\t")[3] for line in capsys.readouterr().out.splitlines()] == ["id", "a-2", "b-9", "b-10"]
