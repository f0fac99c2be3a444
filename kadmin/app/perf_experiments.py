"""The six experiments of `kadmin perf report`: what changes in each, how it is run, and by which
command it can be repeated."""

import secrets
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from kadmin.records.perf.consume import ConsumeTest, run_consumer
from kadmin.records.perf.peers import Peers
from kadmin.records.perf.processes import run_each, run_together
from kadmin.records.perf.produce import ProduceTest, run_producer
from kadmin.records.perf.records import RecordSpec
from kadmin.records.perf.tally import Result, Window, merged
from kadmin.records.perf.target import NewTarget, made_for_test
from kadmin.settings.brokers import BrokerSettings

MANY: Final = 1_000_000_000
IDLE_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One point of an experiment: *label* stands on its axis."""

    label: str
    producers: int = 1
    consumers: int = 0
    size: int = 100
    partitions: int = 6
    replicas: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What is measured where one thing changes; *unit* is `records/sec` or `MB/sec`."""

    name: str
    title: str
    x_name: str
    unit: str
    settings: tuple[Setting, ...]
    is_at_once: bool = False
    """Whether consumers read while producers write."""


@dataclass(slots=True)
class Point:
    """The results of one setting, a round each; of producers and of consumers."""

    experiment: Experiment
    setting: Setting
    written: list[Result] = field(default_factory=list)
    read: list[Result] = field(default_factory=list)


def experiments(broker_count: int) -> tuple[Experiment, ...]:
    """Return all six; replicas as far as there are brokers."""
    return (
        Experiment(
            name="producers",
            title="Producers",
            x_name="producers",
            unit="records/sec",
            settings=tuple(Setting(label=str(n), producers=n) for n in (1, 2, 4)),
        ),
        Experiment(
            name="message-size",
            title="Size of records",
            x_name="bytes",
            unit="MB/sec",
            settings=tuple(
                Setting(label=str(n), size=n) for n in (10, 100, 1_000, 10_000, 100_000)
            ),
        ),
        Experiment(
            name="partitions",
            title="Partitions",
            x_name="partitions",
            unit="records/sec",
            settings=tuple(Setting(label=str(n), partitions=n) for n in (1, 4, 16, 64)),
        ),
        Experiment(
            name="replicas",
            title="Replicas (acks of all)",
            x_name="replicas",
            unit="records/sec",
            settings=tuple(
                Setting(label=str(n), replicas=n) for n in (1, 2, 3) if n <= max(1, broker_count)
            ),
        ),
        Experiment(
            name="consumers",
            title="Consumers of one group",
            x_name="consumers",
            unit="records/sec",
            settings=tuple(Setting(label=str(n), consumers=n) for n in (1, 2, 4)),
        ),
        Experiment(
            name="pairs",
            title="Producers and consumers at once",
            x_name="pairs",
            unit="records/sec",
            settings=tuple(Setting(label=str(n), producers=n, consumers=n) for n in (1, 2, 4)),
            is_at_once=True,
        ),
    )


def run_experiments(
    settings: BrokerSettings,
    chosen: Sequence[Experiment],
    *,
    seconds: float,
    rounds: int,
    properties: Mapping[str, str],
    note: Callable[[str], None],
) -> list[Point]:
    """Run each setting of the *chosen* ones for *seconds* in each of *rounds*.

    Every other round goes backwards, so that what gets slower with time is at no end of a plot.

    Raises:
        KadminError: brokers do not answer, or refuse; topics made are deleted.
    """
    points = [Point(one, setting) for one in chosen for setting in one.settings]
    for number in range(rounds):
        for point in points if number % 2 == 0 else reversed(points):
            run_point(settings, point, seconds, properties)
            last = (point.read if point.setting.consumers else point.written)[-1]
            note(
                f"round {number + 1} of {rounds}, {point.experiment.name}"
                f" {point.setting.label}: {last.net(last.tally.records):,.0f} records/sec"
            )
    return points


def run_point(
    settings: BrokerSettings, point: Point, seconds: float, properties: Mapping[str, str]
) -> None:
    """Run one setting once, on a topic of its own."""
    setting = point.setting
    topic = NewTarget(
        topic=f"kadmin-perf-{secrets.token_hex(4)}",
        partitions=setting.partitions,
        replicas=setting.replicas,
        configs={},
    )
    producers = ProduceTest(
        settings=settings,
        topic=topic.topic,
        spec=RecordSpec(size=setting.size),
        records=None,
        seconds=seconds,
        properties=properties,
    ).shared_by(setting.producers)
    consumer = ConsumeTest(
        settings=settings, topic=topic.topic, group=topic.topic, records=MANY, idle_s=IDLE_S
    )
    with made_for_test(settings, [topic]):
        if point.experiment.is_at_once:
            members: list[ProduceTest | ConsumeTest] = [*producers, *[consumer] * setting.consumers]
            results = run_each(run_either, members, drop)
            point.written.append(merged(results[: setting.producers]))
            point.read.append(read_only(merged(results[setting.producers :])))
            return
        written = run_together(run_producer, producers, drop)
        point.written.append(written)
        if setting.consumers:
            reading = replace(consumer, records=written.tally.records)
            point.read.append(run_together(run_consumer, [reading] * setting.consumers, drop))


def run_either(
    test: ProduceTest | ConsumeTest, emit: Callable[[Window], None], peers: Peers
) -> Result:
    """Run a producer or a consumer, whichever it is."""
    if isinstance(test, ProduceTest):
        return run_producer(test, emit, peers)
    return run_consumer(test, emit, peers)


def read_only(result: Result) -> Result:
    """Return *result* of consumers that have waited for more at the end, without that wait."""
    return replace(result, seconds=max(result.seconds - IDLE_S, 0.0))


def drop(_window: Window) -> None:
    """Show nothing of a window: the page has whole runs."""


def commands(point: Point, seconds: float) -> Iterator[str]:
    """Return the commands that repeat *point*, all of one shell."""
    setting = point.setting
    produce = (
        f"kadmin perf produce --duration {seconds:g} --record-size {setting.size}"
        f" --processes {setting.producers}"
    )
    topic = f"--partitions {setting.partitions} --replication-factor {setting.replicas}"
    if not setting.consumers:
        yield f"{produce} --create-topic {topic} --yes"
        return
    name = shlex.quote(f"perf-{point.experiment.name}-{setting.label}")
    records = max((one.tally.records for one in point.written), default=1)
    consume = (
        f"kadmin perf consume --topic {name} --messages {max(1, records)}"
        f" --processes {setting.consumers}"
    )
    yield f"kadmin topics --create --topic {name} {topic} --yes"
    if point.experiment.is_at_once:
        yield f"{consume} &"
        yield f"{produce} --topic {name} --yes; wait"
    else:
        yield f"{produce} --topic {name} --yes"
        yield consume
    yield f"kadmin topics --delete --topic {name} --yes"
