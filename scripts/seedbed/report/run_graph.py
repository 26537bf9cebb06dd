"""The jobs of a run as a picture: one group a model and benchmark, its seeds in one box with their state."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

from seedbed.report import svg

CELL, HEAD, GAP, STEP, PAD = 244, 196, 46, 38, 10  # widths and heights in pixels
DONE, TO_RUN, GIVEN = "done", "todo", "given"
_SHORT = {
    "Missing output files": "output missing",
    "Incomplete output files": "output incomplete",
    "Updated input files": "input files changed",
    "Input files updated by another job": "its input is generated again",
    "Set of input files has changed": "other input files",
    "Params have changed": "parameters changed",
    "Code has changed": "code changed",
    "Forced execution": "forced",
}


class Planned(Protocol):
    """What is read of a job."""

    @property
    def rule(self) -> str: ...
    @property
    def wildcards(self) -> dict[str, str]: ...
    @property
    def inputs(self) -> tuple[str, ...]: ...
    @property
    def outputs(self) -> tuple[str, ...]: ...
    @property
    def reason(self) -> str: ...


@dataclass
class Step:
    """The jobs of one rule that share a box; `given` counts files that no job makes: outputs that were imported."""

    name: str
    unit: str = ""
    jobs: int = 0
    given: int = 0
    reasons: Counter[str] = field(default_factory=Counter)

    @property
    def to_run(self) -> int:
        """Return how many of the jobs would run."""
        return self.reasons.total()

    @property
    def state(self) -> str:
        """Return the state of the box: to run if any job would."""
        if self.to_run:
            return TO_RUN
        return DONE if self.jobs else GIVEN

    def add(self, reason: str) -> None:
        """Count a job."""
        self.jobs += 1
        if reason:
            self.reasons[short(reason)] += 1

    def title(self) -> str:
        """Return the name with the number of jobs where it is not one."""
        count = self.jobs + self.given
        return f"{self.name}: {count} {self.unit}{'s' * (count > 1)}" if self.unit else self.name

    def status(self) -> str:
        """Return how many are done and how many are to run, with the reason most of them have."""
        if self.state == GIVEN:
            return "imported, no job"
        if self.state == DONE:
            return "done"
        why = self.reasons.most_common(1)[0][0] + (" and other reasons" if len(self.reasons) > 1 else "")
        if self.jobs == 1:
            return f"to run: {why}"
        done = self.jobs - self.to_run
        return f"{done} done, {self.to_run} to run: {why}" if done else f"all to run: {why}"


def short(reason: str) -> str:
    """Return the first of Snakemake's reasons in a few words."""
    return next((words for start, words in _SHORT.items() if reason.startswith(start)), reason.split(":")[0][:28])


@dataclass
class Graph:
    """The boxes of a run: of each benchmark, of each model, of each pair of them, and those of the whole run."""

    benchmarks: dict[str, list[Step]] = field(default_factory=dict)
    models: dict[str, list[Step]] = field(default_factory=dict)
    pairs: dict[tuple[str, str], list[Step]] = field(default_factory=dict)
    run: list[Step] = field(default_factory=list)

    def counts(self) -> tuple[int, int]:
        """Return how many jobs there are, and how many of them would run."""
        stacks = [*self.benchmarks.values(), *self.models.values(), *self.pairs.values(), self.run]
        every = [step for steps in stacks for step in steps]
        return sum(step.jobs for step in every), sum(step.to_run for step in every)


