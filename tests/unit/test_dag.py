"""The pictures of the workflow: what is read of a dry run, what shares a box, what a box says."""

import base64
import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from seedbed.report import rule_graph, run_graph, run_history, svg
from seedbed.workflow.job_graph import Job, files_between, parse

DRY_RUN = """Building DAG of jobs...
Job stats:
job         count
generate        2

[Tue Dec  1 12:11:26 2026]
localrule prepare_dataset:
    output: resources/sums/test.jsonl, resources/sums/source.json
    jobid: 1
    reason: Missing output files: resources/sums/test.jsonl
    wildcards: benchmark=sums
[Tue Dec  1 12:11:26 2026]
rule generate:
    input: resources/sums/test.jsonl, results/m/server.spec.json
    output: results/m/eval-results/sums/output-rs42.jsonl
    log: logs/generate/m/sums-rs42.log
    jobid: 2
    reason: Input files updated by another job: resources/sums/test.jsonl
    wildcards: model=m, benchmark=sums, seed=42
"""


def run(models: list[str], benchmarks: list[str], seeds: int, missing: int = 0) -> list[Job]:
    """Return the jobs of a run in which the last seeds of the first model's first benchmark are missing."""
    jobs = [Job("prepare_dataset", {"benchmark": name}, (), (f"resources/{name}/test.jsonl",)) for name in benchmarks]
    jobs += [Job("server", {"model": name}, (), (f"results/{name}/server.spec.json",)) for name in models]
    metrics = []
    for model in models:
        for benchmark in benchmarks:
            folder, pair = f"results/{model}/eval-results/{benchmark}", {"model": model, "benchmark": benchmark}
            late = missing if (model, benchmark) == (models[0], benchmarks[0]) else 0
            data = f"resources/{benchmark}/test.jsonl"
            outputs = tuple(f"{folder}/output-rs{seed}.jsonl" for seed in range(seeds))
            for seed, output in enumerate(outputs):
                reason = f"Missing output files: {output}" if seed >= seeds - late else ""
                inputs = (data, f"results/{model}/server.spec.json")
                jobs.append(Job("generate", {**pair, "seed": str(seed)}, inputs, (output,), reason))
            reason = f"Input files updated by another job: {outputs[-1]}" if late else ""
            jobs.append(Job("rescore", {**pair, "scorer": "regex"}, outputs, (f"{folder}/metrics-regex.json",), reason))
            jobs.append(Job("score", pair, outputs, (f"{folder}/metrics.json",), reason))
            metrics += [f"{folder}/metrics.json", f"{folder}/metrics-regex.json"]
    jobs.append(Job("tabulate", {}, tuple(metrics), ("results/summary.csv",)))
    return [Job("all", {}, ("results/summary.csv", *metrics), ()), *jobs]


def size(picture: str) -> tuple[float, float]:
    """Return width and height of an SVG picture."""
    root = ElementTree.fromstring(picture)
    return float(root.attrib["width"]), float(root.attrib["height"])


def test_a_dry_run_is_read_with_files_wildcards_and_reasons() -> None:
    prepare, generate = parse(DRY_RUN)
    assert (prepare.rule, prepare.inputs, len(prepare.outputs)) == ("prepare_dataset", (), 2)
    assert generate.wildcards == {"model": "m", "benchmark": "sums", "seed": "42"}
    assert generate.outputs == ("results/m/eval-results/sums/output-rs42.jsonl",)
    assert generate.reason == "Input files updated by another job: resources/sums/test.jsonl"


def test_an_arrow_names_the_declared_file_and_not_the_one_that_was_read() -> None:
    patterns = {
        "prepare_dataset": ["resources/{benchmark}/source.json", "resources/{benchmark}/test.jsonl"],
        "generate": ["results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl"],
    }
    assert files_between(parse(DRY_RUN), patterns) == {
        ("prepare_dataset", "generate"): ["resources/{benchmark}/test.jsonl"]
    }


def test_the_seeds_of_a_pair_share_one_box_with_their_number_and_their_state() -> None:
    graph = run_graph.grouped(run(["a", "b"], ["sums", "logic", "maths"], 16, missing=5))
    assert graph.counts() == (3 + 2 + 96 + 12 + 2, 7)
    generate, score, rescore = graph.pairs["a", "sums"]
    assert (generate.title(), generate.jobs, generate.to_run) == ("generate: 16 seeds", 16, 5)
    assert generate.status() == "11 done, 5 to run: output missing"
    assert [step.name for step in (score, rescore)] == ["score", "rescore (regex)"]
    assert score.status() == "to run: its input is generated again"
    assert [step.state for step in graph.pairs["b", "sums"]] == ["done"] * 3
    assert [step.name for step in graph.run] == ["tabulate", "all"]


def test_models_and_benchmarks_come_in_the_order_of_the_configuration() -> None:
    jobs = run(["b", "a"], ["sums", "logic"], 2)
    graph = run_graph.grouped([jobs[0], *reversed(jobs[1:])])
    assert list(graph.models) == ["b", "a"]
    assert list(graph.benchmarks) == ["sums", "logic"]
    assert list(graph.pairs) == [("b", "sums"), ("b", "logic"), ("a", "sums"), ("a", "logic")]


