"""The page as one file: its places, its policy, its sizes, and what happens where it cannot be written."""

import base64
import hashlib
import html.parser
import json
import re
from pathlib import Path

import pytest

from seedbed.config.settings import load
from seedbed.core.errors import InputError
from seedbed.core.schema import read_yaml
from seedbed.records import paths
from seedbed.report import document, page
from tests.reportplace import HOSTILE, Size, lay, report

SIZE = Size(models=1, benchmarks=2, seeds=3, problems=6, characters=8_000)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small run with its report."""
    folder = lay(tmp_path_factory.mktemp("page") / "run", SIZE)
    assert report(folder).returncode == 0
    return folder


class Elements(html.parser.HTMLParser):
    """Collects the scripts of a page as a browser splits it, and what it would load."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.loaded: list[str | None] = []
        self.policy: str | None = ""
        self._inside: dict[str, str | None] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if known.get("http-equiv") == "Content-Security-Policy":
            self.policy = known["content"]
        self.loaded += [known[name] for name in ("src", "href") if name in known]
        if tag == "script":
            self._inside = known
            self.scripts.append((known, ""))

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self.scripts[-1] = (self._inside, self.scripts[-1][1] + data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "script":
            self._inside = None


def elements(path: Path) -> Elements:
    """Return the elements of a page."""
    found = Elements()
    found.feed(path.read_text(encoding="utf-8"))
    return found


def test_the_policy_allows_just_the_scripts_of_the_page_and_files_beside_it(place: Path) -> None:
    found = elements(place / "results/report.html")
    code = [text for attributes, text in found.scripts if attributes.get("type") != "application/json"]
    hashes = {f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in code}
    assert len(code) == 2
    assert found.policy is not None
    allowed = dict(part.strip().split(" ", 1) for part in found.policy.split(";"))
    assert set(allowed["script-src"].split()) == {*hashes, "'self'", "file:"}
    assert allowed["default-src"] == allowed["connect-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"


def test_the_page_loads_nothing_from_elsewhere(place: Path) -> None:
    found = elements(place / "results/report.html")
    assert [one for one in found.loaded if one and re.match(r"(?:https?:)?//", one)] == []


def test_the_data_is_one_block_that_no_text_can_end(place: Path) -> None:
    found = elements(place / "results/report.html")
    (data,) = [text for attributes, text in found.scripts if attributes.get("id") == "data"]
    assert data.isascii()
    assert "<" not in data
    assert json.loads(data)["folder"] == "run"


def test_a_skeleton_must_have_each_place_once() -> None:
    assert page.filled("a {{x}} b {{y}}", {"x": "{{y}}", "y": "2"}) == "a {{y}} b 2"
    for skeleton in ("{{x}}", "{{x}} {{y}} {{x}}", "{{x}} {{y}} {{z}}"):
        with pytest.raises(InputError, match=r"page\.html"):
            page.filled(skeleton, {"x": "1", "y": "2"})


def test_a_title_and_a_name_are_escaped() -> None:
    assert page.embedded("texts", 'a"<b', "[]") == (
        '<script type="application/json" data-call="texts" data-name="a&quot;&lt;b">[]</script>'
    )


def test_the_library_is_found_without_its_package_and_ends_no_script() -> None:
    library = page.charts_library()
    assert "plotly.js v4" in library[:200]
    assert "</script" not in library.lower()


def test_a_missing_library_is_told_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"plotly is not installed: expected the environment of envs/run\.lock"):
        page.charts_library()


def test_a_single_file_holds_all_texts_and_samples(place: Path) -> None:
    done = report(place, "--single-file", "--out", "one.html")
    assert (done.returncode, done.stderr) == (0, "")
    assert re.fullmatch(r"one\.html: \d\.\d MB\n", done.stdout)
    found = elements(place / "one.html")
    blocks = {attributes.get("data-name"): text for attributes, text in found.scripts if "data-call" in attributes}
    calls = [attributes["data-call"] for attributes, _ in found.scripts if "data-call" in attributes]
    assert (calls.count("samples"), calls.count("problems"), calls.count("texts")) == (2, 2, 5)
    texts = json.loads(blocks["alder/sums/rs42-0"])
    assert HOSTILE in texts[0]["text"]
    assert texts[0]["cut"] == 0
    assert set(json.loads(blocks["sums"])) == {f"sums-00{number}" for number in range(6)}


def test_a_single_file_stays_below_its_size_by_leaving_out_the_middle_of_texts(place: Path) -> None:
    bare = (place / "results/report.html").stat().st_size / 1e6
    limit = bare + 0.1
    assert report(place, "--single-file", "--out", "small.html", "--max-mb", f"{limit}").returncode == 0
    assert (place / "small.html").stat().st_size <= 1e6 * limit
    found = elements(place / "small.html")
    texts = [
        text
        for attributes, block in found.scripts
        if attributes.get("data-call") == "texts"
        for text in json.loads(block)
    ]
    assert sum(text["cut"] > 0 for text in texts) > 20
    assert all(len(text["text"]) <= 5_000 for text in texts)


def test_what_does_not_fit_is_left_out_and_the_page_says_so(place: Path) -> None:
    bare = (place / "results/report.html").stat().st_size
    files = [
        *(place / "results/report-data").rglob("samples.js"),
        *(place / "results/report-data").rglob("problems.js"),
    ]
    tables = sum(path.stat().st_size for path in files)
    for more, kinds, said in (
        (tables + 2_000, {"problems", "samples"}, "the generations are left out"),
        (1_000, set(), "the generations and the problems and the tables of samples are left out"),
    ):
        limit = (bare + more) / 1e6
        assert report(place, "--single-file", "--out", "bare.html", "--max-mb", f"{limit}").returncode == 0
        assert (place / "bare.html").stat().st_size <= 1e6 * limit
        found = elements(place / "bare.html")
        assert {attributes["data-call"] for attributes, _ in found.scripts if "data-call" in attributes} == kinds
        (data,) = [json.loads(text) for attributes, text in found.scripts if attributes.get("id") == "data"]
        assert data["findings"][-1]["text"].startswith(said)
        assert all(pair["chunks"] == {} for pair in data["pairs"])


def test_a_size_that_cannot_be_kept_is_refused_in_one_line(place: Path) -> None:
    done = report(place, "--single-file", "--max-mb", "1", "--out", "none.html")
    assert done.returncode == 2
    assert re.fullmatch(r"error: --max-mb 1: found \d\.\d MB for the page alone; .*\n", done.stderr)
    assert not (place / "none.html").exists()


@pytest.mark.parametrize("arguments", [["--out", "x.html"], ["--max-mb", "3"]])
def test_options_of_a_single_file_are_refused_without_it(place: Path, arguments: list[str]) -> None:
    done = report(place, *arguments)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {arguments[0]}: expected --single-file beside it")


def test_outside_of_a_run_it_is_refused_in_one_line(tmp_path: Path) -> None:
    done = report(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("results/config.yaml: there is no such file; expected the folder of a run\n")


def test_a_report_that_cannot_be_written_is_one_line_and_no_error(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    settings = load(read_yaml(paths.CONFIG), str(paths.CONFIG), [paths.CONFIG.parent])
    assert document.write_and_describe(settings, {}, None) == "report: results/report.html"
    before = paths.REPORT.read_bytes()

    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied", "results/report.html")

    monkeypatch.setattr("seedbed.core.files.write", refuse)
    line = document.write_and_describe(settings, {}, None)
    assert line.startswith("report: results/report.html could not be written: ")
    assert "Permission denied" in line
    assert "\n" not in line
    monkeypatch.setattr(document, "gather", lambda *_: 1 / 0)
    assert document.write_and_describe(settings, {}, None).endswith(
        "could not be written: ZeroDivisionError: division by zero"
    )
    assert paths.REPORT.read_bytes() == before
