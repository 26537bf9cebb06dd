"""How long the report of 3 models × 4 benchmarks × 16 seeds takes to open in Chromium, and to show a sample.

python -m tests.bench.report_page [--times 5]
"""

import argparse
import statistics
import tempfile
from pathlib import Path
from time import perf_counter

from tests import reportplace
from tests.browser.window import Window, chromium

READY = "performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
PAINT = "performance.getEntriesByType('paint').find((one) => one.name === 'first-contentful-paint').startTime"


def main(times: int) -> None:
    """Print the medians of some openings, in ms."""
    with tempfile.TemporaryDirectory() as work:
        place = reportplace.lay(Path(work), reportplace.Size())
        reportplace.report(place)
        report = place / "results/report.html"
        figures: dict[str, list[float]] = {
            "first words on the screen": [],
            "built": [],
            "charts drawn": [],
            "sample shown": [],
        }
        with chromium() as browser:
            for _ in range(times):
                window = Window(browser).open(report)
                figures["first words on the screen"].append(window.page.evaluate(PAINT))
                figures["built"].append(window.page.evaluate(READY))
                before = perf_counter()
                window.page.locator("#charts").scroll_into_view_if_needed()
                window.page.wait_for_selector("#charts .plot svg")
                figures["charts drawn"].append(1000 * (perf_counter() - before))
                before = perf_counter()
                window.page.locator("#map .grid .cell").first.click()
                window.page.wait_for_selector("#viewer .passage")
                figures["sample shown"].append(1000 * (perf_counter() - before))
                window.page.context.close()
    for name, values in figures.items():
        print(f"{name:28} {statistics.median(values):6.0f} ms   ({min(values):.0f} to {max(values):.0f})")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.report_page", description=__doc__)
    parser.add_argument("--times", type=int, default=5)
    main(parser.parse_args().times)
