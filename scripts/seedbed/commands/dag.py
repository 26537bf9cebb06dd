"""Draw what a run consists of: its jobs with their states, or the rules with the files between them.

The jobs of the last run's configuration (or of --configfile) go to dag.svg and, as Mermaid, to dag.md in --out. Seeds
of a model and benchmark share one box with their number and state: done, or to run and why. With --rules the rules go
to the page that is named, with pictures/rules.svg beside it.
"""

import argparse
from pathlib import Path

from seedbed.core import files
from seedbed.records import paths
from seedbed.report import rule_graph, run_graph
from seedbed.workflow import job_graph

PAGE = """# The workflow

`make dag` draws this page and `results/dag.svg`, the jobs of a run.

## Jobs: what is done, what would run, and why

![Six groups of a model and a benchmark, each with its sixteen seeds in one box](pictures/dag.svg)

`python -m seedbed dag` draws the jobs of the last run's configuration, `--configfile mine.yaml` those of another. Each
column is a benchmark, each row a model. The sixteen seeds of a pair share one box, with how many are done, how many
would run, and Snakemake's reason. It runs nothing. `results/dag.md` holds the same as Mermaid text.

## Rules: which file goes where

![The rules of the workflow and the files between them](pictures/rules.svg)

Rules and files as Snakemake knows them, for the demonstration with a comparison and a gate. `all` reads every result;
drawn are only its arrows from files that no other rule reads. The server itself is no rule: a broker starts it while
seeds need it ([architecture.md](architecture.md)). Snakemake's own drawings: `snakemake --rulegraph mermaid-js`, and
`--dag mermaid-js` with a box for every job.

```mermaid
{rules}
```
"""


def draw_rules(page: Path, arguments: list[str]) -> list[Path]:
    """Write the page of the rules and its picture; returns both paths."""
    jobs = job_graph.parse(job_graph.dry_run("--forceall", *arguments))
    edges = job_graph.files_between(jobs, job_graph.file_patterns(arguments))
    image = page.parent / "pictures" / "rules.svg"
    files.write(page, PAGE.replace("{rules}", rule_graph.mermaid(edges)))
    files.write(image, rule_graph.picture(edges))
    return [page, image]


def draw_jobs(folder: Path, arguments: list[str]) -> tuple[list[Path], str]:
    """Write dag.svg and dag.md of a configuration; returns both paths and one line on what would run."""
    graph = run_graph.grouped(job_graph.planned(arguments))
    jobs, to_run = graph.counts()
    text = f"{jobs} jobs: {jobs - to_run} done, {to_run} to run"
    image, page = folder / paths.JOB_GRAPH.name, folder / "dag.md"
    files.write(image, run_graph.picture(graph))
    files.write(page, f"# Jobs of the run\n\n{text}\n\n```mermaid\n{run_graph.mermaid(graph)}\n```\n")
    return [image, page], text


def main() -> int:
    """Run the command; returns 0."""
    parser = argparse.ArgumentParser(prog="python -m seedbed dag", description=__doc__)
    parser.add_argument("--configfile", nargs="+", default=[], metavar="FILE", help="as for Snakemake")
    parser.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="as for Snakemake")
    parser.add_argument("--out", type=Path, default=paths.RESULTS, metavar="FOLDER", help="where dag.svg and dag.md go")
    parser.add_argument("--rules", type=Path, metavar="PAGE", help="draw the rules into this Markdown page instead")
    options = parser.parse_args()
    chosen = options.configfile
    if not chosen and options.rules is None and paths.CONFIG.is_file():
        chosen = [str(paths.CONFIG)]
    arguments = [
        *(["--configfile", *chosen] if chosen else []),
        *(["--config", *options.config] if options.config else []),
    ]
    if options.rules is not None:
        print("wrote", *draw_rules(options.rules, arguments))
        return 0
    written, text = draw_jobs(options.out, arguments)
    print(text)
    print("wrote", *written)
    return 0
