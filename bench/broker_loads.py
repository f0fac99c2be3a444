"""Loads on brokers that are compared: throughput, time and cost of each.

A load is on a broker or a whole cluster.  They are loaded in turns, each when all are idle.
"""

import platform
import sysconfig
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from bench.broker_wire import RoundTrips, Wire, delete_topic

MB: Final = 1_000_000
BUSY_SHARE: Final = 0.05
"""Of a core: a broker that uses more may still be working."""
IDLE_SHARE: Final = 0.25
"""Of a core: what a broker may use permanently without a client; followers fetch all the time
(Kafka's use 0.06 to 0.11 with 1,000 partitions)."""
STEADY_LOOKS: Final = 6
LOOK_S: Final = 0.5
SETTLE_S_MAX: Final = 60.0
BOUND: Final = 0.85
"""Of the wall time: a process that uses a CPU for longer than this is the bottleneck."""


class Process(Protocol):
    """The process of a broker: see `bench.broker_servers`."""

    def cpu_s(self) -> float: ...

    def kept_s(self) -> float: ...


class Server(Protocol):
    """A broker or a cluster of them."""

    @property
    def name(self) -> str: ...

    @property
    def brokers(self) -> Sequence[Process]: ...

    def wire(self) -> Wire:
        """A connection to the broker that creates topics."""


S = TypeVar("S", bound=Server)


class Usage(NamedTuple):
    """The CPU time of one process, and the time for which it waited for a CPU."""

    cpu_s: float
    kept_s: float


@dataclass(frozen=True, slots=True)
class Load:
    """One run of one case: *records*, and how many records or requests were done in a second.

    *megabytes* are those of the records; 0 where the case is about requests.
    """

    wall_s: float
    brokers: Sequence[Usage]
    client_cpu_s: float
    records: int
    megabytes: float = 0
    trips: RoundTrips | None = None

    @property
    def per_s(self) -> float:
        return self.records / self.wall_s

    @property
    def cost(self) -> float:
        """CPU s of all brokers for a GB, or µs for a request."""
        cpu_s = sum(broker.cpu_s for broker in self.brokers)
        if self.megabytes > 0:
            return cpu_s / self.megabytes * 1000
        return cpu_s / self.records * 1e6

    @property
    def bound(self) -> str:
        """The bottleneck; CPUs: the broker had work, and others had its CPU.

        A client and a broker that work in turns often share one, each with half of it: a third
        process there causes a p99 of a scheduler's time slice, which is some milliseconds.
        """
        busiest = max(self.brokers)
        if busiest.cpu_s > BOUND * self.wall_s:
            return "broker"
        if self.client_cpu_s > BOUND * self.wall_s:
            return "client"
        if busiest.cpu_s + busiest.kept_s > BOUND * self.wall_s:
            return "CPUs"
        return "waits"


@dataclass(frozen=True, slots=True)
class Done:
    """The result of a client; *wall_s* where it is more accurate than the time around the call."""

    records: int
    wall_s: float | None = None
    trips: RoundTrips | None = None


@dataclass(frozen=True, slots=True)
class Case(Generic[S]):
    """A case; *prepare* creates the topic that *work* then uses."""

    title: str
    prepare: Callable[[S], str]
    work: Callable[[S, str], Done]
    record_size: int = 0


# Measuring.


def loads(case: Case[S], rounds: int, brokers: Sequence[S]) -> list[Load]:
    found = []
    for broker in brokers:
        settle(brokers)
        found.append(load(case, rounds, broker))
    return found


def settle(brokers: Sequence[Server], patience_s: float = SETTLE_S_MAX) -> None:
    """Wait until every broker has finished its earlier work.

    The files of 2,000 partitions are deleted for seconds after the topic: a measurement in that
    time would wait for a CPU, in whichever process.
    """
    deadline = time.perf_counter() + patience_s
    looks: list[float] = []
    while not is_at_rest(looks):
        if time.perf_counter() > deadline:
            print(
                f"a broker does not come to rest within {patience_s:.0f} s: what follows is"
                f" measured while it uses {looks[-1]:.0%} of a core"
            )
            return
        processes = [process for broker in brokers for process in broker.brokers]
        used = [process.cpu_s() for process in processes]
        time.sleep(LOOK_S)
        looks.append(
            max(
                (process.cpu_s() - before) / LOOK_S
                for process, before in zip(processes, used, strict=True)
            )
        )


def is_at_rest(looks: Sequence[float]) -> bool:
    """Whether brokers are idle, given the share of a core of the busiest one at each look."""
    if not looks:
        return False
    return looks[-1] <= BUSY_SHARE or (
        len(looks) >= STEADY_LOOKS and max(looks[-STEADY_LOOKS:]) <= IDLE_SHARE
    )


def load(case: Case[S], rounds: int, broker: S) -> Load:
    """The fastest of *rounds* runs of *case*."""
    return min((one_load(case, broker) for _ in range(rounds)), key=lambda load: load.wall_s)


def one_load(case: Case[S], broker: S) -> Load:
    topic = case.prepare(broker)
    before = usages(broker)
    client_s, started = client_cpu_s(), time.perf_counter()
    done = case.work(broker, topic)
    wall_s = time.perf_counter() - started
    used = [
        Usage(after.cpu_s - earlier.cpu_s, after.kept_s - earlier.kept_s)
        for after, earlier in zip(usages(broker), before, strict=True)
    ]
    client_s = client_cpu_s() - client_s
    with broker.wire() as wire:
        delete_topic(wire, topic)
    return Load(
        wall_s if done.wall_s is None else done.wall_s,
        used,
        client_s,
        done.records,
        done.records * case.record_size / MB,
        done.trips,
    )


def usages(broker: Server) -> list[Usage]:
    return [Usage(process.cpu_s(), process.kept_s()) for process in broker.brokers]


def client_cpu_s() -> float:
    used = [getrusage(who) for who in (RUSAGE_SELF, RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


# The output.


def python_build() -> str:
    """The build of this Python: one with PGO and LTO needs a tenth less CPU."""
    said = sysconfig.get_config_var("CONFIG_ARGS") or ""
    pgo = "with" if "--enable-optimizations" in said else "without"
    lto = "with" if "--with-lto" in said else "without"
    return f"Python {platform.python_version()}, built {pgo} PGO and {lto} LTO ({said})"


def show_memory(when: str, brokers: Sequence[S], measure: Callable[[S], float]) -> None:
    said = ", ".join(f"{broker.name} {measure(broker):.0f} MiB" for broker in brokers)
    print(f"resident memory, {when}: {said}")


def titles(brokers: Sequence[Server]) -> None:
    columns = "".join(f"{broker.name:>40}" for broker in brokers)
    print(f"{'':42}{columns}  ratios: rate, CPU; bound by ours")


def show(title: str, loads: Sequence[Load]) -> None:
    ours = loads[0]
    line = f"{title:42}" + "".join(f"{cell(one):>40}" for one in loads)
    if len(loads) > 1:
        theirs = loads[1]
        line += f"  {ours.per_s / theirs.per_s:.2f} ×, {ours.cost / theirs.cost:.2f} ×"
    print(f"{line}; {ours.bound}", flush=True)


def cell(load: Load) -> str:
    if load.trips is not None:
        trips = load.trips
        return (
            f"{load.per_s:,.0f}/s {trips.p50_us:.0f}/{trips.p99_us:.0f} µs {load.cost:.0f} µs CPU"
        )
    rate = load.megabytes / load.wall_s
    return f"{load.per_s / 1e6:.2f} M/s {rate:.0f} MB/s {load.cost:.2f} s/GB"