def grouped(jobs: Iterable[Planned]) -> Graph:
    """Return the jobs in groups, each group in the order in which its jobs depend on each other."""
    every = list(jobs)
    graph = Graph()
    made = {file for job in every for file in job.outputs}
    models_of = {
        file: job.wildcards["model"]
        for job in every
        if "model" in job.wildcards
        for file in (*job.inputs, *job.outputs)
    }
    depths = _Depths(every)
    for job in sorted(every, key=lambda job: (depths[job], job.wildcards.get("scorer", ""))):
        model, benchmark = job.wildcards.get("model"), job.wildcards.get("benchmark")
        model = model or next(
            (models_of[file] for file in job.outputs if "file" in job.wildcards and file in models_of), None
        )
        if model and benchmark:
            steps = graph.pairs.setdefault((model, benchmark), [])
        elif model:
            steps = graph.models.setdefault(model, [])
        elif benchmark:
            steps = graph.benchmarks.setdefault(benchmark, [])
        else:
            steps = graph.run
        if model and benchmark and "seed" not in job.wildcards and not steps:
            given = [file for file in job.inputs if file not in made and "output-rs" in file]
            steps.append(Step("generate", "seed", given=len(given)))
        _step(steps, job).add(job.reason)
    for model, benchmark in graph.pairs:
        graph.models.setdefault(model, [])
        graph.benchmarks.setdefault(benchmark, [])
    order = _as_configured(every)
    graph.models = dict(sorted(graph.models.items(), key=lambda item: order.get(item[0], 0)))
    graph.benchmarks = dict(sorted(graph.benchmarks.items(), key=lambda item: order.get(item[0], 0)))
    graph.pairs = {
        pair: graph.pairs[pair]
        for pair in ((model, benchmark) for model in graph.models for benchmark in graph.benchmarks)
        if pair in graph.pairs
    }
    return graph


def _as_configured(jobs: Iterable[Planned]) -> dict[str, int]:
    """Return the rank of models and benchmarks: the last rule lists its inputs in the configuration's order."""
    every = list(jobs)
    asked = {file: rank for job in every if job.rule == "all" for rank, file in enumerate(job.inputs)}
    order: dict[str, int] = {}
    for job in every:
        for name in (job.wildcards[key] for key in ("model", "benchmark") if key in job.wildcards):
            ranks = [asked[file] for file in job.outputs if file in asked]
            order[name] = min([order.get(name, len(asked)), *ranks])
    return order


def _step(steps: list[Step], job: Planned) -> Step:
    """Return the box of a job, made where it is the first in it."""
    scorer = job.wildcards.get("scorer")
    name = f"{job.rule} ({scorer})" if scorer else job.rule
    unit = next((wildcard for wildcard in ("seed", "pair") if wildcard in job.wildcards), "")
    for step in steps:
        if step.name == name:
            return step
    steps.append(Step(name, unit))
    return steps[-1]


class _Depths:
    """The length of the longest chain of jobs before a job."""

    def __init__(self, jobs: list[Planned]) -> None:
        self._maker = {file: job for job in jobs for file in job.outputs}
        self._known: dict[int, int] = {}

    def __getitem__(self, job: Planned) -> int:
        if id(job) not in self._known:
            before = [self._maker[file] for file in job.inputs if file in self._maker]
            self._known[id(job)] = 1 + max((self[one] for one in before), default=-1)
        return self._known[id(job)]


def mermaid(graph: Graph) -> str:
    """Return the graph as a Mermaid flow chart; colours say what is to run, and so do the words."""
    lines = ["flowchart TD"]
    names: dict[int, str] = {}

    def box(step: Step, indent: str = "    ") -> None:
        names[id(step)] = f"n{len(names)}"
        lines.append(f'{indent}{names[id(step)]}["{step.title()}<br/>{step.status()}"]:::{step.state}')

    def arrow(start: Step, end: Step) -> None:
        lines.append(f"    {names[id(start)]} --> {names[id(end)]}")

    for kind in (graph.benchmarks, graph.models):
        for name, steps in kind.items():
            for step in steps:
                names[id(step)] = f"n{len(names)}"
                text = f"{step.title()}<br/>{name}<br/>{step.status()}"
                lines.append(f'    {names[id(step)]}["{text}"]:::{step.state}')
    for number, ((model, benchmark), steps) in enumerate(graph.pairs.items()):
        lines.append(f'    subgraph g{number}["{model} × {benchmark}"]')
        for step in steps:
            box(step, "        ")
        lines.append("    end")
    for step in graph.run:
        box(step)
    for (model, benchmark), steps in graph.pairs.items():
        for step in (*graph.benchmarks[benchmark], *graph.models[model]):
            arrow(step, steps[0])
        for step in steps[1:]:
            arrow(steps[0], step)
            if graph.run:
                arrow(step, graph.run[0])
    for before, after in pairwise(graph.run):
        arrow(before, after)
    lines += [
        f"    classDef {state} fill:{fill},stroke:{line},color:#1a1a1a" for state, (fill, line) in svg.STATES.items()
    ]
    return "\n".join(lines)


