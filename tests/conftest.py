"""No test is skipped in silence: one line at the end for each reason, and in CI a failure where a program is missing.

`@pytest.mark.needs_shared("golden")` marks a test that reads ../shared/golden, which is not part of this repository.
"""

import os
from collections import Counter

import pytest

from tests.shared import SHARED

REQUIRED_IN_CI = ("Chromium", "axe-core", "Slurm", "Dynamo")


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers of all tests."""
    config.addinivalue_line("markers", "needs_shared(path): reads a file of ../shared, which is not in this repository")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests whose files of ../shared are not on this machine."""
    for item in items:
        for marker in item.iter_markers("needs_shared"):
            if not (SHARED / marker.args[0]).exists():
                missing = SHARED / marker.args[0] if SHARED.is_dir() else SHARED
                item.add_marker(pytest.mark.skip(reason=f"needs_shared: {missing} is not on this machine"))


def skipped(config: pytest.Config) -> Counter[str]:
    """Return how many tests were skipped for each reason."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    found: Counter[str] = Counter()
    for report in reporter.stats.get("skipped", []) if reporter else []:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found[reason.removeprefix("Skipped: ")] += 1
    return found


def missing_in_ci(reasons: Counter[str]) -> list[str]:
    """Return the reasons that are failures in CI: a program is missing that CI must have."""
    if os.environ.get("CI", "").lower() not in ("true", "1"):
        return []
    return [reason for reason in reasons if any(name.lower() in reason.lower() for name in REQUIRED_IN_CI)]


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """End with a failure in CI where tests were skipped for a missing program."""
    if session.exitstatus == pytest.ExitCode.OK and missing_in_ci(skipped(session.config)):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Write one line for each reason for which tests were skipped."""
    reasons = skipped(config)
    failed = missing_in_ci(reasons)
    for reason, count in sorted(reasons.items()):
        word = "FAILED in CI" if reason in failed else "skipped"
        terminalreporter.write_line(f"{word}: {count} test{'s' * (count > 1)}: {reason}")
