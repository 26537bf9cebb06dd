from typing import Any

import pytest

from seedbed.report.findings import BAD, NOTE, ODD, Finding, enough, findings, of_pair, resume

AGAIN = "run snakemake again: what is finished is kept, only what is missing is asked for"
SAMPLES = 20


def pair(**changes: Any) -> dict[str, Any]:
    """Return a pair of two seeds and ten problems about which nothing is to be said, changed."""
    return {
        "name": "m/sums",
        "benchmark": "sums",
        "verdict": "COMPLETE",
        "coverage_verdict": "COMPLETE",
        "reasons": [],
        "stale": [],
        "counts": {"ok": SAMPLES, "truncated": 0, "empty": 0, "error": 0, "missing": 0},
        "status": "." * SAMPLES,
        "cells": {"strict": "r" * SAMPLES, "regex": "r" * SAMPLES},
        "main": "regex",
        "max_tokens": 400_000,
        "flow": {"regex": {"recovered": 0, "lost": 0, "newly_found": 0, "precision": None}},
        "first_differs": {"strict": 0, "regex": 0},
        "remarks": [],
        "surplus": [],
        "seeds": [42, 43],
        "mean_tokens": 500.0,
    } | changes


def run(**changes: Any) -> dict[str, Any]:
    """Return a run of which nothing is to be said, changed."""
    quiet = {"state": "ENDED", "going_on": False, "servers": [], "gates": [], "comparisons": [], "not_compared": []}
    return quiet | {"run": {"command": ["/venv/bin/snakemake", "--cores", "all"]}} | changes


def on_pair(**changes: Any) -> list[Finding]:
    """Return what is found on a changed pair."""
    return list(of_pair(pair(**changes), AGAIN))


def test_where_nothing_is_odd_it_says_so() -> None:
    assert on_pair() == []
    (only,) = findings([pair()], run())
    assert (only["level"], only["text"], only["act"]) == (NOTE, "nothing is missing, and nothing is odd", "")


def test_answers_cut_off_are_counted_against_no_answer_and_the_limit_is_named() -> None:
    status = "t" * 9 + "." * 11
    cells = "n" * 9 + "nn" + "r" * 9
    first, second = on_pair(status=status, cells={"strict": cells, "regex": cells})
    assert first.text == "9 of 11 no_answer were cut off at 400,000 tokens"
    assert first.act.startswith("raise sampling.max_tokens")
    assert (first.level, first.shown, first.scorer) == (ODD, "truncated", "regex")
    assert second.text == "2 of 20 samples ended by themselves, yet regex found no answer"
    assert (second.level, second.shown) == (ODD, "no_answer")
    assert "config/scorers" in second.act


def test_answers_cut_off_after_an_answer_are_a_note_beside_the_others() -> None:
    status, cells = "tt" + "." * 18, "rn" + "r" * 18
    cut, answered = on_pair(status=status, cells={"strict": cells, "regex": cells}, max_tokens=None)
    assert cut.text == "1 of 1 no_answer were cut off at the limit of tokens"
    assert (answered.level, answered.text) == (
        NOTE,
        "1 of 20 samples were cut off at the limit of tokens with an answer",
    )


def test_answers_cut_off_are_told_without_any_scorer_too() -> None:
    (cut,) = on_pair(status="t" + "." * 19, cells={}, main=None, flow={}, first_differs={})
    assert cut.text == "1 of 20 samples were cut off at 400,000 tokens"