def picture(graph: Graph) -> str:
    """Return the graph as an SVG picture: benchmarks and models on its edges, their pairs as a table between them.

    The longer of the two lists runs down the page where it would not fit across it.
    """
    across = len(graph.benchmarks) <= max(4, len(graph.models))
    columns, rows = (graph.benchmarks, graph.models) if across else (graph.models, graph.benchmarks)

    def pair(row: str, column: str) -> tuple[str, str]:
        return (row, column) if across else (column, row)

    drawing = svg.Drawing()
    top = 66 + _height(max((len(steps) for steps in columns.values()), default=0)) + GAP
    left = PAD + HEAD + GAP
    y = top
    bottoms: list[tuple[float, float]] = []
    xs = {name: left + place * (CELL + GAP) for place, name in enumerate(columns)}
    for name, steps in columns.items():
        _stack(drawing, xs[name], 66, CELL, name, steps)
    last = y
    for row, steps in rows.items():
        cells = {column: graph.pairs[pair(row, column)] for column in columns if pair(row, column) in graph.pairs}
        height = _height(max([len(steps), *(len(cell) for cell in cells.values())], default=1))
        end = _stack(drawing, PAD, y, HEAD, row, steps)
        for column, cell in cells.items():
            x = xs[column]
            entry = y + 52
            if columns[column]:
                drawing.path(
                    f"M {x + 26} {66 + _height(len(columns[column]))} v 14 H {x - 14} V {entry} H {x - 1}", arrow=True
                )
            if steps:
                drawing.path(f"M {PAD + HEAD / 2} {y + 0} v -14 H {x + CELL - 26} V {y - 1}", arrow=True)
            bottoms.append((x + CELL / 2, _stack(drawing, x, y, CELL, " × ".join(pair(row, column)), cell, group=True)))
        last = max(last, end, y + height)
        y += height + GAP
    width = max(left + len(columns) * (CELL + GAP) - GAP + PAD, 700)
    height = _run(drawing, graph.run, last, width)
    jobs, to_run = graph.counts()
    drawing.text(PAD, 26, f"{jobs} jobs: {jobs - to_run} done, {to_run} to run", size=17, bold=True)
    drawing.legend(PAD, 40)
    return drawing.render(width, height, f"The jobs of a run: {jobs - to_run} of {jobs} done")


def _height(steps: int) -> float:
    """Return the height of a stack of boxes with its title."""
    return 26 + steps * (STEP + 8) + 4


def _stack(
    drawing: svg.Drawing, x: float, y: float, width: float, title: str, steps: list[Step], group: bool = False
) -> float:
    """Draw a titled stack of boxes; returns where it ends."""
    end = y + _height(len(steps))
    drawing.frame(x, y, width, end - y, group)
    drawing.text(x + 10, y + 18, svg.cut(title, width - 20, 14.5), size=13, bold=True)
    for place, step in enumerate(steps):
        top = y + 26 + place * (STEP + 8)
        _box(drawing, x + 8, top, width - 16, step)
    return end


def _box(drawing: svg.Drawing, x: float, y: float, width: float, step: Step) -> None:
    """Draw one box: its name, its state in words, and how much of it is done as a bar."""
    drawing.box(x, y, width, STEP, step.state, step.jobs and (step.jobs - step.to_run) / step.jobs)
    drawing.text(x + 8, y + 15, svg.cut(step.title(), width - 16, 12), size=12)
    drawing.text(x + 8, y + 30, svg.cut(step.status(), width - 16, 11), size=11)


def _run(drawing: svg.Drawing, steps: list[Step], y: float, width: float) -> float:
    """Draw the boxes of the whole run below the pairs, in their order; returns the height of the picture."""
    if not steps:
        return y + PAD
    top, size = y + GAP, min(CELL, (width - 2 * PAD - (len(steps) - 1) * 26) / len(steps))
    drawing.path(f"M {PAD} {y + 12} H {width - PAD}")
    drawing.path(f"M {PAD + size / 2} {y + 12} V {top - 1}", arrow=True)
    for place, step in enumerate(steps):
        x = PAD + place * (size + 26)
        _box(drawing, x, top, size, step)
        if place:
            drawing.path(f"M {x - 26} {top + STEP / 2} H {x - 1}", arrow=True)
    return top + STEP + PAD
