"""Exporters that run beside a test, and what Prometheus reads there."""

import gzip
import re
import subprocess
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from prometheus_client.parser import text_string_to_metric_families

from tests.support.cli import running_kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

SOON: Final = ("--interval", "1", "--check-interval", "0")

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


class Exported:
    """What was exported, by the names and labels of Prometheus."""

    def __init__(self, text: str) -> None:
        self.samples: Samples = {
            (sample.name, tuple(sorted(sample.labels.items()))): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    def get(self, name: str, **values: object) -> float | None:
        return self.samples.get((name, tuple(sorted((k, str(v)) for k, v in values.items()))))

    def values(self, name: str, label: str) -> set[str]:
        """The values that *label* has in the samples of *name*."""
        return {dict(pairs)[label] for each, pairs in self.samples if each == name}


class Scraped:
    """An exporter that runs beside the test."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str) -> None:
        self.process = process
        self.url = url

    def scrape(self) -> Exported:
        wanted = urllib.request.Request(self.url, headers={"Accept-Encoding": "gzip"})
        with urllib.request.urlopen(wanted, timeout=OUTER_LIMIT_S) as answer:
            return Exported(gzip.decompress(answer.read()).decode())

    def scrape_until(self, name: str, value: float | None, **labels: object) -> Exported:
        """Scrape until *name* has *value*, None where it is gone; returns that scrape."""
        last: list[Exported] = []

        def is_there() -> bool:
            last[:] = [self.scrape()]
            return last[0].get(name, **labels) == value

        wait_until(is_there, what=f"{name} {labels} of {value}")
        return last[0]


@contextmanager
def exporting(*arguments: str) -> Iterator[Scraped]:
    with running_kadmin("export", *SOON, "--listen", "127.0.0.1:0", *arguments) as process:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        match = re.search(r"metrics are at (http://\S+/metrics)$", line.strip())
        assert match is not None, line
        yield Scraped(process, match[1])
