"""Answers of every shape become honest records."""

import re
from pathlib import Path

from tests.client.stub_server import Ask, Reply, serving, streamed
from tests.client.workplace import Workplace


def right(ask: Ask) -> Reply:
    """Answer with the number that was asked for."""
    number = re.findall(r"\d+", ask.prompt)[-1]
    return streamed(f"So it is \\boxed{{{number}}}")


def test_a_seed_is_generated_complete_and_in_the_order_of_the_dataset(tmp_path: Path) -> None:
    place = Workplace(tmp_path, rows=20)
    with serving(right) as server:
        place.snapshot["endpoint"] = server.url
        done = place.generate()
    assert done.returncode == 0, done.stderr
    records = place.records()
    assert [record["id"] for record in records] == [f"b-{n}" for n in range(20)]
    assert all(
        record["symbolic_correct"] and record["predicted_answer"] == record["expected_answer"] for record in records
    )
    assert place.out().with_name("output-rs42.jsonl.done").exists()
    assert place.progress() | {"updated": 0} == place.progress() | {
        "done": 20,
        "total": 20,
        "correct": 20,
        "errors": 0,
        "state": "done",
        "updated": 0,
    }
    assert len(server.samples) == 20
    assert {ask.body["seed"] for ask in server.samples} == {42}