@pytest.mark.parametrize(
    ("reason", "act", "shown"),
    [
        ("seed 43 missing: logs/generate/m/sums-rs43.log: 400 out of range", AGAIN, "missing"),
        ("seeds 42, 43 missing: never ran", AGAIN, "missing"),
        ("error: sums-1 of seed 43: 503", AGAIN, "error"),
        ("output-rs42.jsonl: made with another prompt, sampling, model setting or server", "asked again", ""),
        ("results/x has 3 bytes, 9 when it was finished: …", "comes back from the store", ""),
        ("output-rs42.jsonl was changed since it was finished: …", "comes back from the store", ""),
        ("notes.jsonl is no output of a seed, yet NeMo-Skills would count it as one", "move it elsewhere", ""),
        ("output-rs42.jsonl: 3 ids are not in the dataset: x", "the dataset has changed", ""),
        ("seed 42 is in output-rs42.jsonl and in output-rs42.jsonl.gz", "remove one of the two", ""),
        ("output-rs42.jsonl, line 3: not a whole record (…)", "comes back from the store", ""),
    ],
)
def test_what_makes_a_verdict_invalid_comes_with_its_remedy(reason: str, act: str, shown: str) -> None:
    (found,) = on_pair(coverage_verdict="INVALID", reasons=[reason], stale=["strict", "regex"])
    assert (found.level, found.text, found.shown) == (BAD, reason, shown)
    assert act in found.act


def test_what_is_tolerated_is_odd_not_bad() -> None:
    (found,) = on_pair(coverage_verdict="PARTIAL", reasons=["error: sums-1 of seed 43: 503"])
    assert found.level == ODD
    assert found.text == "error: sums-1 of seed 43: 503; tolerated by errors.max_failed_fraction"


def test_what_is_missing_while_a_run_goes_on_is_no_fault_yet() -> None:
    unfinished = pair(coverage_verdict="INVALID", verdict="INVALID", reasons=["seed 43 missing: never ran"])
    first, second = findings([unfinished], run(going_on=True, state="RUNNING"))
    assert (first["level"], first["act"]) == (NOTE, "wait: a run goes on")
    assert second["text"].startswith("a run goes on in this folder")
    (unscored, _) = findings([pair(stale=["strict"])], run(going_on=True, state="RUNNING"))
    assert (unscored["level"], unscored["act"]) == (NOTE, "wait: a run goes on")


def test_metrics_of_other_outputs_name_their_scorers() -> None:
    (found,) = on_pair(stale=["strict", "regex"], verdict="INVALID")
    assert (found.level, found.act) == (BAD, "run snakemake")
    assert found.text == "no metrics of strict, regex for the outputs as they are now"


def test_no_strict_answer_at_all_points_to_the_broad_column() -> None:
    cells = {"strict": "n" * SAMPLES, "regex": "n" + "r" * 19}
    flow = {"regex": {"recovered": 19, "lost": 0, "newly_found": 19, "precision": 1.0}}
    first = on_pair(cells=cells, flow=flow)[0]
    assert first.text == "strict found no answer at all, regex found 19 of 20"
    assert "read the column regex" in first.act
    assert (first.shown, first.scorer) == ("recovered", "regex")


@pytest.mark.parametrize(("count", "level"), [(1, NOTE), (4, ODD)])
def test_silence_at_the_end_is_odd_only_where_there_is_much_of_it(count: int, level: str) -> None:
    cells = "n" * count + "r" * (200 - count)
    (found,) = on_pair(status="." * 200, cells={"regex": cells}, flow={}, first_differs={})
    assert (found.level, found.part, found.whole) == (level, count, 200)


def test_an_empty_answer_and_a_scorer_out_of_time_are_told() -> None:
    counts = {"ok": 19, "truncated": 0, "empty": 1, "error": 0, "missing": 0}
    cells = {"strict": "r" * SAMPLES, "regex": "oo" + "r" * 18}
    empty, late = on_pair(counts=counts, status="0" + "." * 19, cells=cells)
    assert (empty.text, empty.shown) == ("1 of 20 samples ended without a word", "empty")
    assert late.text == "regex ran out of time on 2 of 20 samples, which count as wrong"
    assert (late.shown, late.scorer) == ("timeout", "regex")


@pytest.mark.parametrize(("lost", "level"), [(1, NOTE), (5, ODD)])
def test_a_scorer_that_loses_more_than_it_recovers_is_odd(lost: int, level: str) -> None:
    flow = {"regex": {"recovered": 5, "lost": lost, "newly_found": 6, "precision": 0.5}}
    (found,) = on_pair(flow=flow)
    assert (found.level, found.shown, found.scorer) == (level, "lost", "regex")
    assert found.text == f"regex loses {lost} that strict has right, and recovers 5"


