"""Risks of a topic: what of its layout and its configs may cost writes or records one day.

One judge for plans, which warn of what they would cause, and for `check`, which reports what
exists.  Pure; it knows neither the plan nor the leaders.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from cluster.model.broker import BrokerRegistration
from cluster.model.config_entity import EntityKind
from cluster.model.config_spec import ValueKind, is_true, members, parsed_number, trimmed
from cluster.model.config_table import LISTENER_PREFIX, find_spec
from cluster.model.ids import INTERNAL_TOPICS, BrokerId
from cluster.model.placement import Layout
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic_config_specs import MIN_ISR, UNCLEAN_LEADER_ELECTION
from kadmin.wording import SHOWN_MAX, counted, first_listed, verb_of

CLEANUP_POLICY: Final = "cleanup.policy"
COMPACT: Final = "compact"
RECORD_BYTES_MIN: Final = 256
"""Few batches are smaller: one record without key and value takes 68 bytes."""
RECORD_AGE_MIN_MS: Final = 1000
"""The clocks of producers and brokers differ by so much, and a batch is in flight for so long."""
TIMESTAMP_TYPE: Final = "message.timestamp.type"
BROKERS_TIME: Final = "LogAppendTime"
BYTE_LIMITS: Final = ("max.message.bytes", "segment.bytes")
AGE_LIMITS: Final = (
    "message.timestamp.difference.max.ms",
    "message.timestamp.before.max.ms",
    "message.timestamp.after.max.ms",
)
RISKY_KEYS: Final = frozenset(
    {
        MIN_ISR,
        UNCLEAN_LEADER_ELECTION,
        CLEANUP_POLICY,
        TIMESTAMP_TYPE,
        *BYTE_LIMITS,
        *AGE_LIMITS,
    }
)
"""The keys that decide on the risks of topics."""
MAX_CONNECTIONS: Final = "max.connections"
CONNECTION_LIMITS: Final = (
    MAX_CONNECTIONS,
    "max.connections.per.ip",
    "max.connection.creation.rate",
    "connection_creation_rate",
)
"""The keys of brokers, of all listeners or of one, and of IP addresses, that say how many may
connect."""
COPY_MAX_S: Final = 7 * 24 * 3600
"""A copy that takes longer never ends: so long Kafka keeps records by default."""
YEAR_S: Final = 365.25 * 24 * 3600


class RiskKind(StrEnum):
    """What may go wrong."""

    TOO_FEW_REPLICAS = "too few replicas"
    """Writes with acks=all are refused, whichever brokers are alive."""
    FEWER_RACKS = "fewer racks"
    """A rack that fails takes more replicas along than it has to."""
    UNCLEAN = "unclean elections"
    """Acknowledged records may be lost when leaders change."""
    REFUSES_RECORDS = "refuses records"
    """Hardly any record is within the limits."""
    NOT_COMPACTED = "not compacted"
    """Offsets or transactions are lost with their age."""
    UNSERVED = "unserved"
    """Brokers do not serve it."""
    BY_HAND = "made by hand"
    """Brokers make it themselves, as they need it."""
    LOCKED_OUT = "locked out"
    """No client can connect, not even to undo it."""
    SLOW = "slow"
    """It is never done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Risk:
    """A risk of *topic*, in some of its *partitions* or, without any, in all; *text* is a sentence
    without them."""

    kind: RiskKind
    text: str
    topic: str = ""
    partitions: tuple[int, ...] = ()

    def __str__(self) -> str:
        if not self.partitions:
            return self.text
        return f"{self.text}: {first_listed([f'{self.topic}-{each}' for each in self.partitions])}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicAsJudged:
    """What decides on the risks of a topic: its *configs*, before those of the *defaults* of all
    brokers, and the replicas of its partitions.

    *min_isr* is that of the brokers' own files, where neither sets it.  *brokers* are those that
    are known.
    """

    name: str
    layout: Layout
    configs: Mapping[str, str] = field(default_factory=dict)
    defaults: Mapping[str, str] = field(default_factory=dict)
    min_isr: int = 1
    brokers: Mapping[BrokerId, BrokerRegistration] = field(default_factory=dict)

    @property
    def policies(self) -> list[str]:
        """Return the cleanup policies of its logs; none where the topic itself sets none."""
        return members(trimmed(self.configs.get(CLEANUP_POLICY, "")))

    def value(self, key: str) -> str | None:
        return self.configs.get(key, self.defaults.get(key))


