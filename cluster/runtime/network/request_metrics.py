"""Metrics of requests: how many, of which versions, how large, and where their time goes.

Source: Kafka's RequestChannel.Metrics and RequestMetrics.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from cluster.metrics.catalogue import network as beans
from cluster.metrics.registry import NS_PER_MS, MetricsRegistry
from cluster.metrics.reservoirs import PENDING_MAX, Histogram, Row
from cluster.model.error_codes import ErrorCode, error_name
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchRequest

COLUMNS: Final = (
    (beans.TOTAL_TIME, NS_PER_MS),
    (beans.LOCAL_TIME, NS_PER_MS),
    (beans.QUEUE_TIME, NS_PER_MS),
    (beans.REMOTE_TIME, NS_PER_MS),
    (beans.REQUEST_BYTES, 1),
)
"""What is measured of a request, and the unit in which it is shown; behind it stands its version.
"""
TOTAL, _, QUEUE, REMOTE, _ = range(len(COLUMNS))
P99: Final = 4
"""The place of the 99th percentile."""

NOTED_MAX: Final = 2 * PENDING_MAX
NO_ERROR: Final = int(ErrorCode.NONE)
FETCH_CONSUMER: Final = "FetchConsumer"
FETCH_FOLLOWER: Final = "FetchFollower"


class Immediate:
    """Requests of one API and version that were handled on arrival: times and sizes differ.

    To add and to count two numbers of each costs half of what a row does.
    """

    __slots__ = ("_kind", "key", "noted", "version")

    def __init__(self, kind: Callable[[ApiKey], "RequestKind"], key: ApiKey, version: int) -> None:
        self._kind = kind
        self.key = key
        self.version = version
        self.noted: list[int] = []
        """The time and the size of each, at most `NOTED_MAX`: a connection that adds the last one
        settles them."""

    def settle(self) -> None:
        """Count the requests that are noted."""
        noted = self.noted
        if noted:
            times = noted[::2]
            # Zeros; of all sequences this one counts them fastest.
            nothing = bytes(len(times))
            columns = (times, times, nothing, nothing, noted[1::2])
            self._kind(self.key).count_alike(columns, self.version)
            noted.clear()


class RequestKind:
    """The requests of one name."""

    __slots__ = ("_errors", "_looked_at", "_registry", "key", "name", "reservoir")

    def __init__(self, registry: MetricsRegistry, key: str | ApiKey) -> None:
        self.key = key
        self.name = name_of(key) if isinstance(key, ApiKey) else key
        self._registry = registry
        self._errors: Counter[int] = Counter()
        """By error code, of the answers that were looked at."""
        self._looked_at = 0
        self.reservoir = registry.reservoir(len(COLUMNS), self._count_versions)
        for column, (bean, unit) in enumerate(COLUMNS):
            histogram = Histogram(self.reservoir, column, unit=unit)
            registry.histograms(bean).put(histogram, self.name)

    def _count_versions(self, versions: Sequence[int]) -> None:
        for version, number in Counter(versions).items():
            self._count_version(version, number)

    def _count_version(self, version: int, number: int) -> None:
        self._registry.meters(beans.REQUESTS).of(self.name, str(version)).count += number

    def count_alike(self, columns: Sequence[Sequence[int]], version: int) -> None:
        """Count requests of one version, of which *columns* has the measurements."""
        self.reservoir.add_columns(columns)
        self._count_version(version, len(columns[TOTAL]))

    def count_errors(self, codes: Sequence[int]) -> None:
        """Count the error codes of an answer; those that are not looked at have that of success."""
        self._looked_at += 1
        if any(codes):
            self._errors.update(codes)
        else:
            self._errors[NO_ERROR] += len(codes)

    def version_refused(self) -> None:
        """Count the error of a request that has no row, since its version is unknown."""
        self._errors[ErrorCode.UNSUPPORTED_VERSION] += 1

    def errors(self) -> Counter[int]:
        """Return how often answers had each error code."""
        return self._errors + Counter({NO_ERROR: self.reservoir.count - self._looked_at})

    def settle_errors(self) -> None:
        """Bring the meters of errors up to date, once all is settled."""
        meters = self._registry.meters(beans.ERRORS)
        for code, number in self.errors().items():
            meters.of(self.name, error_name(code)).count = number

    def histogram(self, column: int) -> Histogram:
        return Histogram(self.reservoir, column, unit=NS_PER_MS)


class RequestMetrics:
    """Implements the port of connections; an API without requests has no metrics."""

    __slots__ = ("_immediate", "_kinds", "_registry", "_send_times")

    def __init__(self, registry: MetricsRegistry) -> None:
        self._registry = registry
        self._kinds: dict[str | ApiKey, RequestKind] = {}
        self._immediate: dict[tuple[ApiKey, int], Immediate] = {}
        self._send_times = registry.histograms(beans.SEND_TIME, unit=NS_PER_MS)
        registry.before_reading(self.settle)

    def settle(self) -> None:
        """Count what is pending."""
        for immediate in self._immediate.values():
            immediate.settle()
        for key, kind in self._kinds.items():
            kind.reservoir.settle()
            if isinstance(key, ApiKey):
                kind.settle_errors()

    def immediate(self, key: ApiKey, version: int) -> Immediate:
        """Return where requests of an API and *version* are noted that were handled on arrival."""
        immediate = self._immediate.get((key, version))
        if immediate is None:
            immediate = self._immediate[key, version] = Immediate(self.kind, key, version)
        return immediate

    def kind(self, key: str | ApiKey) -> RequestKind:
        """Return the requests of an API, or of another name."""
        kind = self._kinds.get(key)
        if kind is None:
            kind = self._kinds[key] = RequestKind(self._registry, key)
        return kind

    def answered(self, key: str | ApiKey, row: Row) -> None:
        """Record a request that was answered.

        *row* has, in nanoseconds, the total time since it arrived, and of that how long it was
        handled, how long it waited before, and how long after its handler had returned: for a
        disk, followers, ZooKeeper, or records to fetch; then its size and its version.
        """
        # Every request comes here: this is `kind` and `add` without the calls.
        try:
            reservoir = self._kinds[key].reservoir
        except KeyError:
            reservoir = self.kind(key).reservoir
        pending = reservoir.pending
        pending.append(row)
        if len(pending) >= PENDING_MAX:
            reservoir.settle()

    def count_errors(self, api_key: ApiKey, codes: Sequence[int]) -> None:
        """Count the error codes of an answer: none if it is not sent."""
        self.kind(api_key).count_errors(codes)

    def response_delayed(self, api_key: ApiKey, send_ns: int) -> None:
        """Record that a client took *send_ns* to receive an answer; most are received at once."""
        self._send_times.of(name_of(api_key)).update(send_ns)

    def summary(self) -> Iterator[str]:
        """Return a line for each API with requests."""
        self.settle()
        kinds = ((key, kind) for key, kind in self._kinds.items() if isinstance(key, ApiKey))
        for key, kind in sorted(kinds):
            total = kind.histogram(TOTAL).spread()
            line = (
                f"api={key.name} count={total.count} mean_ms={total.mean:.3f}"
                f" p99_ms={total.quantiles[P99]:.3f} max_ms={total.max:.3f}"
                f" queue_ms={kind.histogram(QUEUE).spread().mean:.3f}"
                f" remote_ms={kind.histogram(REMOTE).spread().mean:.3f}"
            )
            delayed = self._send_times.get(kind.name)
            if delayed is not None:
                line += f" delayed={delayed.count} delay_ms_max={delayed.spread().max:.3f}"
            yield line


def kind_of_fetch(body: object) -> str:
    """Return the second name of a Fetch request, by who sends it."""
    request = cast(FetchRequest, body)
    is_follower = max(request.replica_id, request.replica_state.replica_id) >= 0
    return FETCH_FOLLOWER if is_follower else FETCH_CONSUMER


def name_of(api_key: ApiKey) -> str:
    """Return Kafka's name of an API: `ListOffsets`."""
    return "".join(part.capitalize() for part in api_key.name.split("_"))
