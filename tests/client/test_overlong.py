"""Prompts over the served context, by each policy; and what a job's memory is on a dataset larger than it."""

import json
import sys
from pathlib import Path

import pytest

from tests.client.llama import KEY, Llama
from tests.client.stub_server import Ask, Reply, StubServer, refusal, streamed
from tests.client.workplace import Workplace

CONTEXT = 1000  # words that the stand-in takes for tokens


def narrow(ask: Ask) -> Reply:
    """Refuse a prompt of too many words as llama.cpp does; else say how many it had and which ends were there."""
    words = len(ask.prompt.split())
    if words > CONTEXT:
        return refusal(400, f"request ({words} tokens) exceeds the available context size ({CONTEXT} tokens)")
    ends = [end for end in ("begin", "end") if end in ask.prompt.split()]
    return streamed(f"{words} words, {' and '.join(ends)}. \\boxed{{1}}")


def place(folder: Path, url: str, policy: str | None = None, context: str | None = "context") -> Workplace:
    """Return a workplace with a short and a long row."""
    made = Workplace(folder)
    rows = [
        {"id": f"b-{n}", "problem": "How many?", "expected_answer": "1", "context": f"begin {'word ' * size}end"}
        for n, size in enumerate((20, 5000))
    ]
    made.data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    made.snapshot["endpoint"] = url
    made.snapshot["benchmarks"]["b"] |= {"prompt": "{context}\n{problem}", "context": context}
    if policy is not None:
        made.snapshot["context_overflow"] = policy
    return made


def test_by_default_an_overlong_prompt_is_an_error(tmp_path: Path) -> None:
    with StubServer(narrow) as server:
        done = place(tmp_path, server.url).generate()
    assert done.returncode == 1
    assert "1 of 2 samples failed for good (b-1: HTTP 400: request (5004 tokens) exceeds" in done.stderr


def test_the_middle_of_the_context_is_cut_flagged_and_counted(tmp_path: Path) -> None:
    with StubServer(narrow) as server:
        made = place(tmp_path, server.url, "truncate-middle")
        done = made.generate()
        assert done.returncode == 0, done.stderr
        short, long = made.records()
        asked = len(server.samples)
        assert made.generate().returncode == 0
        assert len(server.samples) == asked
    assert short["seedbed"]["flags"] == []
    assert long["seedbed"]["flags"] == ["context-cut"]
    assert long["seedbed"]["status"] == "ok"
    assert "begin and end" in long["generation"]
    assert 800 < int(long["generation"].split()[0]) <= CONTEXT
    assert 3000 < long["seedbed"]["context_characters_kept"] < 5000
    assert "context" not in long
    assert long["problem"] == "How many?"


def test_a_skipped_prompt_is_kept_as_such_and_asked_for_once(tmp_path: Path) -> None:
    with StubServer(narrow) as server:
        made = place(tmp_path, server.url, "skip")
        assert made.generate().returncode == 0
        record = made.records()[1]
        asked = len(server.samples)
        assert made.generate().returncode == 0
        assert len(server.samples) == asked == 2
    assert record["generation"] == ""
    assert record["finish_reason"] == "skipped"
    assert record["predicted_answer"] is None
    assert record["seedbed"]["status"] == "empty"
    assert record["seedbed"]["flags"] == ["skipped"]
    assert record["seedbed"]["reason"].startswith(
        "the prompt does not fit the served context and was skipped: HTTP 400"
    )


def test_without_a_named_context_nothing_is_cut(tmp_path: Path) -> None:
    with StubServer(narrow) as server:
        done = place(tmp_path, server.url, "truncate-middle", context=None).generate()
    assert done.returncode == 1
    assert "exceeds the available context size" in done.stderr


def test_a_context_told_beforehand_stops_only_where_that_is_an_error(tmp_path: Path) -> None:
    with StubServer(narrow, [{"id": "stub", "max_model_len": CONTEXT}]) as server:
        server.answer_probes = False
        assert place(tmp_path / "a", server.url, "skip").generate().returncode == 0
        done = place(tmp_path / "b", server.url).generate()
    assert done.returncode == 1
    assert "the longest prompt (b-1), to a context of 1000 tokens, is not answered" in done.stderr


def test_another_policy_asks_anew(tmp_path: Path) -> None:
    with StubServer(narrow) as server:
        made = place(tmp_path, server.url, "skip")
        assert made.generate().returncode == 0
        made.snapshot["context_overflow"] = "truncate-middle"
        assert made.generate().returncode == 0
        assert made.records()[1]["seedbed"]["flags"] == ["context-cut"]


def test_a_real_server_says_how_much_must_go(tmp_path: Path, real_model: Path) -> None:
    with Llama(real_model, tmp_path, context=1024) as server:
        made = place(tmp_path / "place", server.url, "truncate-middle")
        made.snapshot |= {"api_key_env": "TEST_KEY", "served_name": "smollm2"}
        made.snapshot["benchmarks"]["b"]["sampling"] = {"temperature": 0.7, "max_tokens": 8}
        done = made.generate(TEST_KEY=KEY)
    assert done.returncode == 0, done.stderr
    short, long = made.records()
    assert short["seedbed"]["flags"] == []
    assert long["seedbed"]["flags"] == ["context-cut"]
    assert 120 < long["seedbed"]["prompt_tokens"] < 256
    assert long["num_generated_tokens"] > 0


@pytest.mark.parametrize("rows", [30, 400])
def test_memory_does_not_grow_with_the_dataset(tmp_path: Path, rows: int) -> None:
    made = Workplace(tmp_path)
    with made.data.open("w") as file:
        for number in range(rows):
            row = {"id": f"b-{number}", "problem": "How many?", "expected_answer": "1", "context": "word " * 50_000}
            file.write(json.dumps(row) + "\n")
    made.snapshot["benchmarks"]["b"] |= {"prompt": "{context}\n{problem}", "context": "context"}
    measure = (
        "import resource,subprocess,sys; code=subprocess.run(sys.argv[1:]).returncode; "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024); sys.exit(code)"
    )
    with StubServer(lambda ask: streamed("\\boxed{1}")) as server:
        made.snapshot["endpoint"] = server.url
        done = made.generate(prefix=[sys.executable, "-c", measure])
    assert done.returncode == 0, done.stderr
    assert len(made.records()) == rows
    assert int(done.stdout.split()[-1]) < 120  # MB; 400 rows are 100 MB, and twice that as rows and requests
