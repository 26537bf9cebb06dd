"""A job that is killed, starved of disk, refused its folder or confused about the time loses and doubles nothing."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest

from tests.client.stub_server import Ask, Cut, Reply, delta, serving, streamed, wait_until
from tests.client.workplace import ROOT, Workplace

# The system's libfaketime (package faketime), else the one in the wheel of the same name.
FAKETIME = [
    *sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")),
    *sorted(Path(sysconfig.get_path("purelib")).glob("libfaketime/vendor/libfaketime/src/libfaketime.so.1")),
]
ROWS = 60


def number(ask: Ask) -> int:
    """Return the number of the row."""
    return int(re.findall(r"\d+", ask.prompt)[-1])


def right(ask: Ask) -> Reply:
    """Answer with the number that was asked for."""
    return streamed(f"So it is \\boxed{{{number(ask)}}}")


def test_20_sigkills_at_random_moments_leave_a_complete_file_without_doubles(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=ROWS)
    place.snapshot["concurrency"] = 6

    def behave(ask: Ask) -> Reply:
        return Reply([step for token in right(ask).steps for step in (token, 0.02)])

    chance = random.Random(5)
    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        for _ in range(20):
            target = len(server.samples) + chance.randrange(6)
            job = place.begin()
            while len(server.samples) < target and job.poll() is None:
                time.sleep(0.01)
            time.sleep(chance.random() * 0.15)
            job.kill()
            job.communicate()
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert [record["id"] for record in place.records()] == [f"b-{n}" for n in range(ROWS)]
    assert all(record["symbolic_correct"] for record in place.records())
    keys = [json.loads(line)["key"] for line in place.store().read_text().splitlines()]
    assert len(keys) == len(set(keys)) == ROWS
    # What had been stored was never asked for again: only streams open at a kill were.
    assert len(server.samples) <= ROWS + 20 * 6


def test_a_removed_output_comes_back_from_the_store_without_server_or_request(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=5)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
    before = place.out().read_bytes()
    place.out().unlink()
    place.snapshot["endpoint"] = None
    done = place.generate()
    assert done.returncode == 0, done.stderr
    assert place.out().read_bytes() == before
    assert place.progress()["restored"] == 5
    assert not (tmp_path / "run/m/want").exists() or not list((tmp_path / "run/m/want").iterdir())


def test_a_changed_temperature_asks_again_and_back_again_does_not(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        for temperature, asked in ((1.0, 3), (0.5, 6), (1.0, 6), (0.5, 6)):
            place.snapshot["benchmarks"]["b"]["sampling"]["temperature"] = temperature
            assert place.generate().returncode == 0
            assert len(server.samples) == asked


def test_a_torn_line_in_the_store_costs_one_sample(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=4)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        assert place.generate().returncode == 0
        place.store().write_bytes(place.store().read_bytes()[:-20])
        done = place.generate()
    assert done.returncode == 0
    assert re.search(r"warning: store/m/b/rs42.jsonl: the last line is torn \(\d+ bytes\) and was dropped", done.stderr)
    assert len(server.samples) == 5


def test_a_second_job_for_the_same_seed_is_refused(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=2)
    with serving(lambda _ask: Reply([delta("So"), Cut.HANG])) as server:
        place.snapshot["endpoint"] = server.url
        first = place.begin()
        wait_until(lambda: server.streams == 2)
        second = place.generate()
        assert first.poll() is None
        first.terminate()
        first.communicate()
    assert second.returncode == 1
    assert "store/m/b/rs42.jsonl: another process is writing these samples" in second.stderr


def test_a_full_disk_is_told_once_and_what_was_stored_is_kept(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=30)
    with serving(lambda ask: streamed("word " * 400 + f"\\boxed{{{number(ask)}}}")) as server:
        place.snapshot |= {"endpoint": server.url, "concurrency": 1}
        # Python 3.11 leaves a cut .pyc behind on a full disk, and the next process that imports it fails.
        done = place.generate(prefix=["prlimit", "--fsize=20000"], PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 1, done.stderr
        errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
        assert errors == [
            "error: store/m/b/rs42.jsonl: cannot be written: File too large; the 7 samples before it are kept"
        ]
        assert "Traceback" not in done.stderr
        assert not place.out().exists()
        done = place.generate()
    assert done.returncode == 0, done.stderr
    assert len(place.records()) == 30
    assert len(server.samples) == 7 + 1 + 23


def test_a_disk_that_fills_up_at_the_final_file_keeps_every_sample(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=8)
    with serving(lambda ask: streamed("word " * 400 + f"\\boxed{{{number(ask)}}}")) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate(prefix=["prlimit", "--fsize=24000"], PYTHONDONTWRITEBYTECODE="1")
        assert done.returncode == 1, done.stderr
        assert done.stderr.splitlines()[-1] == (
            "error: results/m/eval-results/b/output-rs42.jsonl: cannot be written: File too large; "
            "the 8 answers are kept in store/m/b/rs42.jsonl"
        )
        assert [path.name for path in place.out().parent.iterdir()] == []
        assert place.generate().returncode == 0
    assert len(server.samples) == 8


@pytest.mark.skipif(shutil.which("setpriv") is None or os.geteuid() != 0, reason="needs root to become somebody else")
@pytest.mark.parametrize("folder", ["store", "results/m/eval-results", "run/m"])
def test_a_read_only_folder_is_one_clear_message(tmp_path: Path, folder: str) -> None:
    home = tmp_path
    while home != home.parent and home.stat().st_uid == os.geteuid() and str(home) not in ("/tmp", "/"):
        home.chmod(0o755)
        home = home.parent
    place = Workplace(tmp_path, rows=2)
    place.command()
    for path in (tmp_path, *tmp_path.rglob("*")):
        path.chmod(0o777 if path.is_dir() else 0o666)
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / folder).chmod(0o555)
    for parent in (tmp_path / folder).parents:
        if parent != tmp_path and tmp_path in parent.parents:
            parent.chmod(0o777)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate(prefix=["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], HOME="/")
    if "No module named" in done.stderr or "Permission denied" in done.stderr.splitlines()[0]:
        pytest.skip("another user cannot read the interpreter here")
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith("error")]
    assert len(errors) == 1
    assert f"{folder}" in errors[0]
    assert "Permission denied" in errors[0]
    assert "Traceback" not in done.stderr
    assert not server.samples


@pytest.mark.skipif(not FAKETIME, reason="libfaketime is not installed")
def test_a_clock_set_back_an_hour_changes_no_duration_and_no_deadline(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=4)
    place.snapshot["concurrency"] = 1
    clock = tmp_path / "clock"
    clock.write_text("+0\n")

    def behave(ask: Ask) -> Reply:
        if number(ask) == 1:
            clock.write_text("-3600\n")
        return Reply([delta("So"), 0.3, *right(ask).steps])

    with serving(behave) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate(
            LD_PRELOAD=str(FAKETIME[0]),
            FAKETIME_TIMESTAMP_FILE=str(clock),
            FAKETIME_NO_CACHE="1",
            DONT_FAKE_MONOTONIC="1",
        )
    assert done.returncode == 0, done.stderr
    assert 3000 < time.time() - place.progress()["updated"] < 4000
    records = place.records()
    starts = [record["generation_start_time"] for record in records]
    assert starts == sorted(starts)
    assert abs(starts[0] - time.time()) < 60
    assert all(0.3 <= record["generation_time"] < 300 for record in records)
    assert all(record["generation_end_time"] - record["generation_start_time"] < 300 for record in records)


def test_a_config_edited_during_the_run_stops_the_job(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    command = [word if word != "f" * 64 else "0" * 64 for word in place.command()]
    done = subprocess.run(
        command, cwd=tmp_path, env=place.environment(), capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        "error: config changed during the run: run/m/client.json has fingerprint ffffffffffff"
    )


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("run/m/client.json", "{", "run/m/client.json: "),
        ("run/m/client.json", '{"model": "m"}', "missing required field `served_name`"),
        ("results/m/server.spec.json", "no", "results/m/server.spec.json: no JSON"),
        ("resources/b/test.jsonl", '{"id": "x", "problem": "y"}\n', "resources/b/test.jsonl, line 1: "),
        ("resources/b/test.jsonl", None, "resources/b/test.jsonl: No such file"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(tmp_path: Path, file: str, content: str | None, message: str) -> None:
    place = Workplace(tmp_path)
    command = place.command()
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content)
    done = subprocess.run(
        command, cwd=tmp_path, env=place.environment(), capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert message in done.stderr
    assert not (tmp_path / "store").exists()


def test_a_benchmark_that_is_not_in_the_run_is_named(tmp_path: Path) -> None:
    place = Workplace(tmp_path)
    place.snapshot["benchmarks"]["c"] = place.snapshot["benchmarks"].pop("b")
    done = place.generate()
    assert done.returncode == 2
    assert done.stderr == "error: run/m/client.json: benchmark 'b' is not in the run; expected one of: c\n"


def test_the_store_command_lists_measures_and_drops(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=3)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        for seed in (42, 43):
            assert place.generate(seed).returncode == 0
        listed = place.python("seedbed", "store", "list", "--seed", "43", "--ids", "b-1")
        header, sample = listed.stdout.splitlines()
        assert header.split("\t") == ["model", "benchmark", "seed", "id", "status", "tokens", "bytes", "key"]
        assert sample.split("\t")[:6] == ["m", "b", "43", "b-1", "ok", "4"]
        sizes = place.python("seedbed", "store", "size").stdout.splitlines()
        assert [line.split("\t")[3] for line in sizes] == ["samples", "3", "3", "6"]
        assert place.python("seedbed", "store", "drop").returncode == 2
        unknown = place.python("seedbed", "store", "drop", "--ids", "b-1", "b-9")
        assert (unknown.returncode, unknown.stderr) == (2, "error: no sample has the id b-9; nothing was dropped\n")
        dropped = place.python("seedbed", "store", "drop", "--seed", "42", "--ids", "b-1")
        assert dropped.stdout.startswith("1 samples dropped")
        for seed in (42, 43):
            assert place.generate(seed).returncode == 0
    assert len(server.samples) == 6 + 1
    assert place.python("seedbed", "store", "drop", "--model", "m").stdout.startswith("6 samples dropped")
    nothing = place.python("seedbed", "store", "list")
    assert (nothing.returncode, nothing.stderr) == (2, "error: store: no samples that fit; the store holds nothing\n")


def test_a_job_imports_nothing_heavy() -> None:
    code = "import sys; import seedbed.commands.generate; print(*sorted(sys.modules))"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "scripts")}
    loaded = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    heavy = {"pandas", "numpy", "sympy", "math_verify", "yaml", "snakemake", "openai", "httpx", "jsonschema"}
    assert heavy & set(loaded.stdout.split()) == set()