def test_a_scorer_that_only_wins_is_a_note() -> None:
    (found,) = on_pair(flow={"regex": {"recovered": 5, "lost": 0, "newly_found": 6, "precision": 0.83}})
    assert found.text == "regex recovers 5 that strict misses and loses none; it found 6 new answers"


def test_first_answers_that_differ_repeats_and_surplus_seeds_are_told() -> None:
    remark = "the server of 'm' ignores `seed`: 10 of 10 problems have one and the same text from all 2 seeds"
    differs, repeats, surplus = on_pair(first_differs={"regex": 3}, remarks=[remark], surplus=[44, 45])
    assert differs.text == "regex: in 3 of 20 samples the first answer differs from the last, which counts"
    assert (repeats.level, repeats.shown) == (ODD, "duplicate")
    assert "honour `seed`" in repeats.act
    assert surplus.text == "seeds 44, 45 are there, but were not asked for: they do not count"
    (few,) = on_pair(remarks=["2 repeat another seed's text (sums-1)"])
    assert few.level == NOTE


def test_several_of_a_kind_are_told_as_one_with_their_sums() -> None:
    status, cells = "t" * 3 + "." * 17, "n" * 3 + "r" * 17
    pairs = [pair(name=f"m/b{n}", benchmark=f"b{n}", status=status, cells={"regex": cells}, flow={}) for n in range(3)]
    (one,) = findings(pairs, run())
    assert one["text"] == "9 of 9 no_answer were cut off at 400,000 tokens (3 models and benchmarks)"
    assert [member["pair"] for member in one["members"]] == ["m/b0", "m/b1", "m/b2"]
    assert one["filter"] is None
    assert one["members"][0]["filter"] == {"name": "truncated", "scorer": "regex"}
    assert len(findings(pairs[:2], run())) == 2


def test_the_worst_comes_first() -> None:
    told = findings(
        [pair(first_differs={"regex": 1}), pair(coverage_verdict="INVALID", reasons=["seed 43 missing: never ran"])],
        run(servers=[server(restarts=1)]),
    )
    assert [one["level"] for one in told] == [BAD, ODD, NOTE]


def server(**changes: Any) -> dict[str, Any]:
    """Return a server of which nothing is to be said, changed."""
    attempts = [{"reason": "node failure"}, {"reason": "asked to end"}]
    return {"model": "m", "restarts": 0, "guarded": True, "attempts": attempts} | changes


def test_restarts_of_a_server_name_the_reason_and_the_log() -> None:
    (found,) = findings([pair()], run(servers=[server(restarts=2)]))
    assert found["text"] == "the server of m was started again 2 times: node failure"
    assert "logs/server/m-*.log" in found["act"]


def test_a_server_without_a_key_is_told_and_an_unknown_one_is_not() -> None:
    (found,) = findings([pair()], run(servers=[server(guarded=False), server(guarded=None)]))
    assert found["text"].startswith("the server of m answers without a key")


def test_gates_that_fail_are_bad_and_those_that_cannot_tell_say_how_many_seeds_would() -> None:
    gate = {"criterion": "pass@1 >= 60", "pair": "m/sums", "text": "found 62.0", "margin": 4.0, "distance": 2.0}
    failed, open_ = findings([pair()], run(gates=[gate | {"outcome": "inconclusive"}, gate | {"outcome": "fail"}]))
    assert (failed["level"], failed["text"]) == (BAD, "gate fails: pass@1 >= 60: found 62.0")
    assert open_["act"] == (
        "if the value stays, about 8 seeds instead of 2 would decide it (seeds.count), or 4.0 times the problems"
    )
    assert "move the limit" in enough(gate | {"distance": 0.1}, 2)
    assert enough({"margin": None}, 2) == "more seeds narrow the interval of another run"
    assert enough(gate | {"distance": 3.999}, 16).startswith("if the value stays, about 17 seeds instead of 16")


def test_comparisons_that_are_old_or_missing_are_told_once() -> None:
    old = [{"name": "a-vs-b", "stale": True}, {"name": "a-vs-b", "stale": True}]
    first, second = findings([pair()], run(comparisons=old, not_compared=["b-vs-c"]))
    assert first["text"] == "comparison a-vs-b was made before the samples that it is about"
    assert second["text"] == "comparison b-vs-c was not made"