def as_judged(snapshot: ClusterSnapshot, topic: TopicSnapshot, min_isr: int = 1) -> TopicAsJudged:
    """Return *topic* of *snapshot*; where it is moved, as it will be."""
    return TopicAsJudged(
        name=topic.name,
        layout={number: part.target for number, part in topic.assignment.partitions.items()},
        configs=topic.config.values,
        defaults=snapshot.broker_defaults.values,
        min_isr=min_isr,
        brokers=snapshot.brokers,
    )


def risks_of(
    topic: TopicAsJudged,
    racks: Mapping[BrokerId, str],
    known: Mapping[RiskKind, Collection[int]] = MappingProxyType({}),
) -> Iterator[Risk]:
    """Return the risks of *topic* among brokers with *racks*; see `known_racks`.

    Of the partitions that are *known* to have a kind of risk, that one is not returned.
    """
    min_isr = min_isr_in((topic.configs, topic.defaults), topic.min_isr)
    few = tuple(
        number
        for number, replicas in topic.layout.items()
        if len(set(replicas)) < min_isr and number not in known.get(RiskKind.TOO_FEW_REPLICAS, ())
    )
    if few:
        fewest = min(len(set(topic.layout[number])) for number in few)
        yield Risk(
            kind=RiskKind.TOO_FEW_REPLICAS,
            text=f"{MIN_ISR}={min_isr} is more than the {counted(fewest, 'replica')} of a"
            " partition: producers with acks=all will be refused",
            topic=topic.name,
            partitions=few,
        )
    crowded = tuple(
        number
        for number, replicas in topic.layout.items()
        if is_crowded(replicas, racks) and number not in known.get(RiskKind.FEWER_RACKS, ())
    )
    if crowded:
        verb = verb_of(crowded, "is")
        yield Risk(
            kind=RiskKind.FEWER_RACKS,
            text=f"{counted(len(crowded), 'partition')} {verb} on fewer racks than there are"
            " replicas",
            topic=topic.name,
            partitions=crowded,
        )
    if is_true(topic.value(UNCLEAN_LEADER_ELECTION) or ""):
        yield Risk(
            kind=RiskKind.UNCLEAN,
            text=f"{UNCLEAN_LEADER_ELECTION}=true: acknowledged records of {topic.name} may be lost"
            " when its leaders change",
            topic=topic.name,
        )
    for limit in low_limits(topic.configs, topic.defaults):
        yield Risk(
            kind=RiskKind.REFUSES_RECORDS,
            text=f"{limit}: producers of {topic.name} will be refused",
            topic=topic.name,
        )
    yield from unserved(topic)
    if topic.name in INTERNAL_TOPICS and COMPACT not in (topic.configs.get(CLEANUP_POLICY) or ""):
        yield Risk(
            kind=RiskKind.NOT_COMPACTED,
            text=f"{topic.name} has no {CLEANUP_POLICY}={COMPACT}: what groups or transactions have"
            " committed is deleted with its age",
            topic=topic.name,
        )