def test_imported_outputs_are_no_jobs() -> None:
    jobs = [job for job in run(["a"], ["sums"], 4) if job.rule not in ("generate", "server")]
    graph = run_graph.grouped(jobs)
    given = graph.pairs["a", "sums"][0]
    assert (given.title(), given.status(), given.state) == ("generate: 4 seeds", "imported, no job", "given")
    assert graph.counts() == (5, 0)
    assert "imported, no job" in run_graph.picture(graph)


def test_sixteen_seeds_of_two_models_on_three_benchmarks_are_read_at_once() -> None:
    picture = run_graph.picture(run_graph.grouped(run(["a", "b"], ["sums", "logic", "maths"], 16, missing=5)))
    width, height = size(picture)
    assert width <= 1100
    assert height <= 720
    assert "115 jobs: 108 done, 7 to run" in picture
    assert picture.count("generate: 16 seeds") == 6


@pytest.mark.parametrize("seeds", [1, 64])
def test_more_seeds_make_no_larger_picture(seeds: int) -> None:
    few, many = (size(run_graph.picture(run_graph.grouped(run(["a"], ["x", "y"], count)))) for count in (2, seeds))
    assert few == many


def test_nine_benchmarks_run_down_the_page() -> None:
    names = [f"benchmark-{number}" for number in range(9)]
    width, height = size(run_graph.picture(run_graph.grouped(run(["a", "b"], names, 16))))
    assert width <= 850
    assert height > width


def test_names_from_outside_are_text_in_the_picture_and_long_ones_are_shortened() -> None:
    name = "a<script>&" + "x" * 80
    picture = run_graph.picture(run_graph.grouped(run([name], ["sums"], 2)))
    texts = [element.text or "" for element in ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")]
    assert any(text.startswith("a<script>&x") and "…" in text for text in texts)
    assert "<script" not in picture
    assert max(map(len, texts)) < 40


def test_mermaid_has_a_group_a_pair_and_a_class_for_each_state() -> None:
    text = run_graph.mermaid(run_graph.grouped(run(["a", "b"], ["sums", "logic"], 16, missing=16)))
    assert re.findall(r'subgraph \w+\["(.+)"\]', text) == ["a × sums", "a × logic", "b × sums", "b × logic"]
    assert '["generate: 16 seeds<br/>all to run: output missing"]:::todo' in text
    assert text.count("16 seeds<br/>done") == 3
    assert {"classDef done", "classDef todo"} <= set(re.findall(r"classDef \w+", text))
    used = set(re.findall(r"\bn\d+\b", text))
    assert used == set(re.findall(r"(n\d+)\[", text))


def test_of_the_arrows_to_the_last_rule_only_those_of_files_that_nobody_else_reads_are_drawn() -> None:
    edges = {
        ("generate", "score"): ["out"],
        ("generate", "all"): ["out"],
        ("score", "all"): ["metrics"],
    }
    assert rule_graph.drawn(edges) == {("generate", "score"): ["out"], ("score", "all"): ["metrics"]}
    assert rule_graph.mermaid(edges).splitlines()[1:] == [
        '    generate -- "out" --> score',
        '    score -- "metrics" --> all',
    ]


def test_no_box_of_the_rules_lies_on_another_and_all_lie_in_the_picture() -> None:
    edges = {
        ("prepare", "generate"): ["rows"],
        ("prepare", "score"): ["rows"],
        ("server", "generate"): ["spec"],
        ("generate", "score"): ["results/{model}/eval-results/{benchmark}/output-rs{seed}.jsonl"],
        ("score", "all"): ["metrics", "details"],
    }
    picture = rule_graph.picture(edges)
    root = ElementTree.fromstring(picture)
    boxes = [
        tuple(float(element.attrib[key]) for key in ("x", "y", "width", "height"))
        for element in root.iter("{http://www.w3.org/2000/svg}rect")
        if "rx" in element.attrib
    ]
    assert len(boxes) == 5 + 5
    width, height = size(picture)
    for x, y, wide, high in boxes:
        assert x >= 0
        assert y >= 0
        assert x + wide <= width
        assert y + high <= height
    for place, (x, y, wide, high) in enumerate(boxes):
        for other_x, other_y, other_wide, other_high in boxes[:place]:
            apart = x + wide <= other_x or other_x + other_wide <= x or y + high <= other_y or other_y + other_high <= y
            assert apart
    assert ">…/output-rs{seed}.jsonl<" in picture


def test_the_report_holds_the_picture_that_was_drawn_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert run_history.of_run({})["job_graph"] is None
    picture = tmp_path / "results" / "dag.svg"
    picture.parent.mkdir()
    picture.write_text(run_graph.picture(run_graph.grouped(run(["a"], ["sums"], 16))))
    os.utime(picture, (1_790_000_000, 1_790_000_000))
    shown = run_history.of_run({})["job_graph"]
    assert shown["drawn"] == 1_790_000_000
    kind, _, content = shown["image"].partition(",")
    assert (kind, base64.b64decode(content)) == ("data:image/svg+xml;base64", picture.read_bytes())
    picture.write_bytes(b"x" * 300_001)
    assert run_history.of_run({})["job_graph"] is None


def test_a_text_is_cut_in_its_middle_to_a_width() -> None:
    assert svg.cut("short", 100, 12) == "short"
    assert svg.cut("a-long-name-of-a-model-v2", 84, 12) == "a-long-…l-v2"
