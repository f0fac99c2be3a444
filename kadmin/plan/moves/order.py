"""The order of replicas: a replica that comes takes the place of one that goes.

So brokers keep about as many partitions to lead as before, and the order of those that stay.
"""

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.leaders import Candidates, even_leaders
from kadmin.plan.moves.placing import Chosen
from kadmin.plan.moves.scene import Scene


def ordered(
    scene: Scene, chosen: Chosen, *, all_leaders: bool
) -> dict[TopicPartition, tuple[BrokerId, ...]]:
    """Return the replicas of each partition that changes, in order.

    Leads go evenly to brokers: those of partitions whose preferred leader goes, or, with
    *all_leaders*, those of every partition that may be moved.  A broker that replaces another one
    takes its leads.
    """
    placed, heirs = scene.layout.partitions, scene.request.replacements
    lists = {p: in_place(placed[p].replicas, brokers, heirs) for p, brokers in chosen.items()}
    candidates: dict[TopicPartition, Candidates] = {}
    for partition in scene.movable if all_leaders else lists:
        before = placed[partition].replicas
        after = lists.get(partition, before)
        fit = frozenset(broker for broker in after if broker in scene.racks)
        # Kafka takes no list with a dead broker, though only its order were new.
        is_open = all_leaders or (before[0] not in fit and heirs.get(before[0]) != after[0])
        if len(fit) == len(after) and is_open:
            now = before[0] if before[0] in fit else None
            candidates[partition] = Candidates(brokers=fit, now=now)
    base = Counter(
        lists.get(partition, each.replicas)[0]
        for partition, each in placed.items()
        if partition not in candidates and each.replicas
    )
    leaders, _ = even_leaders(candidates, base)
    for partition, leader in leaders.items():
        lists[partition] = leading(leader, lists.get(partition, placed[partition].replicas))
    return {
        partition: replicas
        for partition, replicas in sorted(lists.items())
        if replicas != placed[partition].replicas
    }


def in_place(
    before: tuple[BrokerId, ...],
    chosen: frozenset[BrokerId],
    heirs: Mapping[BrokerId, BrokerId] = MappingProxyType({}),
) -> tuple[BrokerId, ...]:
    """Return *chosen* in the order of *before*, with those that come where others go, each where
    the one goes whose heir it is."""
    comers = sorted(chosen.difference(before))
    found = []
    for broker in before:
        if broker in chosen:
            found.append(broker)
        elif comers:
            heir = heirs.get(broker)
            found.append(comers.pop(comers.index(heir) if heir in comers else 0))
    return (*found, *comers)


def leading(leader: BrokerId, replicas: tuple[BrokerId, ...]) -> tuple[BrokerId, ...]:
    """Return *replicas* with *leader* first, in the place of whom the first one was.

    The first one takes the place of *leader*: all others stay where they are.
    """
    swap = {leader: replicas[0], replicas[0]: leader}
    return tuple(swap.get(broker, broker) for broker in replicas)
