"""Small data of our own in the true column shape of each public set, for sources that stand in for the real ones.

`python -m tests.catalogue.shapes` writes ten-options.parquet anew.
"""

import csv
import io
import json
import tarfile
from pathlib import Path
from typing import Any

PARQUET = Path(__file__).parent / "ten-options.parquet"
PRE_REVISION = [f"Pre-Revision {name}" for name in ("Question", "Correct Answer", "Incorrect Answer 1", "Explanation")]


def expert_choices(count: int = 12) -> list[dict[str, str]]:
    """Return rows as in gpqa_diamond.csv: the right option apart from three wrong ones."""
    return [
        {
            **dict.fromkeys(PRE_REVISION, "an earlier wording"),
            "Question": f"\nWhich number, of those below, is {number} plus\n{number}?\n",
            "Correct Answer": f" {2 * number} [title]of  all\n",
            "Incorrect Answer 1": f"{2 * number + 1}",
            "Incorrect Answer 2": "" if number == 5 else f"{2 * number + 2}, they say",
            "Incorrect Answer 3": f"“{2 * number + 3}”",
            "Explanation": "Count." if number != 3 else "",
            "Subdomain": "Counting (general)" if number % 3 else "Halves",
            "Writer's Difficulty Estimate": "Hard undergraduate level (could be a question on a hard exam)"
            if number != 7
            else "",
            "High-level domain": "Arithmetic",
            "Record ID": f"rec{number:04}",
        }
        for number in range(count)
    ]


def expert_csv() -> bytes:
    """Return the file of `expert_choices`."""
    rows, text = expert_choices(), io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def ten_options() -> list[dict[str, Any]]:
    """Return rows as in MMLU-Pro's test split: three to ten options, the answer by letter and number."""
    rows = []
    for number in range(24):
        size, right = 3 + number % 8, number % (3 + number % 8)
        options = [str(number + 1 + (place - right)) for place in range(size)]
        rows.append(
            {
                "question_id": 70 + number,
                "question": f"\nWhat is {number} plus 1?" if number % 2 else f"What is {number} plus 1, ≥ 0?\n",
                "options": options,
                "answer": "ABCDEFGHIJ"[right],
                "answer_index": right,
                "cot_content": "",
                "category": ("computer science", "law", "other")[number % 3],
                "src": "ours",
            }
        )
    return rows


SUBJECTS = ("abstract_algebra", "virology", "high_school_us_history")


def subjects_tar() -> bytes:
    """Return an archive as data.tar of MMLU: a csv without a head a subject, in folders dev, test and val."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w") as archive:
        for split in ("dev", "test", "val"):
            for subject in SUBJECTS:
                text = io.StringIO()
                rows = [
                    [
                        f'{subject}: what is\n"{n}" plus {n}?',
                        *(str(2 * n + (k - n) % 4) for k in range(4)),
                        "ABCD"[n % 4],
                    ]
                    for n in range(4 if split == "test" else 1)
                ]
                csv.writer(text).writerows(rows)
                member = tarfile.TarInfo(f"data/{split}/{subject}_{split}.csv")
                member.size = len(text.getvalue().encode())
                archive.addfile(member, io.BytesIO(text.getvalue().encode()))
        member = tarfile.TarInfo("data/README.txt")
        archive.addfile(member, io.BytesIO(b""))
    return content.getvalue()


def long_texts() -> bytes:
    """Return a list as in data.json of LongBench v2: four options in fields of their own, and a context."""
    rows = [
        {
            "_id": f"66f{number:021x}",
            "domain": "Single-Document QA" if number % 2 else "Code Repository Understanding",
            "sub_domain": "Counting",
            "difficulty": "easy" if number % 2 else "hard",
            "length": ("short", "medium", "long")[number % 3],
            "question": f"How many sheep are in the field, of {number}?",
            **{f"choice_{letter}": f"{number + place} sheep" for place, letter in enumerate("ABCD")},
            "answer": "ABCD"[number % 4],
            "context": "The field has a fence. " * 400 + f"There are {number} sheep. " + "It rains. " * 400,
        }
        for number in range(9)
    ]
    return json.dumps(rows, ensure_ascii=False).encode()


def mathematics() -> bytes:
    """Return lines as in the MATH-500 split: problem, solution, answer in LaTeX, subject, level, unique_id."""
    answers = [
        r"\frac{3}{4}",
        "12",
        r"\left( 3, \frac{\pi}{2} \right)",
        r"2\sqrt{5}",
        "x^2+1",
        r"\text{Evelyn}",
        "1,250",
    ]
    lines = [
        {
            "problem": f"Find the value that is named in part {number}.",
            "solution": f"It is $\\boxed{{{answer}}}$.",
            "answer": answer,
            "subject": "Algebra" if number % 2 else "Geometry",
            "level": 1 + number % 5,
            "unique_id": f"test/algebra/{number}.json",
        }
        for number, answer in enumerate(answers)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


def word_problems() -> bytes:
    """Return lines as in GSM8K's test.jsonl: an answer that ends in a line of four hashes and a number."""
    lines = [
        {
            "question": f"Ann has {number} apples and buys 1000 more. How many has she?",
            "answer": f"She has {number} + 1000 = <<{number}+1000={number + 1000}>>{number + 1000} apples.\n"
            f"#### {number + 1000:,}",
        }
        for number in range(5)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


SETS = {
    "gpqa-diamond": expert_csv,
    "mmlu": subjects_tar,
    "mmlu-pro": PARQUET.read_bytes,
    "longbench-v2": long_texts,
    "math-500": mathematics,
    "gsm8k": word_problems,
}
ROWS = {"gpqa-diamond": 12, "mmlu": 12, "mmlu-pro": 24, "longbench-v2": 9, "math-500": 7, "gsm8k": 5}


def main() -> None:
    """Write the parquet file as the hub's own writer would: snappy, dictionaries, several groups of rows."""
    import pyarrow
    from pyarrow import parquet

    table = pyarrow.Table.from_pylist(ten_options())
    parquet.write_table(table, PARQUET, compression="snappy", row_group_size=10, write_page_index=True)


if __name__ == "__main__":
    main()
