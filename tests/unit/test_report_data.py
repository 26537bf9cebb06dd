"""What the report shows is what the files of a run say."""

import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from seedbed.report import charts
from seedbed.report.page import read_call
from seedbed.report.sample_columns import places, read_verdicts
from seedbed.report.texts import Facts
from seedbed.statistics.intervals import student
from tests.reportplace import BENCHMARKS, FIRST_SEED, KEY, LIMIT, MODELS, PRIVATE, ROOT, Size, lay, report

SIZE = Size(models=2, benchmarks=4, seeds=4, problems=6, characters=400)
FAILED = f"{MODELS[1]}/{BENCHMARKS[3]}"


def data_of(folder: Path) -> dict[str, Any]:
    """Return the data in a report's page."""
    page = (folder / "results/report.html").read_text(encoding="utf-8")
    _, _, rest = page.partition('<script type="application/json" id="data">')
    value: dict[str, Any] = json.loads(rest.partition("</script>")[0])
    return value


def beside(folder: Path, file: str) -> Any:
    """Return the content of a file beside the report."""
    return read_call((folder / "results" / file).read_text(encoding="ascii"))[2]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a run with a failed seed, cut, empty and hostile texts, and a private benchmark."""
    folder = lay(tmp_path_factory.mktemp("run") / "myrun", SIZE)
    done = report(folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "results/report.html\n", "")
    return folder


@pytest.fixture(scope="module")
def data(place: Path) -> dict[str, Any]:
    """Return the data of that run's report."""
    return data_of(place)


@pytest.fixture
def copy(place: Path, tmp_path: Path) -> Path:
    """Return a copy of that folder, to be changed."""
    return Path(shutil.copytree(place, tmp_path / "myrun"))


def pair_of(data: dict[str, Any], name: str = "alder/sums") -> dict[str, Any]:
    """Return a pair of the data."""
    found: dict[str, Any] = next(pair for pair in data["pairs"] if pair["name"] == name)
    return found


def test_the_folder_the_state_and_the_run_are_told(data: dict[str, Any]) -> None:
    assert (data["format"], data["title"], data["folder"], data["state"]) == (1, "seedbed", "myrun", "FAILED")
    assert data["going_on"] is False
    assert (data["run"]["seconds"], data["run"]["gpu_hours"], data["run"]["hosts"]) == (4600.0, 19.5, ["login-1"])
    assert data["run"]["dirty"] is False
    assert len(data["pairs"]) == 8


def test_the_headline_is_the_worst_verdict(data: dict[str, Any]) -> None:
    assert data["headline"]["verdict"] == "INVALID"
    assert data["headline"]["text"].startswith(
        "7 of 8 model × benchmark pairs are complete, 186 of 192 samples are there"
    )


