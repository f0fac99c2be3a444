"""Series and samples as an endpoint reported them, under one set of names.

Reads nothing: endpoints are read by `kadmin.admin.metrics`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

ESCAPED: Final = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})

Labels = tuple[tuple[str, str], ...]
"""In order of their names."""


class Series(NamedTuple):
    """A name, as jmx_exporter's rules for Kafka have it, and labels; as a text in Prometheus's
    form, on one line."""

    name: str
    labels: Labels

    def __str__(self) -> str:
        if not self.labels:
            return self.name
        labels = ",".join(f'{key}="{value.translate(ESCAPED)}"' for key, value in self.labels)
        return f"{self.name}{{{labels}}}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrape:
    """What one endpoint reported at *at_s*, by a monotonic clock: values by name and labels."""

    at_s: float
    samples: Mapping[str, Mapping[Labels, float]]


class SampleCollection:
    """Samples of a `Scrape` that is being read; of a series that comes twice, the last counts."""

    def __init__(self) -> None:
        self._samples: dict[str, dict[Labels, float]] = {}

    def add(self, name: str, labels: Mapping[str, str], value: float) -> None:
        self._samples.setdefault(name, {})[tuple(sorted(labels.items()))] = value

    def scrape(self, at_s: float) -> Scrape:
        return Scrape(at_s=at_s, samples=self._samples)

    def __len__(self) -> int:
        return sum(map(len, self._samples.values()))
