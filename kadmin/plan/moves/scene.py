"""The part of a cluster that a plan may change: which replicas move, and between which brokers?"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import log2
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.errors import KadminError
from kadmin.plan.broker_names import NoSuchBroker
from kadmin.plan.moves.layered import SIZE_CLASSES_SUM_MAX
from kadmin.plan.moves.layout import ClusterLayout, PlacedPartition
from kadmin.plan.moves.problem import Demand, Problem
from kadmin.plan.moves.request import Request, WrongArguments
from kadmin.plan.topic_refusals import NoSuchTopic
from kadmin.wording import brokers_text, counted_partitions, first_listed

EXACT_SIZES_MAX: Final = 1_000
"""Of so many partitions the very sizes decide."""
FINE_CLASSES_MAX: Final = 10_000
"""Of so many their size to a fifth, and of more to a power of 16: each class of sizes takes another
round of the flow."""


class DeadBrokers(KadminError):
    """Brokers that are to get replicas and are not alive."""

    def __init__(self, brokers: Iterable[BrokerId]) -> None:
        self.brokers = tuple(sorted(brokers))
        is_one = len(self.brokers) == 1
        super().__init__(
            f"{'broker' if is_one else 'brokers'} {first_listed(self.brokers)}"
            f" {'is' if is_one else 'are'} not alive, and could not copy anything",
            hint="start what is down; 'kadmin brokers --list' lists the live brokers",
        )


@dataclass
class Scene:
    """*layout*, as far as *request* lets it change; *notes* are for the operator."""

    layout: ClusterLayout
    request: Request
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        request, layout = self.request, self.layout
        topics = {partition.topic for partition in layout.partitions}
        named = (*request.topics, *request.excluded_topics)
        missing = [name for name in dict.fromkeys(named) if name not in topics]
        if missing:
            raise NoSuchTopic(missing)
        known = layout.hosts.union(layout.brokers)
        replaced = (*request.replacements.keys(), *request.replacements.values())
        brokers = {*request.brokers, *request.excluded_brokers, *replaced}
        if unknown := brokers - known:
            raise NoSuchBroker(
                unknown,
                sorted(known),
                "one that is to come has to be running when it is planned for",
            )
        named_twice = set(request.excluded_brokers).intersection((*request.brokers, *replaced))
        if named_twice:
            raise WrongArguments(
                request.goal,
                f"names {brokers_text(sorted(named_twice))}, and --exclude-brokers too",
            )
        damaged = [p for p, each in self._selected.items() if not each.is_sound]
        if damaged:
            self.notes.append(
                "left alone, since a replica is named twice or there is none:"
                f" {counted_partitions(damaged)}"
            )
        if request.is_rack_aware and not layout.knows_racks and any(layout.brokers.values()):
            without = [broker for broker, rack in layout.brokers.items() if rack is None]
            self.notes.append(
                f"racks are not respected, since these brokers have none: {first_listed(without)}"
            )

    @cached_property
    def _selected(self) -> dict[TopicPartition, PlacedPartition]:
        wanted, excluded = set(self.request.topics), set(self.request.excluded_topics)
        return {
            partition: each
            for partition, each in self.layout.partitions.items()
            if (not wanted or partition.topic in wanted) and partition.topic not in excluded
        }

    @cached_property
    def movable(self) -> dict[TopicPartition, PlacedPartition]:
        """The partitions that may be moved."""
        return {partition: each for partition, each in self._selected.items() if each.is_sound}

    @cached_property
    def racks(self) -> Mapping[BrokerId, str]:
        """The live brokers, each with its rack; the same for all where racks do not matter."""
        matters = self.request.is_rack_aware and self.layout.knows_racks
        return {
            broker: rack if matters and rack is not None else ""
            for broker, rack in self.layout.brokers.items()
        }

    @property
    def open_brokers(self) -> frozenset[BrokerId]:
        """The live brokers that may get replicas."""
        return frozenset(self.racks) - set(self.request.excluded_brokers)

    def require_live(self, brokers: Iterable[BrokerId]) -> None:
        """Raise DeadBrokers for those of *brokers* that are not alive."""
        if dead := set(brokers) - self.racks.keys():
            raise DeadBrokers(dead)

    def with_live_replicas(self) -> dict[TopicPartition, PlacedPartition]:
        """Return the movable partitions all of whose replicas are alive, and note the others.

        Kafka moves no partition without giving up a replica on a dead broker.
        """
        alive = {
            p: each for p, each in self.movable.items() if self.racks.keys() >= {*each.replicas}
        }
        if len(alive) < len(self.movable):
            dead = [partition for partition in self.movable if partition not in alive]
            self.notes.append(
                f"left alone, since they have replicas on dead brokers: {counted_partitions(dead)}"
            )
        return alive

    def demand(
        self,
        partition: TopicPartition,
        leaving: Iterable[BrokerId] = (),
        factor: int | None = None,
    ) -> Demand:
        """Return the demand that *partition* has *factor* replicas, by default as many as now, none
        of them on brokers that are *leaving* or dead."""
        placed = self.layout.partitions[partition]
        gone = set(leaving)
        stays = tuple(b for b in placed.replicas if b in self.racks and b not in gone)
        wanted = len(placed.replicas) if factor is None else factor
        is_led_on = len(stays) > wanted and stays[0] == placed.replicas[0]
        return Demand(
            partition=partition,
            factor=wanted,
            stays=stays,
            size_bytes=placed.size_bytes or 0,
            leader=stays[0] if is_led_on else None,
        )

    def problem(
        self,
        demands: Iterable[Demand],
        receivers: frozenset[BrokerId] | None = None,
        *,
        is_strict: bool = False,
        sheds: bool = False,
    ) -> Problem:
        """Return the problem of *demands*, with the bound on each broker that was asked for.

        A broker that is above it already need not shed anything, unless it *sheds*.  Brokers that
        are excluded keep what they have.
        """
        demands = tuple(demands)
        base = self.base(demands)
        open_to = self.open_brokers if receivers is None else receivers
        staying = Counter(broker for demand in demands for broker in demand.stays)
        least = {b: staying[b] for b in self.request.excluded_brokers if staying[b]}
        most = {}
        if self.request.max_replicas is not None:
            most = {
                broker: max(
                    0, self.request.max_replicas - base[broker], 0 if sheds else staying[broker]
                )
                for broker in self.racks
            }
        return Problem(
            demands=demands,
            racks=self.racks,
            receivers=open_to,
            least=least,
            most=most,
            is_strict=is_strict,
        )

    def base(self, demands: Iterable[Demand]) -> Counter[BrokerId]:
        """Return how many replicas each broker has of other partitions than those of *demands*."""
        base = self.layout.loads
        for demand in demands:
            base.subtract(self.layout.partitions[demand.partition].replicas)
        return base

    @cached_property
    def size_classes(self) -> dict[TopicPartition, int]:
        """What a replica of each partition costs beside others; nothing where a size is unknown."""
        if not self.layout.knows_sizes:
            return {}
        sizes = {partition: each.size_bytes or 0 for partition, each in self.movable.items()}
        if len(sizes) <= EXACT_SIZES_MAX:
            total = sum(sizes[p] * len(self.movable[p].replicas) for p in sizes)
            unit = 1 + total // SIZE_CLASSES_SUM_MAX
            return {partition: size // unit for partition, size in sizes.items()}
        step = 4 if len(sizes) <= FINE_CLASSES_MAX else 0.25
        return {partition: int(step * log2(1 + size)) for partition, size in sizes.items()}
