"""`snakemake --lint` without its one rule that does not apply here; `make check` runs it.

Snakemake asks for a conda environment or a container for each rule, and no option leaves one rule of its linter out.
Here every job runs by the Python that runs Snakemake, set up from envs/run.lock by `make run`.
"""

import re
import subprocess
import sys

from seedbed.core.environment import ROOT

DOES_NOT_APPLY = "Specify a conda environment or container for each rule."
_FOUND = re.compile(r"^    \* (.*?):?$", re.MULTILINE)
_ITEM = re.compile(r"^Lints for .*:$")


def applicable(text: str) -> list[str]:
    """Return the linter's findings that apply, each as `rule: finding`; raises ValueError where none can be read."""
    found, item = [], ""
    for line in text.splitlines():
        if _ITEM.match(line):
            item = line.removeprefix("Lints for ").removesuffix(":")
        elif finding := _FOUND.match(line):
            found.append((item, finding[1]))
    if not found:
        raise ValueError(f"no finding of the linter in its output:\n{text}")
    return [f"{item}: {finding}" for item, finding in found if finding != DOES_NOT_APPLY]


def main() -> int:
    """Run the linter on the checkout and print what applies; returns 1 if anything does."""
    words = [sys.executable, "-m", "snakemake", "--lint", "--cores", "1"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if done.returncode == 0:
        return 0
    try:
        findings = applicable(done.stdout + done.stderr)
    except ValueError as error:  # an error of the workflow, not a finding
        findings = [str(error)]
    print("\n".join(findings) or "snakemake --lint: nothing that applies", file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
