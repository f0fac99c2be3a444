"""What a run of the tests has left out because this machine lacks something, said at its very end.

Such tests are skipped and fail nothing, so that a run without them looks as green as a whole one.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import pytest

MAVEN: Final = "Maven: "
LACKS: Final = (MAVEN, "PyPI: ", " is not installed")
"""What the reasons of such skips have in them."""


def lacking(reports: Iterable[pytest.TestReport | pytest.CollectReport]) -> Counter[str]:
    """How many tests were skipped for which want; those that are skipped for good do not count."""
    wants: Counter[str] = Counter()
    for report in reports:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else ""
        if any(words in reason for words in LACKS):
            wants[reason.removeprefix("Skipped: ")] += 1
    return wants


def say_what_was_not_run(config: pytest.Config) -> None:
    """Below everything else that pytest prints; nothing where all has run."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    wants = lacking(terminal.stats.get("skipped", ())) if terminal is not None else Counter()
    if terminal is None or not wants:
        return
    terminal.write_sep("!", f"NOT RUN: {wants.total()} tests", red=True, bold=True)
    for reason, count in wants.most_common():
        whose = ", with real Kafka and ZooKeeper releases" if MAVEN in reason else ""
        terminal.write_line(f"{count} of them{whose}: {reason}", red=True)
