"""The registry: names as JMX has them, metrics made once and removed, reading in slices."""

from random import Random

import pytest

from cluster.metrics.beans import Bean, Kind, MetricName
from cluster.metrics.meters import NS_PER_S
from cluster.metrics.registry import HISTOGRAM_COST, MetricsRegistry, Value, attributes_of
from tests.cluster.metrics.ticking import Ticking

MS = 1_000_000

BYTES_IN = Bean(
    domain="kafka.server",
    type="BrokerTopicMetrics",
    name="BytesInPerSec",
    tags=("topic",),
    kind=Kind.METER,
    meaning="Bytes that producers sent.",
)
SIZE = Bean(
    domain="kafka.log",
    type="Log",
    name="Size",
    tags=("topic", "partition"),
    kind=Kind.GAUGE,
    meaning="Bytes of a log.",
)
ELECTIONS = Bean(
    domain="kafka.controller",
    type="ControllerStats",
    name="LeaderElectionRateAndTimeMs",
    kind=Kind.TIMER,
    meaning="How long elections took.",
)
REQUEST_BYTES = Bean(
    domain="kafka.network",
    type="RequestMetrics",
    name="RequestBytes",
    kind=Kind.HISTOGRAM,
    tags=("request",),
    meaning="Sizes of requests.",
)
GROUPS = Bean(
    domain="kafka.coordinator.group",
    type="GroupMetadataManager",
    name="NumGroups",
    kind=Kind.COUNTER,
    meaning="Groups.",
)


def new_registry(clock: Ticking) -> MetricsRegistry:
    return MetricsRegistry(monotonic_ns=clock, random=Random(7).random)


@pytest.mark.parametrize(
    ("tags", "text"),
    [
        ((), "kafka.server:type=Any,name=Thing"),
        ((("topic", "orders"),), "kafka.server:type=Any,name=Thing,topic=orders"),
        ((("request", "Fetch"), ("version", "12")), "…,request=Fetch,version=12"),
        ((("clientId", "a b-c_d.e%f"),), "…,clientId=a b-c_d.e%f"),
        ((("clientId", 'a"b*c?d\\e\nf'),), r'…,clientId="a\"b\*c\?d\\e\nf"'),
        ((("listener", "A:1"),), '…,listener="A:1"'),
        ((("clientId", "é"),), '…,clientId="é"'),
        ((("clientId", ""), ("topic", "t")), "…,topic=t"),
    ],
)
def test_a_name_is_quoted_as_kafka_quotes_it(tags: tuple[tuple[str, str], ...], text: str) -> None:
    name = MetricName("kafka.server", "Any", "Thing", tags)

    assert text.replace("…", "kafka.server:type=Any,name=Thing") == str(name)


def test_a_bean_of_attributes_has_no_name() -> None:
    name = MetricName("kafka.server", "socket-server-metrics", "", (("listener", "PLAINTEXT"),))

    assert str(name) == "kafka.server:type=socket-server-metrics,listener=PLAINTEXT"


def test_a_metric_is_made_once_and_removed() -> None:
    registry = new_registry(Ticking())
    meters = registry.meters(BYTES_IN)
    meters.of("orders").mark(5)
    registry.meters(BYTES_IN).of("orders").mark(2)
    meters.of("clicks").mark()
    counts = {tags: attributes_of(value)["Count"] for _, tags, value in registry.points()}
    meters.remove("orders")
    meters.remove("orders")

    assert counts == {("orders",): 7, ("clicks",): 1}
    assert [tags for _, tags, _ in registry.points()] == [("clicks",)]


