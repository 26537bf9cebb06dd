"""Servers whose nodes have another Python than the submit host: batch scripts, PATH, and what the nodes' own needs."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from seedbed.core import environment, files
from seedbed.core.errors import InputError
from seedbed.serving.launch import allocation, sbatch
from seedbed.serving.spec import plan as plans
from seedbed.serving.spec import site

ROOT = Path(__file__).resolve().parents[2]
STUB = {"kind": "roles", "roles": [{"name": "a", "command": ["x"]}]}


def script(python: str | None) -> str:
    """Return the batch script of a server on a site whose `python:` is this."""
    plan = plans.from_json({"run": "r" * 16, "site": {"python": python}, "servers": {"m": {"server": STUB}}})
    return sbatch.script(plan, plan.servers["m"], Path("run/broker.json"), 1, Path("m-1.log"))


def fake_python(path: Path, *, fails: bool = False) -> None:
    """Write an interpreter that passes or fails the check, and tells what else it is asked to run."""
    path.parent.mkdir(parents=True)
    path.write_text(f'#!/bin/sh\nif [ "$1" = -c ]; then exit {int(fails)}; fi\necho "$0" "$@"\n')
    path.chmod(0o755)


def run(text: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Return how a batch script ends, run by sh as slurmd runs it."""
    environment = {**os.environ, **variables}
    return subprocess.run(["sh"], input=text, env=environment, capture_output=True, text=True, timeout=60)


def test_the_submit_hosts_python_serves_where_the_site_names_none() -> None:
    assert f"\npython={sys.executable}\n" in script(None)


def test_the_machine_in_the_sites_python_is_the_nodes(tmp_path: Path) -> None:
    fake_python(tmp_path / f"venv {platform.machine()}" / "bin" / "python")
    done = run(script(f"{tmp_path}/venv {{machine}}/bin/python"))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(
        f"{tmp_path}/venv {platform.machine()}/bin/python -m seedbed.serving.node.supervisor "
    )
    assert done.stdout.rstrip().endswith("/run/broker.json --model m --attempt 1")


def test_a_relative_path_is_meant_from_the_repository_and_a_bare_name_is_on_the_path_of_the_node(
    tmp_path: Path,
) -> None:
    assert f"\npython='{ROOT}/.venv-'\"$(uname -m)\"'/bin/python'\n" in script(".venv-{machine}/bin/python")
    fake_python(tmp_path / "bin" / "python3.12")
    done = run(script("python3.12"), PATH=f"{tmp_path}/bin:{os.environ['PATH']}")
    assert done.stdout.startswith(f"{tmp_path}/bin/python3.12 -m seedbed.serving.node.supervisor")


@pytest.mark.parametrize("how", ["missing", "too old", "of another processor"])
def test_a_python_that_does_not_run_there_is_named_with_node_and_processor(tmp_path: Path, how: str) -> None:
    python = tmp_path / "bin" / "python"
    if how != "missing":
        fake_python(python, fails=True)
    if how == "of another processor":
        python.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(57))
    done = run(script(str(python)))
    assert done.returncode == 1
    told = f"error: {python} does not run on {platform.node()} {platform.machine()} as Python 3.11 or newer; expected"
    assert done.stdout.startswith(told)
    assert "'python:' of config/site.yaml" in done.stdout


@pytest.mark.parametrize("module", ["supervisor", "dynamo_mocker", "llama_server"])
def test_what_runs_on_the_servers_nodes_needs_no_package(module: str) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); import seedbed.serving.node.{module}; "
    code += "print(*(n for n, m in sys.modules.items() if 'site-packages' in str(getattr(m, '__file__', ''))))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.parametrize("found", [3, ["python3"], True])
def test_a_wrong_python_of_a_site_is_told(tmp_path: Path, found: object) -> None:
    (tmp_path / "site.yaml").write_text(f"python: {found}\n")
    with pytest.raises(InputError, match=r"site\.yaml: python: found .*, expected a path or a name on PATH"):
        site.read(tmp_path / "site.yaml")


def test_a_seed_inside_the_allocation_runs_by_the_python_of_the_server(tmp_path: Path) -> None:
    files.write_json(tmp_path / "endpoint.json", {"generation": 2})
    told = {"nodes": ["gb1", "gb2"], "job": 7, "python": "/nodes/bin/python"}
    files.write_json(tmp_path / "attempt-2.json", told)
    assert allocation.allocation(tmp_path) == (2, "7", "gb1", "/nodes/bin/python")
    files.write_json(tmp_path / "attempt-2.json", {name: told[name] for name in ("nodes", "job")})
    assert allocation.allocation(tmp_path) == (2, "7", "gb1", sys.executable)


def test_servers_find_the_nodes_own_python_before_the_one_of_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    own = str(Path(sys.prefix) / "bin")
    monkeypatch.setattr(sys, "base_prefix", "/elsewhere")
    monkeypatch.setenv("PATH", "/usr/local/bin:/usr/bin")
    monkeypatch.delenv(environment.CALLERS_PATH, raising=False)
    for name in ("PYTHONPATH", "PYTHONSAFEPATH"):
        monkeypatch.setenv(name, "")
    environment.export()
    assert os.environ["PATH"].split(":")[0] == str(Path(sys.executable).parent)
    assert environment.path_of_servers() == f"/usr/local/bin:/usr/bin:{own}"
    monkeypatch.setenv(environment.CALLERS_PATH, f"{own}:/usr/bin")  # activated
    assert environment.path_of_servers() == f"/usr/bin:{own}"
    monkeypatch.setattr(sys, "base_prefix", sys.prefix)  # no virtual environment
    assert environment.path_of_servers() == f"{own}:/usr/bin"
