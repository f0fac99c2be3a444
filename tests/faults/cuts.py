"""Ways of the network that are cut: between two nodes or around one, both ways or one."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from tests.faults.network import CLIENTS, Node, Way, broker, zookeeper
from tests.faults.plan import Fault, Members

if TYPE_CHECKING:
    from tests.faults.cluster import FaultyCluster


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut(Fault):
    """Nothing that goes one of *ways* arrives, and nobody hears of it."""

    what: str
    ways: frozenset[Way]

    def __str__(self) -> str:
        return f"cut: {self.what}"

    def begin(self, cluster: "FaultyCluster", brokers: Sequence[int]) -> None:
        cluster.network.cut(self.ways)


def from_zookeeper(lots: Random, members: Members) -> Fault:
    one = lots.choice(members.brokers)
    others = [zookeeper(number) for number in members.zookeepers]
    return between(lots, (one,), [broker(one)], others, "all ZooKeepers")


def from_brokers(lots: Random, members: Members) -> Fault:
    one = lots.choice(members.brokers)
    others = [broker(other) for other in members.brokers if other != one]
    return between(lots, (one,), [broker(one)], others, "all other brokers")


def from_all(lots: Random, members: Members) -> Fault:
    one = lots.choice(members.brokers)
    others = [broker(other) for other in members.brokers if other != one]
    others += [CLIENTS, *map(zookeeper, members.zookeepers)]
    return between(lots, (one,), [broker(one)], others, "everybody")


def two_brokers(lots: Random, members: Members) -> Fault:
    one, other = lots.sample(members.brokers, 2)
    return between(lots, (one, other), [broker(one)], [broker(other)], broker(other))


def one_zookeeper(lots: Random, members: Members) -> Fault:
    """From one broker: it has others to go to."""
    one, number = lots.choice(members.brokers), lots.choice(members.zookeepers)
    return between(lots, (), [broker(one)], [zookeeper(number)], zookeeper(number))


def from_clients(lots: Random, members: Members) -> Fault:
    one = lots.choice(members.brokers)
    return between(lots, (), [broker(one)], [CLIENTS], CLIENTS)


def two_zookeepers(lots: Random, members: Members) -> Fault:
    one, other = lots.sample(members.zookeepers, 2)
    return between(lots, (), [zookeeper(one)], [zookeeper(other)], zookeeper(other))


def in_halves(lots: Random, members: Members) -> Fault:
    """Two brokers and a ZooKeeper here, the others there; clients reach both sides."""
    here = lots.sample(members.brokers, 2)
    alone = lots.choice(members.zookeepers)
    ours = [*map(broker, here), zookeeper(alone)]
    theirs = [broker(one) for one in members.brokers if one not in here]
    theirs += [zookeeper(number) for number in members.zookeepers if number != alone]
    return between(lots, tuple(here), ours, theirs, "the others")


def between(
    lots: Random, out: tuple[int, ...], ours: Sequence[Node], theirs: Sequence[Node], name: str
) -> Cut:
    """Cut *ours* from *theirs*, whose *name* is said, in directions that *lots* draw."""
    there = frozenset((one, other) for one in ours for other in theirs)
    back = frozenset((other, one) for one in ours for other in theirs)
    both = (there | back, "| |")
    ways, arrow = lots.choice((both, both, (there, "| ->"), (back, "<- |")))
    return Cut(brokers=out, what=f"{', '.join(ours)} {arrow} {name}", ways=ways)
