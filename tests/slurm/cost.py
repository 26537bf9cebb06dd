"""What the driver of a run costs beside bare Snakemake with the same executor: `python -m tests.slurm.cost`.

16 seeds × 20 models on a Slurm of its own: a dry run, a real one, one with nothing to do. A stand-in for sbatch makes
each seed's job a `touch` of its output, or they would take the machine for half an hour; the submission is Slurm's own.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from tests.serving.workplace import ROOT
from tests.slurm.cluster import Cluster
from tests.slurm.workflow_place import WorkflowPlace

MODELS = tuple(f"m{number:02d}" for number in range(20))
SEEDS = range(42, 58)
OUTPUTS = [f"results/{model}/eval-results/tiny/output-rs{seed}.jsonl" for model in MODELS for seed in SEEDS]
BARE = """
localrules: prepare_dataset, server
rule prepare_dataset:
    output: "resources/{benchmark}/test.jsonl"
    shell: "touch {output}"
rule server:
    output: "results/{model}/server.spec.json"
    shell: "touch {output}"
rule generate:
    input: "resources/{benchmark}/test.jsonl", "results/{model}/server.spec.json"
    output: "results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl"
    log: "logs/generate/{model}/{benchmark}-rs{seed}.log"
    shell: "touch {output}"
"""
TRIVIAL = """
for word in "$@"; do
    shift
    case $word in --wrap=*)
        rest=${word#*generate:model=}
        out=results/${rest%%,*}/eval-results/tiny
        seed=$(printf %s "${rest#*,seed=}" | sed 's/[^0-9].*//')
        word="--wrap=mkdir -p $out && echo x > $out/output-rs$seed.jsonl";;
    esac
    set -- "$@" "$word"
done
exec $REAL "$@"
"""
SHIPPED = ("jobs", "slurm-init-seconds-before-status-checks", "seconds-between-status-checks", "latency-wait")


def profile(bare: bool, **more: Any) -> dict[str, Any]:
    """Return what of the shipped profile bears on the driver; bare Snakemake keeps its own pace of looking at jobs."""
    shipped = yaml.safe_load((ROOT / "profiles/slurm/config.yaml").read_text())
    kept = {name: shipped[name] for name in SHIPPED}
    if bare:
        return {**kept, "slurm-status-command": "squeue", **more}
    return {**kept, "max-jobs-per-timespan": shipped["max-jobs-per-timespan"], **more}


def seconds(place: WorkflowPlace, bare: bool, *words: str) -> tuple[float, float]:
    """Return the CPU seconds of one call's own process, and how long it took; raises where Snakemake failed."""
    command = [sys.executable, "-m", "snakemake", "--profile", str(place.files / "profile"), "--snakefile"]
    if bare:
        command += [str(place.files / "Snakefile"), "--workflow-profile", str(ROOT / "profiles/default")]
    else:
        command += [str(ROOT / "Snakefile"), "--configfile", str(place.files / "config.yaml")]
    environment = {k: v for k, v in place.environment.items() if k not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    with open(place.output, "w") as output:
        began = time.monotonic()
        run = subprocess.Popen(
            [*command, "--directory", ".", *words, "--", *OUTPUTS],
            cwd=place.folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
        )
        os.waitid(os.P_PID, run.pid, os.WEXITED | os.WNOWAIT)
        took = time.monotonic() - began
        fields = Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()
        run.wait()
    if "WorkflowError" in place.said() or any(not (place.folder / path).exists() for path in OUTPUTS if not words):
        raise SystemExit(place.said()[-3000:])
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), took


def submitted_per_second(place: WorkflowPlace) -> float:
    """Return how many jobs a second Snakemake hands to Slurm when nothing holds it back, by Slurm's own times."""
    place.write(models=MODELS, seeds={"count": len(SEEDS)}, profile=profile(True, jobs=len(OUTPUTS)))
    before = place.submitted()
    seconds(place, True)
    told = place.cluster.run("squeue", "--noheader", "--states=all", "--format=%i %V").splitlines()
    mine = [line.split()[1] for line in told if int(line.split()[0]) > before]
    moments = sorted(time.mktime(time.strptime(moment, "%Y-%m-%dT%H:%M:%S")) for moment in mine)
    return len(moments) / (moments[-1] - moments[0] + 1)


def main() -> None:
    """Print the figures as a table."""
    base = Path(tempfile.mkdtemp(prefix="sb-", dir="/tmp"))
    cluster = Cluster(base, gpu_nodes=1, cpu_nodes=2, job_age=600)
    spent: dict[str, list[float]] = {"dry run": [], "real run": [], "nothing to do": []}
    try:
        cluster.start()
        for bare in (True, False):
            place = WorkflowPlace(base / ("bare" if bare else "seedbed") / "work", cluster)
            place.stand_in("sbatch", TRIVIAL)
            place.write(models=MODELS, seeds={"count": len(SEEDS)}, profile=profile(bare))
            (place.files / "Snakefile").write_text(BARE)
            for name, words in (("dry run", ("-n", "--quiet")), ("real run", ()), ("nothing to do", ("--quiet",))):
                spent[name].append(seconds(place, bare, *words)[0])
        place = WorkflowPlace(base / "pace" / "work", cluster)
        place.stand_in("sbatch", TRIVIAL)
        (place.files / "Snakefile").write_text(BARE)
        pace = submitted_per_second(place)
    finally:
        cluster.stop()
        shutil.rmtree(base, ignore_errors=True)
    print(f"{'driver CPU, 320 seeds':24}{'bare':>8}{'seedbed':>10}{'ratio':>8}")
    for name, (bare_seconds, ours) in spent.items():
        print(f"{name:24}{bare_seconds:6.2f} s{ours:8.2f} s{ours / bare_seconds:8.2f}")
    print(f"jobs submitted per second {pace:.1f}")


if __name__ == "__main__":
    main()
