"""All readers of an output accept and refuse the same lines."""

import json
from pathlib import Path

import pytest

from seedbed.core.errors import InputError
from seedbed.health import repetition
from seedbed.records.coverage import COMPLETE, INVALID, cover
from seedbed.records.dataset import read_ids
from seedbed.records.outputs import decode_record

ROW = '{"id": "a", "generation": "half \\ud83d of a pair, and more of it", "finish_reason": "stop"}'
ODD = {
    "half a pair": ROW.encode(),
    "half a pair, escaped in capitals": ROW.replace("\\ud83d", "\\uD83D").encode(),
    "our key is null": b'{"id": "a", "generation": "x", "seedbed": null}',
    "no flags": b'{"id": "a", "generation": "x", "seedbed": {"status": "ok", "flags": null}}',
}
BROKEN = {
    "not UTF-8": b'{"id": "a", "generation": "\xff"}',
    "too deep": b'{"id": "a", "generation": "x", "more": ' + b"[" * 200_000 + b"]" * 200_000 + b"}",
    "cut, with half a pair": ROW[:-5].encode(),
    "no count": b'{"id": "a", "generation": "x", "num_generated_tokens": 1' + b"0" * 40 + b"}",
    "half a pair, and no count": ROW.replace('"stop"}', '"stop", "num_generated_tokens": "many"}').encode(),
}


@pytest.mark.parametrize("line", ODD.values(), ids=ODD)
def test_what_the_scorers_accept_is_covered(tmp_path: Path, line: bytes) -> None:
    outputs = [tmp_path / f"output-rs{seed}.jsonl" for seed in (1, 2)]
    for output in outputs:
        output.write_bytes(line + b"\n")
    assert decode_record(line, "here").id == "a"
    found = cover(tmp_path, ["a"], [1, 2], 0.0)
    assert (found["verdict"], found["faults"], found["counts"]["ok"]) == (COMPLETE, [], 2)
    assert repetition.find(outputs, 1.0).seeds == 2


@pytest.mark.parametrize("line", BROKEN.values(), ids=BROKEN)
def test_what_the_scorers_refuse_is_a_fault_of_the_file(tmp_path: Path, line: bytes) -> None:
    (tmp_path / "output-rs1.jsonl").write_bytes(line + b"\n")
    with pytest.raises(InputError):
        decode_record(line, "here")
    found = cover(tmp_path, ["a"], [1], 0.0)
    assert found["verdict"] == INVALID
    assert "line 1: not a whole record" in found["faults"][0]["fault"]


def test_a_problem_with_half_a_pair_has_an_id_all_the_same(tmp_path: Path) -> None:
    dataset = tmp_path / "test.jsonl"
    dataset.write_text(json.dumps({"id": "a", "problem": "half \ud83d", "expected_answer": "1"}) + "\n")
    assert read_ids(dataset) == ["a"]