def test_every_sample_has_its_status_and_each_scorers_verdict(place: Path, data: dict[str, Any]) -> None:
    pair = pair_of(data)
    folder = place / "results/alder/eval-results/sums"
    assert pair["seeds"] == pair["seeds_whole"] == SIZE.seed_numbers
    coverage = json.loads((folder / "coverage.json").read_text())
    signs = {"ok": ".", "truncated": "t", "empty": "0", "error": "e", "missing": "m"}
    assert {name: pair["status"].count(sign) for name, sign in signs.items()} == coverage["counts"] == pair["counts"]
    for scorer in ("strict", "regex"):
        rows = list(csv.DictReader((folder / f"samples-{scorer}.csv").read_text(encoding="utf-8").splitlines()))
        cells = {(row["seed"], row["id"]): row for row in rows}
        for at, cell in enumerate(pair["cells"][scorer]):
            seed, identity = pair["seeds"][at // 6], pair["problems"][at % 6]
            row = cells[str(seed), identity]
            assert cell == ("r" if row["correct"] == "true" else "n" if row["state"] == "no_answer" else "w")
        right = sum(row["correct"] == "true" for row in rows)
        assert pair["cells"][scorer].count("r") == right > 0
        assert pair["figures"][scorer]["pass@1"]["value"] == pytest.approx(100 * right / len(rows))


def test_figures_and_curves_are_those_of_the_statistics(place: Path, data: dict[str, Any]) -> None:
    pair = pair_of(data)
    known = json.loads((place / "results/alder/eval-results/sums/statistics.json").read_text())["scorers"]["regex"]
    mean = known["pass@1[avg-of-4]"]
    assert pair["figures"]["regex"]["pass@1"] == {
        "value": mean["value"],
        "across_problems": [mean["across_problems"]["low"], mean["across_problems"]["high"]],
        "across_seeds": [mean["across_seeds"]["low"], mean["across_seeds"]["high"]],
    }
    curves = pair["curves"]["regex"]
    assert [point[0] for point in curves["pass@k"]] == [1, 2, 3, 4]
    assert [point[0] for point in curves["majority@k"]] == [1, 2, 4]
    assert [point[1] for point in curves["pass@k"]] == [
        mean["value"],
        *(known[f"pass@{k}"]["value"] for k in (2, 3, 4)),
    ]
    assert curves["pass@k"] == sorted(curves["pass@k"], key=lambda point: (point[0], point[1]))
    assert student(5) > 2  # bounds of other problems are wider than normal ones
    assert pair["figures"]["regex"]["no_answer"]["value"] == known["no_answer"]["value"]


def test_the_flow_is_the_ledger_of_the_scorers(place: Path, data: dict[str, Any]) -> None:
    for pair in data["pairs"]:
        if pair["name"] == FAILED:
            continue
        folder = place / "results" / pair["model"] / "eval-results" / pair["benchmark"]
        known, flow = json.loads((folder / "scorers.json").read_text())["regex"], pair["flow"]["regex"]
        assert flow["table"] == known["table"]
        assert {key: flow[key] for key in ("recovered", "lost", "newly_found", "changed")} == {
            key: known["counts"][key] for key in ("recovered", "lost", "newly_found", "changed")
        }
        assert (flow["precision"], flow["p"]) == (known["newly_found_precision"], known["sign_flip_p"])


def test_the_table_is_the_printed_one(data: dict[str, Any]) -> None:
    pair = pair_of(data)
    measures = {one["name"]: one["cells"] for one in pair["measures"]}
    flow = pair["flow"]["regex"]
    assert next(iter(measures)) == "pass@1[avg-of-4]"
    more = " loses more" if flow["lost"] > flow["recovered"] else ""
    assert measures["recovered, lost"] == {"strict": "", "regex": f"+{flow['recovered']} −{flow['lost']}{more}"}
    value = pair["figures"]["strict"]["pass@1"]["value"]
    assert measures["pass@1[avg-of-4]"]["strict"] == f"{value:.1f} %"
    assert pair["line"].startswith(f"sums / alder: COMPLETE 4×6, strict pass@1 {value:.1f} %")


def test_tokens_are_counted_once_a_sample_by_outcome(data: dict[str, Any]) -> None:
    pair = pair_of(data)
    counts = pair["tokens"]["by_outcome"]
    assert sum(map(sum, counts.values())) == 24
    assert sum(counts["truncated"]) == pair["status"].count("t") > 0
    right = [cell for cell, state in zip(pair["cells"]["regex"], pair["status"], strict=True) if state != "t"]
    assert sum(counts["right"]) == right.count("r")
    assert pair["tokens"]["edges"][-1] >= LIMIT
    assert counts["truncated"][-1] + counts["truncated"][-2] == sum(counts["truncated"])


def test_a_failed_seed_is_missing_with_its_reason_and_leaves_the_others_to_look_at(
    place: Path, data: dict[str, Any]
) -> None:
    pair = pair_of(data, FAILED)
    failed = FIRST_SEED + 2
    assert pair["verdict"] == "INVALID"
    assert pair["seeds_whole"] == [seed for seed in SIZE.seed_numbers if seed != failed]
    assert pair["status"][12:18] == "m" * 6
    assert (pair["not_ok_total"], len(pair["not_ok"])) == (24 - pair["status"].count("."),) * 2
    assert pair["cells"] == {}
    assert pair["stale"] == ["strict", "regex"]
    finding = data["findings"][0]
    assert (finding["level"], finding["pair"]) == ("bad", FAILED)
    assert "the server refused 30 of 30 requests: 400 out of range" in finding["text"]
    assert pair["chunks"][str(failed)] == []
    ((first, file, name),) = pair["chunks"]["42"]
    assert (first, name) == (0, f"{FAILED}/rs42-0")
    assert len(beside(place, file)) == 6


def test_samples_and_texts_belong_together(place: Path, data: dict[str, Any]) -> None:
    pair = pair_of(data)
    samples = beside(place, pair["samples_file"])
    problems = beside(place, pair["problems_file"])
    assert set(samples["answer"]) == {"strict", "regex"}
    spans = 0
    for number, seed in enumerate(pair["seeds"]):
        for first, file, _ in pair["chunks"][str(seed)]:
            for index, text in enumerate(beside(place, file), first):
                at = 6 * number + index
                assert (text["id"], text["seed"]) == (pair["problems"][index], seed)
                assert problems[text["id"]]["expected"] == samples["expected"][index]
                span, answer = samples["span"]["strict"][at], samples["answer"]["strict"][at]
                if span is not None:
                    spans += 1
                    assert text["text"][slice(*span)] == answer
                for begin, end, mathml in text["maths"]:
                    assert begin >= text["final_at"]
                    assert text["text"][begin] + text["text"][end - 1] in ("$$", "\\]")
                    assert mathml.startswith("<math")
                assert samples["tokens"][at] == (LIMIT if pair["status"][at] == "t" else len(text["text"]) // 3)
    assert spans == sum(answer is not None for answer in samples["answer"]["strict"]) > 5
    assert samples["first_differs"]["regex"] == [
        at for at, flags in enumerate(samples["flags"]["regex"]) if "first-differs" in flags
    ]
    assert len(samples["first_differs"]["regex"]) == pair["first_differs"]["regex"]
    for at in samples["right_in_text"]["strict"]:
        assert pair["cells"]["strict"][at] != "r"


def test_a_private_benchmark_shows_no_wording_no_generation_and_no_expected_answer(
    place: Path, data: dict[str, Any]
) -> None:
    pair = pair_of(data, f"alder/{PRIVATE}")
    assert pair["private"] is True
    assert pair["problems_file"] is None
    assert all(chunks == [] for chunks in pair["chunks"].values())
    samples = beside(place, pair["samples_file"])
    assert "expected" not in samples
    assert len(samples["answer"]["regex"]) == len(samples["span"]["regex"]) == 24
    assert pair["cells"]["regex"].count("r") > 0
    for path in [place / "results/report.html", *(place / "results/report-data").rglob("*.js*")]:
        assert "SECRET WORDING" not in path.read_text(encoding="utf-8"), path


def test_a_part_of_a_benchmark_is_named_as_one(data: dict[str, Any]) -> None:
    assert pair_of(data, "alder/pairs")["part"] == "6 of 24"
    assert pair_of(data, "alder/pairs")["line"].startswith("pairs (6 of 24) / alder: COMPLETE")
    assert [one["part"] for one in data["comparisons"] if "pairs" in one["a"]] == ["6 of 24"] * 2
    assert "alder, pairs (6 of 24), strict" in [one["a"] for one in data["comparisons"]]
    assert "pairs (6 of 24) / alder, regex: pass@1 >= 60" in [one["gate"] for one in data["gates"]]
    assert pair_of(data)["part"] == ""


def test_no_secret_stands_in_the_report(place: Path, data: dict[str, Any]) -> None:
    assert data["servers"][0]["commands"][0]["command"][:3] == ["serve", "--api-key", "***"]
    for path in [place / "results/report.html", *(place / "results/report-data").rglob("*.js*")]:
        assert KEY not in path.read_text(encoding="utf-8"), path


def test_servers_gates_and_comparisons_are_told(data: dict[str, Any]) -> None:
    first, last = data["servers"]
    assert (first["restarts"], first["guarded"], len(first["attempts"])) == (1, True, 2)
    assert (last["restarts"], last["guarded"], last["nodes"]) == (0, False, ["gb-01", "gb-02"])
    assert {gate["outcome"] for gate in data["gates"]} <= {"pass", "fail", "inconclusive"}
    assert len(data["gates"]) == 3 * 8
    told = data["comparisons"][0]
    assert (told["name"], told["pairs"]) == ("alder-vs-birch", ["alder/sums", "birch/sums"])
    assert told["difference"] == pytest.approx(told["values"][1] - told["values"][0])
    low, high = told["intervals"]["across_seeds"]
    assert low <= told["difference"] <= high
    assert told["stale"] is False
    assert "points on 6 problems" in told["text"]


def test_a_second_report_writes_no_text_again(copy: Path) -> None:
    files = sorted((copy / "results/report-data").rglob("*.js*"))
    before = {path: path.stat().st_mtime_ns for path in files}
    assert report(copy).returncode == 0
    assert {path: path.stat().st_mtime_ns for path in files} == before


def test_another_scorer_rewrites_the_samples_and_no_text(copy: Path) -> None:
    data = copy / "results/report-data/alder/sums"
    before = {path.name: path.stat().st_mtime_ns for path in data.iterdir()}
    folder = copy / "results/alder/eval-results/sums"
    table = folder / "samples-regex.csv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    at, line = next((at, line) for at, line in enumerate(lines) if ",true," in line)
    lines[at] = line.replace(",true,", ",false,")
    rewrite(folder, "".join(lines))
    assert report(copy).returncode == 0
    after = {path.name: path.stat().st_mtime_ns for path in data.iterdir()}
    assert {name for name in after if after[name] != before.get(name)} == {"samples.js", "samples.json"}
    assert pair_of(data_of(copy))["cells"]["regex"][at - 1] == "w"


def rewrite(folder: Path, table: str) -> None:
    """Write another table of the broad scorer, and its digest into the details."""
    (folder / "samples-regex.csv").write_text(table, encoding="utf-8")
    details = json.loads((folder / "details-regex.json").read_text())
    details["written"]["samples-regex.csv"] = hashlib.sha256(table.encode()).hexdigest()
    (folder / "details-regex.json").write_text(json.dumps(details))


def test_a_table_changed_by_hand_is_not_shown(copy: Path) -> None:
    table = copy / "results/alder/eval-results/sums/samples-regex.csv"
    table.write_text(table.read_text(encoding="utf-8").replace(",false,", ",true,"), encoding="utf-8")
    assert report(copy).returncode == 0
    pair = pair_of(data_of(copy))
    assert (pair["verdict"], pair["stale"], list(pair["cells"])) == ("INVALID", ["regex"], ["strict"])


def test_what_belongs_to_no_pair_any_more_is_removed_and_nothing_else(copy: Path) -> None:
    data = copy / "results/report-data"
    gone = [data / "alder/sums/rs42-7.js", data / "old/sums/rs1.json", data / "old/problems.js"]
    for path in gone:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (data / "notes.txt").write_text("mine")
    assert report(copy).returncode == 0
    assert not any(path.exists() for path in gone)
    assert not (data / "old").exists()
    assert (data / "notes.txt").read_text() == "mine"


def test_a_run_without_any_output_has_a_report_that_says_so(copy: Path) -> None:
    for path in [*(copy / "results").glob("*/eval-results"), copy / "resources", copy / "results/report-data"]:
        shutil.rmtree(path)
    done = report(copy)
    assert (done.returncode, done.stderr) == (0, "")
    data = data_of(copy)
    assert {pair["verdict"] for pair in data["pairs"]} == {"INVALID"}
    assert all(pair["status"] == "" and pair["samples_file"] is None for pair in data["pairs"])
    assert data["findings"][0]["level"] == "bad"
    assert data["not_compared"] == []


def test_outputs_without_the_record_of_a_run_are_shown_all_the_same(copy: Path) -> None:
    (copy / "results/run.json").unlink()
    assert report(copy).returncode == 0
    data = data_of(copy)
    assert (data["state"], data["run"]["started"], data["run"]["commit"]) == ("NONE", None, None)
    pair = pair_of(data)
    assert "made with another prompt" in pair["faults"][0]
    assert len(pair["chunks"]["42"]) == 1


def test_an_output_that_is_cut_is_told_and_the_rest_is_shown(copy: Path) -> None:
    output = copy / "results/alder/eval-results/sums/output-rs43.jsonl"
    output.write_bytes(output.read_bytes()[:-100])
    assert report(copy).returncode == 0
    pair = pair_of(data_of(copy))
    assert pair["verdict"] == "INVALID"
    assert "not a whole record" in pair["faults"][0]
    assert pair["chunks"]["43"] == []
    assert len(pair["chunks"]["42"]) == 1


def test_comparisons_of_another_version_or_older_than_their_samples_are_told(copy: Path) -> None:
    path = copy / "results/comparisons/alder-vs-birch.json"
    os.utime(path, (1, 1))
    assert report(copy).returncode == 0
    assert all(told["stale"] for told in data_of(copy)["comparisons"])
    path.write_text(json.dumps({"comparisons": [{"a": 1}]}))
    assert report(copy).returncode == 0
    told = data_of(copy)
    assert (told["comparisons"], told["not_compared"]) == ([], ["alder-vs-birch"])
    assert "comparison alder-vs-birch was not made" in [finding["text"] for finding in told["findings"]]


def test_nothing_heavy_is_imported(place: Path) -> None:
    code = (
        "import sys; from seedbed.commands import report; sys.argv[1:] = []; report.main();"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'pandas', 'numpy', 'plotly', 'sympy',"
        "'snakemake', 'aiohttp'}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT / "scripts")},
        capture_output=True,
        text=True,
    )
    assert done.stdout.splitlines()[-1] == "[]", done.stderr


def test_tables_of_other_seeds_or_orders_are_put_in_order(tmp_path: Path) -> None:
    path = tmp_path / "samples-x.csv"
    head = "id,seed,predicted_answer,correct,state,stage,span,flags,part\n"
    path.write_text(
        head
        + "b,10,2,true,answered,box,3:4,loop first-differs,final\n"
        + "a,10,,false,no_answer,,,,\n"
        + "a,9,5,false,answered,box,,,final\n"
        + "b,9,7,false,timeout,box,1:2,,final\n"
    )
    found = read_verdicts(path, [9, 10, 11], ["a", "b"])
    assert found.cells == "wonr--"
    assert found.answer == ["5", "7", None, "2", None, None]
    assert found.span == ["", "1:2", "", "3:4", "", ""]
    assert [places(span) for span in found.span[:2]] == [None, [1, 2]]
    assert found.flags[3] == "loop first-differs"


def test_edges_are_round_few_and_reach_the_largest() -> None:
    assert charts.edges_of(0) == [0.0, 1.0]
    assert charts.edges_of(20) == [float(edge) for edge in range(21)]
    for most in (25, 99, 4096, 65_536, 400_000, 999_999):
        edges = charts.edges_of(most)
        assert edges[-1] >= most > edges[-2]
        assert 8 <= len(edges) - 1 <= charts.BINS
    assert charts.edges_of(400_000)[1] == 20_000


def test_throughput_holds_all_tokens_and_starts_at_the_first_sample() -> None:
    spans = [(100.0, 160.0, 600.0), (130.0, 220.0, 900.0), (219.9, 220.0, 5.0)]
    line = charts.throughput(spans)
    step = line[1][0] - line[0][0]
    assert sum(rate for _, rate in line) * step == pytest.approx(1505, rel=1e-3)
    assert line[0] == [pytest.approx(step / 2), pytest.approx(10.0)]
    middle = next(rate for offset, rate in line if offset > 45)
    assert middle == pytest.approx(20.0)
    assert charts.throughput([]) == []


def test_a_seed_without_an_output_has_no_bar() -> None:
    full = Facts("k", [10.0, 20.0], [1.0, 2.0], [3.0, 7.0], ["stop", "stop"], ["", ""], [False, False])
    line = charts.time_line([42, 43], [full, Facts.empty(2)])
    assert line["seed"] == [[42, 1.0, 7.0, 30.0]]
    assert charts.time_line([43], [Facts.empty(2)]) == {"seed": [], "throughput": []}


def test_samples_that_do_not_tell_their_end_are_counted_apart(copy: Path) -> None:
    """Of imported outputs without a finish_reason nobody knows whether they are whole."""
    output = copy / "results/alder/eval-results/sums" / f"output-rs{FIRST_SEED}.jsonl"
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    for row in rows:
        row["seedbed"].pop("status")
        row["finish_reason"] = "stop" if row["id"] == "sums-000" else None
    before = pair_of(data_of(copy))["counts"]
    output.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert report(copy).returncode == 0
    counts = pair_of(data_of(copy))["counts"]
    assert counts["end unknown"] == SIZE.problems - 1
    assert sum(counts.values()) == sum(before.values()) == SIZE.problems * SIZE.seeds
    assert counts["ok"] < before["ok"]
