"""Metrics of a cluster: looks at its endpoints, of which rates, ages and histories are made."""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from kadmin.admin.metrics.endpoints import Endpoint, read_endpoints
from kadmin.budget import Budget
from kadmin.errors import KadminError, UnreachableError
from kadmin.plan.metrics.measures import OF_CLUSTER, Measure, of_pattern, of_topic
from kadmin.plan.metrics.report import EndpointLooks, MetricsReport, report_of
from kadmin.wording import with_reasons

HISTORY_MAX: Final = 40
"""Looks that a sparkline has at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsSelection:
    """Which series: the usual measures, or those whose names the glob *pattern* matches; of
    topics, those that the glob *topic* matches."""

    pattern: str | None = None
    topic: str | None = None

    @property
    def is_usual(self) -> bool:
        return self.pattern is None and self.topic is None

    def measures(self, looks: Sequence[EndpointLooks]) -> Sequence[Measure]:
        if self.pattern is not None:
            scrapes = [each.now for each in looks if each.now is not None]
            return of_pattern(self.pattern, self.topic, scrapes)
        return OF_CLUSTER if self.topic is None else of_topic(self.topic)


class SilentEndpoints(UnreachableError):
    """Endpoints of metrics did not answer; what others reported is shown."""

    def __init__(self, failed: Sequence[EndpointLooks]) -> None:
        names = with_reasons((f"{each.name} ({each.url})", str(each.problem)) for each in failed)
        super().__init__(
            f"no metrics of {names}",
            hint="see whether the address is right, and whether the broker runs:"
            " kadmin brokers --list",
        )


class NoSuchSeries(KadminError):
    """The selection fits no series of the endpoints."""

    def __init__(self, selection: MetricsSelection) -> None:
        topic = "" if selection.topic is None else f" of topic '{selection.topic}'"
        super().__init__(
            f"no endpoint reports a series{topic} that '{selection.pattern}' matches",
            hint="see the names of all: kadmin metrics --metric '*'",
        )
        self.selection = selection


class MetricsLooks:
    """Looks at *endpoints*, of which rates and histories are made."""

    def __init__(
        self, endpoints: Sequence[Endpoint], selection: MetricsSelection, budget: Budget
    ) -> None:
        self._endpoints = tuple(endpoints)
        self._selection = selection
        self._budget = budget
        self._looks = [EndpointLooks(name=each.name, url=each.url) for each in endpoints]
        self.histories: dict[str, deque[float | None]] = {}
        """The cluster's numbers at the last looks, by the titles of measures."""

    def look(self) -> MetricsReport:
        """Read all endpoints once; numbers of those that fail stay what they were, and age."""
        with self._budget.spending() as left_s:
            found = read_endpoints(self._endpoints, left_s, is_usual=self._selection.is_usual)
        for index, each in enumerate(self._looks):
            answer = found[each.name]
            if isinstance(answer, str):
                self._looks[index] = replace(each, problem=answer)
            else:
                self._looks[index] = replace(each, before=each.now, now=answer, problem=None)
        report = report_of(self._looks, self._selection.measures(self._looks), time.monotonic())
        for row in report.rows:
            self.histories.setdefault(row.title, deque(maxlen=HISTORY_MAX)).append(row.value)
        return report

    @property
    def failed(self) -> list[EndpointLooks]:
        return [each for each in self._looks if each.problem is not None]

    @property
    def are_all_silent(self) -> bool:
        """Whether no endpoint has ever answered."""
        return all(each.now is None for each in self._looks)

    def require_series(self, report: MetricsReport) -> None:
        """Raise NoSuchSeries if endpoints have answered, and *report* has no series of theirs."""
        if not report.rows and not self.failed:
            raise NoSuchSeries(self._selection)

    def require_answers(self) -> None:
        """Raise SilentEndpoints if the last look at one of them failed."""
        if self.failed:
            raise SilentEndpoints(self.failed)