def low_limits(configs: Mapping[str, str], defaults: Mapping[str, str]) -> Iterator[str]:
    """Return the limits, as key=value, that hardly any record is within; those of a topic with
    *configs*, before the *defaults* of brokers."""

    def value(key: str) -> str:
        spec = find_spec(EntityKind.TOPICS, key)
        default = "" if spec is None or spec.synonym is None else defaults.get(spec.synonym, "")
        return trimmed(configs.get(key, default))

    least = dict.fromkeys(BYTE_LIMITS, RECORD_BYTES_MIN)
    if value(TIMESTAMP_TYPE) != BROKERS_TIME:
        least |= dict.fromkeys(AGE_LIMITS, RECORD_AGE_MIN_MS)
    return (f"{key}={value(key)}" for key in least if is_below(value(key), least[key]))


def is_below(number: str, least: int) -> bool:
    """Return whether *number* is one, and less than *least*."""
    try:
        return float(number) < least
    except ValueError:
        return False


def unserved(topic: TopicAsJudged) -> Iterator[Risk]:
    """Return the risk of replicas on brokers that have said that they do not clean logs up so."""
    unfit = {
        broker
        for broker, registered in topic.brokers.items()
        if not registered.serves_policy(topic.policies)
    }
    partitions = tuple(n for n, replicas in topic.layout.items() if unfit.intersection(replicas))
    if not partitions:
        return
    named = sorted(unfit.intersection(*[set().union(*topic.layout.values())]))
    brokers = f"{'broker' if len(named) == 1 else 'brokers'} {first_listed(named)}"
    yield Risk(
        kind=RiskKind.UNSERVED,
        text=f"{CLEANUP_POLICY}={','.join(topic.policies)}: {brokers}"
        f" {verb_of(named, 'does')} not support it, and will not serve {topic.name}",
        topic=topic.name,
        partitions=partitions,
    )


def new_risks(
    before: TopicAsJudged | None, after: TopicAsJudged, racks: Mapping[BrokerId, str]
) -> tuple[Risk, ...]:
    """Return the risks of *after* that *before* did not have, in partitions that had not."""
    had: dict[RiskKind, set[int]] = {}
    for risk in () if before is None else risks_of(before, racks):
        had.setdefault(risk.kind, set()).update(risk.partitions)
    return tuple(
        risk for risk in risks_of(after, racks, had) if risk.partitions or risk.kind not in had
    )


def merged(risks: Iterable[Risk]) -> tuple[Risk, ...]:
    """Return *risks*, those of one kind as one where many topics have them."""
    by_kind: dict[RiskKind, list[Risk]] = {}
    for risk in risks:
        by_kind.setdefault(risk.kind, []).append(risk)
    found: list[Risk] = []
    for kind, alike in by_kind.items():
        if len(alike) <= SHOWN_MAX:
            found += alike
        else:
            more = counted(len(alike) - 1, "more topic")
            found.append(Risk(kind=kind, text=f"{alike[0]} (and so for {more})"))
    return tuple(found)


def by_hand(name: str) -> tuple[Risk, ...]:
    """Return the risk of creating the topic *name* oneself."""
    if name not in INTERNAL_TOPICS:
        return ()
    text = (
        f"{name} is made by the brokers when it is needed, with as many partitions as they are"
        " configured for: made by hand with other ones, groups and transactions fail"
    )
    return (Risk(kind=RiskKind.BY_HAND, text=text, topic=name),)


def unclean_default(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Risk, ...]:
    """Return the risk of brokers' configs that become *after*, for topics that say nothing
    themselves."""
    key = UNCLEAN_LEADER_ELECTION
    if is_true(before.get(key, "")) or not is_true(after.get(key, "")):
        return ()
    text = (
        f"{key}=true: acknowledged records may be lost when leaders change, in all topics that do"
        " not say otherwise"
    )
    return (Risk(kind=RiskKind.UNCLEAN, text=text),)


def refuses_by_default(before: Mapping[str, str], after: Mapping[str, str]) -> tuple[Risk, ...]:
    """Return the risk of brokers' configs that become *after*, for producers of topics that say
    nothing themselves."""
    low = set(low_limits({}, after)) - set(low_limits({}, before))
    return tuple(
        Risk(
            kind=RiskKind.REFUSES_RECORDS,
            text=f"{limit} for all topics that do not say otherwise: their producers will be"
            " refused",
        )
        for limit in sorted(low)
    )


