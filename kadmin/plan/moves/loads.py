"""What brokers hold before a plan of moves, while it is carried out, and after it.

While a replica is copied, the old ones are still there: a broker's peak is all that it has, and all
that it is to get.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from cluster.model.ids import BrokerId
from kadmin.plan.moves.layout import ClusterLayout
from kadmin.plan.moves.plan_file import MovePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """*leaders* are the partitions whose preferred leader a broker is; *size_bytes* is None where
    that of a partition is not known."""

    replicas: int
    leaders: int
    size_bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerLoad:
    """One broker; *rack* is None also for one that is dead."""

    broker: BrokerId
    rack: str | None
    is_alive: bool
    before: Held
    peak: Held
    after: Held

    @property
    def changes(self) -> bool:
        return not self.before == self.peak == self.after


def broker_loads(layout: ClusterLayout, plan: MovePlan) -> list[BrokerLoad]:
    """Return the load of every broker that is alive or has replicas, in order of id."""
    moves = {move.partition: move for move in plan.moves}
    before, peak, after = _Counts(), _Counts(), _Counts()
    for partition, each in layout.partitions.items():
        move = moves.get(partition)
        target = each.replicas if move is None else move.target
        size = each.size_bytes or 0
        before.add(each.replicas, size)
        after.add(target, size)
        # The preferred leader is the new one as soon as the controller knows of the move.
        peak.add(dict.fromkeys((*target, *each.replicas)), size)
    # Who leads changes at once: no broker leads more in between.
    peak.leaders = before.leaders | after.leaders
    brokers = sorted(layout.hosts.union(layout.brokers))
    return [
        BrokerLoad(
            broker=broker,
            rack=layout.brokers.get(broker),
            is_alive=broker in layout.brokers,
            before=before.of(broker, with_sizes=layout.knows_sizes),
            peak=peak.of(broker, with_sizes=layout.knows_sizes),
            after=after.of(broker, with_sizes=layout.knows_sizes),
        )
        for broker in brokers
    ]


class _Counts:
    def __init__(self) -> None:
        self.replicas: Counter[BrokerId] = Counter()
        self.leaders: Counter[BrokerId] = Counter()
        self.sizes: Counter[BrokerId] = Counter()

    def add(self, replicas: Iterable[BrokerId], size: int) -> None:
        for number, broker in enumerate(replicas):
            self.replicas[broker] += 1
            self.sizes[broker] += size
            self.leaders[broker] += not number

    def of(self, broker: BrokerId, *, with_sizes: bool) -> Held:
        return Held(
            replicas=self.replicas[broker],
            leaders=self.leaders[broker],
            size_bytes=self.sizes[broker] if with_sizes else None,
        )
