"""A corpus for the scorers' benchmarks: records in our own form, long thoughts, no problem of any public benchmark."""

import json
import random
from pathlib import Path

SHORTEST, LONGEST = 10_000, 1_600_000  # bytes of reasoning a record, as JSON
NON_ASCII = 0.4  # share of the records whose thought is full of other scripts

_PLAIN = (
    "Let us count the pairs again: for each x there are {n} choices of y, so that we have {n}*{m} = {p} in all.\n\n",
    "Wait, that assumes x < y. If x = {n}, then the answer is not what I wrote; let me check the case {m} once more.\n",
    "So $\\frac{{{n}}}{{{m}}}$ is the ratio, and with $a_{{{n}}} = {p}$ we get $\\boxed{{{p}}}$ for now. Hmm.\n",
    "- Step {n}: substitute, giving {m}x + {p} = 0, which has no integer root.\n",
)
_QUOTED = ('The word "pair" means an unordered pair here, so {n} and {m} count once.\n',)
_OTHER = (
    "我们再检查一遍:当 x = {n} 时,共有 {m} 种情况,答案是 {p} 吗?还不确定。\n",
    "Проверим ещё раз: при n = {n} получаем {m}, то есть ответ пока {p}.\n",
    "もう一度確認します。n = {n} のとき {m} 通りなので、合計は {p} です。\n",
    "Vérifions l’égalité : {n} × {m} ≈ {p}, où « x » désigne l’inconnue…\n",
)
_ENDINGS = (
    "Adding both cases gives the result.\n\n**Final Answer**\n\\[\n\\boxed{{{p}}}\n\\]",
    "So we are done. The answer is {p}.",
    "**Answer:** {p}\n\nThe two cases are disjoint, which is why they may be added.",
    "Therefore $m+n = \\boxed{{{p}}}$.",
)


def paragraphs(chooser: random.Random, kinds: tuple[str, ...], count: int = 400) -> list[bytes]:
    """Return `count` paragraphs, each as the inside of an ASCII-escaped JSON string."""
    made = []
    for _ in range(count):
        n, m = chooser.randint(2, 99), chooser.randint(2, 99)
        made.append(json.dumps(chooser.choice(kinds).format(n=n, m=m, p=n * m))[1:-1].encode())
    return made


def thought(chooser: random.Random, pieces: list[bytes], size: int) -> bytes:
    """Return a thought of about `size` bytes of JSON."""
    chosen: list[bytes] = []
    length = 0
    while length < size:
        piece = chooser.choice(pieces)
        chosen.append(piece)
        length += len(piece)
    return b"".join(chosen)


def build(
    folder: Path,
    seeds: int = 16,
    problems: int = 30,
    shortest: int = SHORTEST,
    longest: int = LONGEST,
    tags: bool = True,
) -> int:
    """Write the corpus, the same each time, and return its size in bytes; each text is in it twice.

    Without `tags` no thought is marked as one.
    """
    folder.mkdir(parents=True, exist_ok=True)
    chooser = random.Random(20)
    kinds = paragraphs(chooser, _PLAIN * 12 + _QUOTED), paragraphs(chooser, _PLAIN * 12 + _OTHER * 24 + _QUOTED)
    total = 0
    for seed in range(42, 42 + seeds):
        with (folder / f"output-rs{seed}.jsonl").open("wb") as file:
            for number in range(problems):
                pieces = kinds[chooser.random() < NON_ASCII]
                text = thought(chooser, pieces, chooser.randint(shortest, longest))
                answer = 3 * number + 5
                given = answer if chooser.random() < 0.6 else answer + 1
                ending = json.dumps(chooser.choice(_ENDINGS).format(p=given))[1:-1].encode()
                said = (b"<think>\\n" + text + b"</think>\\n\\n" if tags else text + b"\\n\\n") + ending
                record = {
                    "id": f"made-{number}",
                    "problem": f"Made-up problem {number}: how many pairs are there?",
                    "expected_answer": str(answer),
                    "num_generated_tokens": len(text) // 4,
                    "finish_reason": "stop",
                    "generation_start_time": 1.7e9 + number,
                    "generation_end_time": 1.7e9 + number + 60,
                    "generation_time": 60.0,
                }
                head = json.dumps(record)[:-1].encode()
                total += file.write(
                    head + b', "generation": "' + said + b'", "serialized_output": [{"role": "assistant", "content": "'
                    + said + b'"}], "seedbed": {"status": "ok", "seed": ' + str(seed).encode() + b"}}\n"
                )  # fmt: skip
    return total