def test_gauges_of_all_partitions_are_read_in_slices() -> None:
    registry = new_registry(Ticking())
    registry.gauges(SIZE, lambda: (((f"t{n}", "0"), n) for n in range(2500)))
    registry.gauge(ELECTIONS_RUNNING, lambda: 3)
    histograms = registry.histograms(REQUEST_BYTES)
    for n in range(30):
        histograms.of(f"R{n}").update(n)

    slices = list(registry.slices(size=1000))

    sizes = [[(bean.name, len(points)) for bean, points in part] for part in slices]
    assert sizes[:2] == [[("Size", 1000)], [("Size", 1000)]]
    assert sizes[2] == [
        ("Size", 500),
        ("Running", 1),
        ("RequestBytes", (1000 - 501) // HISTOGRAM_COST),
        # The last one that fits, and the first that does not.
        ("RequestBytes", 1),
    ]
    assert sum(len(points) for part in slices for _, points in part) == 2500 + 1 + 30


ELECTIONS_RUNNING = Bean(
    domain="a", type="b", name="Running", kind=Kind.GAUGE, meaning="Elections that run."
)


def test_metrics_may_be_made_and_removed_between_two_slices() -> None:
    registry = new_registry(Ticking())
    meters = registry.meters(BYTES_IN)
    for n in range(10):
        meters.of(f"t{n}")
    slices = registry.slices(size=2)
    next(slices)
    meters.remove("t9")
    meters.of("new")

    assert len(list(slices)) == 4


@pytest.mark.parametrize(
    ("value", "attributes"),
    [(5, {"Value": 5}), ("abc", {"Value": "abc"}), ({"byte-rate": 1.5}, {"byte-rate": 1.5})],
)
def test_gauges_have_a_value_and_other_beans_their_attributes(
    value: Value, attributes: dict[str, float]
) -> None:
    assert attributes_of(value) == attributes


def test_a_timer_has_the_attributes_of_a_meter_and_of_a_histogram_in_milliseconds() -> None:
    clock = Ticking()
    registry = new_registry(clock)
    timer = registry.timers(ELECTIONS).of()
    for took_ms in (10, 20, 30):
        timer.update(took_ms * MS)
    clock.now_ns += 6 * NS_PER_S

    assert attributes_of(timer) == {
        "Count": 3,
        "MeanRate": 0.5,
        "OneMinuteRate": 0.6,
        "FiveMinuteRate": 0.6,
        "FifteenMinuteRate": 0.6,
        "Min": 10.0,
        "Max": 30.0,
        "Mean": 20.0,
        "StdDev": 10.0,
        "50thPercentile": 20.0,
        "75thPercentile": 30.0,
        "95thPercentile": 30.0,
        "98thPercentile": 30.0,
        "99thPercentile": 30.0,
        "999thPercentile": 30.0,
    }


def test_counters_go_up_and_down() -> None:
    registry = new_registry(Ticking())
    counter = registry.counters(GROUPS).of()
    counter.count += 3
    counter.count -= 1

    assert attributes_of(counter) == {"Count": 2}


def test_what_is_counted_elsewhere_is_brought_up_to_date_before_it_is_read() -> None:
    registry = new_registry(Ticking())
    meter = registry.meters(BYTES_IN).of("orders")
    counted = 41

    def update() -> None:
        meter.count = counted

    registry.before_reading(update)
    counted += 1

    assert [attributes_of(value)["Count"] for _, _, value in registry.points()] == [42]


def test_a_tick_moves_the_rates_of_meters_and_timers() -> None:
    clock = Ticking()
    registry = new_registry(clock)
    meter, timer = registry.meters(BYTES_IN).of("orders"), registry.timers(ELECTIONS).of()
    meter.mark(50)
    timer.update(1)
    clock.now_ns += 5 * NS_PER_S
    registry.tick()
    meter.mark(1000)

    assert meter.rates().one_minute == 10
    assert timer.meter.rates().one_minute == 0.2


def test_health_checks_name_what_is_wrong() -> None:
    registry = new_registry(Ticking())
    registry.health_checks["zookeeper"] = lambda: None
    registry.health_checks["log.dirs"] = lambda: "1 of 2 is offline"

    assert registry.health() == {"zookeeper": None, "log.dirs": "1 of 2 is offline"}
