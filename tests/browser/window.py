"""A page in a real Chromium, and all that it said, asked for and stumbled over since it was opened."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, ViewportSize, sync_playwright

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
WIDE = ViewportSize(width=1280, height=860)
PHONE = ViewportSize(width=390, height=844)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield Debian's Chromium; skips with the reason where there is none and it is not called for."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        if os.environ.get("SEEDBED_NEEDS_CHROMIUM"):
            raise FileNotFoundError("chromium: expected on PATH; tests/browser/run.sh installs it")
        pytest.skip("no Chromium here: make test-browser installs it")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"] if os.getuid() == 0 else [])
        yield browser
        browser.close()


class Window:
    """A page and what happened in it."""

    def __init__(self, browser: Browser, size: ViewportSize = WIDE, **context: Any) -> None:
        """Open an empty page; `context` is what Playwright takes: color_scheme, reduced_motion, …"""
        self.page: Page = browser.new_context(viewport=size, **context).new_page()
        self.page.set_default_timeout(60_000)
        self.errors: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self._told(message.type, message.text))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("dialog", self._asked)
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("popup", lambda _: self.errors.append("a window was opened"))

    def _told(self, kind: str, text: str) -> None:
        """Keep what the console was told in earnest: errors, and what the policy refused."""
        if kind in {"error", "warning"}:
            self.errors.append(text)

    def _asked(self, dialog: Dialog) -> None:
        """Keep that a dialog was opened, and close it."""
        self.errors.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def open(self, report: Path, place: str = "") -> "Window":
        """Open a report at a place of it, and wait until it is built; returns the window."""
        self.page.goto("about:blank")
        self.page.goto(report.as_uri() + place)
        self.page.wait_for_selector("html.ready", state="attached")
        return self

    def view(self, report: Path, pair: str, sample: str, rest: str = "") -> "Window":
        """Open a report with one sample in the viewer; returns the window."""
        self.open(report, f"#sample={pair}/{sample}{rest}")
        self.page.wait_for_selector("#viewer .facts-list")
        return self

    def scrolled(self) -> "Window":
        """Draw every chart by passing it; returns the window."""
        height = int(self.page.evaluate("document.documentElement.scrollHeight"))
        for place in range(0, height, 500):
            self.page.evaluate(f"window.scrollTo({{top: {place}, behavior: 'instant'}})")
            self.page.wait_for_timeout(40)
        self.page.wait_for_function(
            "[...document.querySelectorAll('.plot')].every((plot) => plot.querySelector('svg'))"
        )
        self.page.evaluate("window.scrollTo({top: 0, behavior: 'instant'})")
        return self

    def violations(self) -> list[str]:
        """Return what axe-core finds wrong with the page as it is: rule, element, why."""
        if not AXE.is_file():
            pytest.skip("no axe-core here: npm --prefix tests/browser ci")
        self.page.evaluate(AXE.read_text(encoding="utf-8"))
        found = self.page.evaluate("axe.run().then((told) => told.violations)")
        return [
            f"{rule['id']}: {node['html'][:160]}: {node['failureSummary'][:300]}"
            for rule in found
            for node in rule["nodes"]
        ]

    def outside(self) -> list[str]:
        """Return what was asked for that is no file of this disk."""
        return [url for url in self.asked if not url.startswith(("file:", "data:", "blob:", "about:"))]

    def counted(self, selector: str) -> int:
        """Return how many elements there are."""
        return self.page.locator(selector).count()

    def focused(self) -> str:
        """Return the text or the label of what has the focus."""
        return str(
            self.page.evaluate(
                "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent).trim()"
            )
        )
