"""Measures: what an operator on call wants of a cluster's metrics, each one number a broker.

A measure takes the samples of some series and combines them: those of one broker, and then the
numbers of all brokers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from math import isfinite
from typing import Final

from kadmin.plan.metrics.samples import Scrape, Series


class Unit(StrEnum):
    """Units of measures; empty for a number of things."""

    COUNT = ""
    PER_SECOND = "/s"
    BYTES_PER_SECOND = "B/s"
    BYTES = "B"
    MS = "ms"
    SHARE = "share"
    RECORDS = "records"


class Combine(StrEnum):
    """How several numbers become one."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


COMBINED: Final[Mapping[Combine, Callable[[Iterable[float]], float]]] = {
    Combine.SUM: sum,
    Combine.MAX: max,
    Combine.MIN: min,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One number of each broker: of the first of the series *names* that it reports.

    *labels* are those that a series must have; None is for a label that it must not have.  A rate
    is the growth a second between two looks.
    """

    title: str
    names: tuple[str, ...]
    labels: Mapping[str, str | None] = field(default_factory=dict)
    combine: Combine = Combine.SUM
    unit: Unit = Unit.COUNT
    wanted: float | None = None
    """What it is in a healthy cluster; None where that depends."""

    @property
    def is_combined(self) -> bool:
        """Whether the numbers of all brokers make one of the cluster."""
        return True

    @property
    def is_rate(self) -> bool:
        return self.unit in (Unit.PER_SECOND, Unit.BYTES_PER_SECOND)

    def matching(self, scrape: Scrape) -> Sequence[float]:
        for name in self.names:
            found = [
                value
                for labels, value in scrape.samples.get(name, {}).items()
                if self.fits(dict(labels))
            ]
            if found:
                return found
        return ()

    def fits(self, labels: Mapping[str, str]) -> bool:
        return all(
            key not in labels if wanted is None else has_label(labels, key, wanted)
            for key, wanted in self.labels.items()
        )

    def of(self, scrape: Scrape) -> float | None:
        """Return the number of the broker of *scrape*, before it becomes a rate; NaN and infinite
        ones are not known."""
        found = [value for value in self.matching(scrape) if isfinite(value)]
        return COMBINED[self.combine](found) if found else None

    def rate(self, before: Scrape, now: Scrape) -> float | None:
        """Return the growth a second; None where the broker has started anew in between."""
        first, second = self.of(before), self.of(now)
        passed_s = now.at_s - before.at_s
        if first is None or second is None or passed_s <= 0 or second < first:
            return None
        return (second - first) / passed_s


def has_label(labels: Mapping[str, str], key: str, pattern: str) -> bool:
    """Return whether there is a label *key*, and the glob *pattern* matches its value: the series
    of all topics is none of the topic `*`."""
    return key in labels and fnmatchcase(labels[key], pattern)


CONTROLLER: Final = "kafka_controller_kafkacontroller_"
REPLICA_MANAGER: Final = "kafka_server_replicamanager_"
TOPICS: Final = "kafka_server_brokertopicmetrics_"
REQUESTS: Final = "kafka_network_requestmetrics_"
HANDLERS: Final = "kafka_server_kafkarequesthandlerpool_requesthandleravgidle"
NETWORK: Final = "kafka_network_socketserver_networkprocessoravgidle"


def total(title: str, name: str, unit: Unit, topic: str | None = None) -> Measure:
    return Measure(
        title=title, names=(f"{TOPICS}{name}_total",), labels={"topic": topic}, unit=unit
    )


def p99(request: str) -> Measure:
    return Measure(
        title=f"{request} p99",
        names=(f"{REQUESTS}totaltimems",),
        labels={"request": request, "quantile": "0.99"},
        combine=Combine.MAX,
        unit=Unit.MS,
    )


OF_CLUSTER: Final = (
    Measure(title="controllers", names=(f"{CONTROLLER}activecontrollercount",), wanted=1),
    Measure(
        title="offline partitions",
        names=(f"{CONTROLLER}offlinepartitionscount",),
        combine=Combine.MAX,
        wanted=0,
    ),
    Measure(
        title="under min ISR", names=(f"{REPLICA_MANAGER}underminisrpartitioncount",), wanted=0
    ),
    Measure(
        title="under-replicated", names=(f"{REPLICA_MANAGER}underreplicatedpartitions",), wanted=0
    ),
    Measure(
        title="offline log directories",
        names=("kafka_log_logmanager_offlinelogdirectorycount",),
        wanted=0,
    ),
    Measure(title="replicas", names=(f"{REPLICA_MANAGER}partitioncount",)),
    Measure(title="leaders", names=(f"{REPLICA_MANAGER}leadercount",)),
    total("messages in", "messagesin", Unit.PER_SECOND),
    total("bytes in", "bytesin", Unit.BYTES_PER_SECOND),
    total("bytes out", "bytesout", Unit.BYTES_PER_SECOND),
    total("failed produce requests", "failedproducerequests", Unit.PER_SECOND),
    total("failed fetch requests", "failedfetchrequests", Unit.PER_SECOND),
    p99("Produce"),
    p99("FetchConsumer"),
    p99("FetchFollower"),
    Measure(
        title="request handlers idle",
        names=(f"{HANDLERS}_percent", f"{HANDLERS}percent"),
        combine=Combine.MIN,
        unit=Unit.SHARE,
    ),
    Measure(
        title="network idle",
        names=(f"{NETWORK}_percent", f"{NETWORK}percent"),
        combine=Combine.MIN,
        unit=Unit.SHARE,
    ),
    Measure(
        title="largest replica lag",
        names=("kafka_server_replicafetchermanager_maxlag",),
        combine=Combine.MAX,
        unit=Unit.RECORDS,
    ),
    Measure(
        title="ISR shrinks", names=(f"{REPLICA_MANAGER}isrshrinks_total",), unit=Unit.PER_SECOND
    ),
)
"""The usual selection."""


def of_topic(topic: str) -> tuple[Measure, ...]:
    """Return the measures of the topics that the glob *topic* matches."""
    labels = {"topic": topic}
    partition = "kafka_cluster_partition_"
    return (
        total("messages in", "messagesin", Unit.PER_SECOND, topic),
        total("bytes in", "bytesin", Unit.BYTES_PER_SECOND, topic),
        total("bytes out", "bytesout", Unit.BYTES_PER_SECOND, topic),
        Measure(title="under min ISR", names=(f"{partition}underminisr",), labels=labels, wanted=0),
        Measure(
            title="under-replicated",
            names=(f"{partition}underreplicated",),
            labels=labels,
            wanted=0,
        ),
        Measure(
            title="size of logs",
            names=("kafka_log_log_size", "kafka_log_size"),
            labels=labels,
            unit=Unit.BYTES,
        ),
        Measure(
            title="largest replica lag",
            names=("kafka_server_fetcherlagmetrics_consumerlag",),
            labels=labels,
            combine=Combine.MAX,
            unit=Unit.RECORDS,
        ),
    )


def of_pattern(pattern: str, topic: str | None, scrapes: Iterable[Scrape]) -> list[Measure]:
    """Return a measure for each series of *scrapes* whose name the glob *pattern* matches, by
    name; with *topic* only those of topics that this glob matches."""
    found = {
        Series(name, labels)
        for scrape in scrapes
        for name, values in scrape.samples.items()
        if fnmatchcase(name, pattern.lower())
        for labels in values
        if topic is None or has_label(dict(labels), "topic", topic)
    }
    return [OneSeries(title=str(each), names=(each.name,), series=each) for each in sorted(found)]


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSeries(Measure):
    """The value of one series as it is; those of several brokers are not combined."""

    series: Series

    @property
    def is_combined(self) -> bool:
        return False

    def matching(self, scrape: Scrape) -> Sequence[float]:
        value = scrape.samples.get(self.series.name, {}).get(self.series.labels)
        return () if value is None else (value,)
