"""What the metrics of brokers show, read from their endpoints for Prometheus or Jolokia."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kadmin.admin.metrics.endpoints import Endpoint
from kadmin.app.evidence import now_ms
from kadmin.app.metrics import MetricsLooks, MetricsSelection
from kadmin.app.session import Session
from kadmin.plan.metrics.report import EndpointRow, MeasureRow, MetricsReport

BYTES_IN: Final = "bytes in"
BYTES_OUT: Final = "bytes out"

Endpoints = Callable[[], Sequence[Endpoint]]
"""Returns the endpoints, each with the id of its broker as its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The metrics of brokers at *at_ms*; ages of *report* are as of then."""

    at_ms: int
    report: MetricsReport

    def number(self, title: str, broker: int) -> float | None:
        """Return a measure of *broker*; None where it reports none."""
        rows = (row for row in self.report.rows if row.title == title)
        return next((row.by_broker.get(str(broker)) for row in rows), None)

    def rows_of(self, broker: int) -> list[tuple[MeasureRow, float]]:
        """Return what *broker* reports."""
        found = ((row, row.by_broker.get(str(broker))) for row in self.report.rows)
        return [(row, number) for row, number in found if number is not None]

    def endpoint_of(self, broker: int) -> EndpointRow | None:
        return next((each for each in self.report.endpoints if each.name == str(broker)), None)

    def answered_ms(self, broker: int) -> int | None:
        """Return when *broker* answered last; None where it never has."""
        endpoint = self.endpoint_of(broker)
        if endpoint is None or endpoint.age_s is None:
            return None
        return self.at_ms - round(1000 * endpoint.age_s)


class MetricsReader:
    """Reads the endpoints that *find* returns; remembers the look before, for what happens a
    second."""

    def __init__(self, session: Session, find: Endpoints) -> None:
        self.session = session
        self.find = find
        self._endpoints: tuple[Endpoint, ...] = ()
        self._looks: MetricsLooks | None = None

    def read(self) -> Measured:
        """Read all endpoints.

        Raises:
            SilentEndpoints: none of them answers.
            KadminError: there is none.
        """
        self.session.look_again()
        endpoints = tuple(self.find())
        # Brokers that start anew may listen on other ports.
        if self._looks is None or endpoints != self._endpoints:
            self._endpoints = endpoints
            self._looks = MetricsLooks(endpoints, MetricsSelection(), self.session.budget)
        report = self._looks.look()
        if len(self._looks.failed) == len(endpoints):
            self._looks.require_answers()
        return Measured(at_ms=now_ms(), report=report)