def locked_out(
    before: Mapping[str, str], after: Mapping[str, str], broker_count: int = 0
) -> tuple[Risk, ...]:
    """Return the risk of configs of brokers, *broker_count* of them, or of all IP addresses,
    that become *after*, for all who connect."""
    found = []
    for key, value in after.items():
        if trimmed(value) == trimmed(before.get(key, "")):
            continue
        if limits_connections(key) and is_below(trimmed(value), 1):
            text = (
                "the brokers will take no connection by it, also none that would set it back;"
                " 'kadmin configs --zookeeper HOST:PORT' can"
            )
        elif is_of_connections(key, MAX_CONNECTIONS) and is_below(trimmed(value), broker_count):
            text = (
                f"the {broker_count} brokers have more connections with each other: replication"
                " or clients will stop"
            )
        else:
            continue
        found.append(Risk(kind=RiskKind.LOCKED_OUT, text=f"{key}={trimmed(value)}: {text}"))
    return tuple(found)


def limits_connections(key: str) -> bool:
    return any(is_of_connections(key, limit) for limit in CONNECTION_LIMITS)


def is_of_connections(key: str, limit: str) -> bool:
    """Return whether *key* is that *limit*, of a broker or of one of its listeners."""
    if key.startswith(LISTENER_PREFIX):
        _listener, _, key = key.removeprefix(LISTENER_PREFIX).partition(".")
    return key == limit


def known_racks(brokers: Mapping[BrokerId, BrokerRegistration]) -> dict[BrokerId, str]:
    """Return the racks of *brokers*; none where one has none, since it may share any rack."""
    racks = {broker: each.rack for broker, each in brokers.items() if each.rack}
    return racks if len(racks) == len(brokers) else {}


def is_crowded(replicas: Sequence[BrokerId], racks: Mapping[BrokerId, str]) -> bool:
    """Return whether *replicas* are on fewer racks than they could be, also if each dead broker
    among them, whose rack is unknown, is alone on its own."""
    dead = {replica for replica in replicas if replica not in racks}
    used = {racks[replica] for replica in replicas if replica in racks}
    return len(used) + len(dead) < min(len(set(racks.values())), len(set(replicas)))


def min_isr_in(configs: Sequence[Mapping[str, str]], default: int) -> int:
    for values in configs:
        text = values.get(MIN_ISR, "")
        if text.isascii() and text.isdigit():
            number = parsed_number(ValueKind.INT, text)
            if number is not None:
                return int(number)
    return default


def slow_copy(copied: Mapping[BrokerId, int], rates: Mapping[BrokerId, int]) -> tuple[Risk, ...]:
    """Return the risk of copying so many bytes to or from each broker at its rate, where that
    takes longer than anybody waits."""
    times = {broker: copied[broker] / rates[broker] for broker in copied if rates.get(broker)}
    if not times or max(times.values()) <= COPY_MAX_S:
        return ()
    slowest = max(times, key=lambda broker: times[broker])
    text = (
        f"the throttle of {rates[slowest]:,} B/s at broker {slowest} lets the copying take"
        f" {duration_text(times[slowest])}"
    )
    return (Risk(kind=RiskKind.SLOW, text=text),)


def duration_text(seconds: float) -> str:
    if seconds >= YEAR_S:
        return f"about {counted(round(seconds / YEAR_S), 'year')}"
    return f"about {counted(round(seconds / 86_400), 'day')}"


def with_risks(question: str, risks: Sequence[object]) -> str:
    """Return *question*, which names the *risks* that were shown, if there are any."""
    if not risks:
        return question
    return f"{question.removesuffix('?')}, in spite of the {counted(len(risks), 'risk')} above?"