@pytest.mark.parametrize(
    ("answers", "level", "told"),
    [
        (["better", "inconclusive", "better"], NOTE, "better in 2, inconclusive in 1 of 3 comparisons"),
        (["worse", "better"], ODD, "better in 1, worse in 1 of 2 comparisons"),
        ([None], NOTE, "not known of 1 comparison"),
    ],
)
def test_whether_b_is_worse_than_a_stands_among_the_findings(answers: list[str | None], level: str, told: str) -> None:
    lines = [{"name": "a-vs-b", "stale": False, "answers": {"across_seeds": answer}} for answer in answers]
    (found,) = findings([pair()], run(comparisons=lines))
    assert (found["level"], found["text"]) == (
        level,
        f"a-vs-b: across seeds (the same problems with other seeds), B against A is {told}",
    )
    assert ("see Comparisons" in found["act"]) == (level == ODD)


def test_imported_outputs_are_given_no_advice_for_a_run() -> None:
    status, cells = "t" * 3 + "." * 17, "n" * 3 + "r" * 17
    old = {"from": "nemo-skills", "source": "/old"}
    cut = on_pair(imported=old, status=status, cells={"regex": cells}, flow={})[0]
    assert cut.act == "the limit of tokens was too low where they were made: raise it there, and import the new outputs"
    broken = on_pair(imported=old, coverage_verdict="INVALID", reasons=["output-rs1.jsonl, line 3: not a whole record"])
    assert broken[0].act == "remove its folder and import it again"


@pytest.mark.parametrize(("silent", "act"), [(2, "it finds no answer there"), (0, "a pattern takes what is no answer")])
def test_what_a_scorer_loses_to_silence_and_to_wrong_answers_is_told_apart(silent: int, act: str) -> None:
    table = {"right": {"right": 4, "wrong": 2 - silent, "none": silent}}
    (found,) = on_pair(flow={"regex": {"recovered": 0, "lost": 2, "newly_found": 0, "precision": 0.0, "table": table}})
    assert act in found.act


def test_a_model_that_says_far_less_than_another_may_have_its_thinking_off() -> None:
    pairs = [pair(mean_tokens=20_000.0), pair(name="n/sums", mean_tokens=900.0)]
    (found,) = findings(pairs, run())
    assert (found["pair"], found["text"]) == ("n/sums", "900 tokens a sample, where another model takes 20,000")
    assert "thinking" in found["act"]
    assert len(findings([pairs[0], pair(name="n/sums", mean_tokens=2_100.0)], run())) == 1


def test_a_killed_run_and_an_empty_folder_say_how_to_go_on() -> None:
    killed, empty = findings([], run(state="RUNNING"))
    assert killed["text"] == "the last run ended without a word: it was killed"
    assert killed["act"].startswith("run snakemake --cores all again: what is finished is kept")
    assert empty["text"] == "there is no output yet"


def test_the_command_that_goes_on_is_the_one_that_began() -> None:
    assert resume(["/x/snakemake/__main__.py", "--config", "seeds={count: 5}"]).startswith(
        "run snakemake --config 'seeds={count: 5}' again"
    )
    assert resume(None).startswith("run snakemake again")


def test_imported_outputs_are_not_asked_for_again_and_unknown_ends_are_not_called_whole() -> None:
    broken = {"verdict": "INVALID", "coverage_verdict": "INVALID", "imported": {"from": "simple"}}
    (lacking,) = on_pair(**broken, reasons=["missing: p0 of seed 1: no record"])
    assert lacking.act.startswith("nothing is generated for imported outputs")
    changed = "x has 3 bytes, 4 when it was finished: it was imported from old; remove its folder and import it again"
    (moved,) = on_pair(**broken, reasons=[changed])
    assert moved.act == "remove its folder and import it again"
    cells = "nn" + "r" * 18
    (silent,) = on_pair(cells={"strict": cells, "regex": cells}, unknown_ends=20)
    assert silent.text == "regex found no answer in 2 of 20 samples; whether all were whole is not known"
