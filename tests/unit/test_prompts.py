from seedbed.datasets.rows import fields, render


def test_only_names_of_row_fields_are_replaced() -> None:
    template = r"Put it in \boxed{}. {problem} {unknown} {x + 1} {{problem}} \frac{1}{2}"
    assert render(template, {"problem": "P"}) == r"Put it in \boxed{}. P {unknown} {x + 1} {P} \frac{1}{2}"


def test_braces_inside_a_row_stay_literal() -> None:
    assert render("{problem}", {"problem": "{id} and \\1", "id": "7"}) == "{id} and \\1"


def test_the_names_a_template_takes_are_known() -> None:
    assert fields("{problem} of {A}, \\boxed{}") == {"problem", "A"}
