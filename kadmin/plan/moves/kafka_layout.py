"""The layout that Kafka's `--generate` makes, beside what the least movement would be.

Kafka draws where each topic begins; here the topics' names decide, so that equal clusters have
equal plans.
"""

from zlib import crc32

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.goals import Reached
from kadmin.plan.moves.least_movement import Unplaced, least_movement
from kadmin.plan.moves.levels import even_levels, with_levels
from kadmin.plan.moves.problem import Impossible
from kadmin.plan.moves.scene import Scene
from kadmin.plan.place import drawn_placement, place

Lists = dict[TopicPartition, tuple[BrokerId, ...]]


def propose_as_kafka(scene: Scene) -> tuple[Lists, Reached]:
    """Return the replicas of each partition that changes, in order, and the lower bound for an even
    layout on the same brokers.

    Raises:
        NotEnoughBrokers, MixedRacks: as for `--generate`.
    """
    scene.require_live(scene.request.brokers)
    brokers = scene.request.brokers or tuple(scene.layout.brokers)
    racks = {broker: scene.layout.brokers[broker] for broker in sorted(brokers)}
    by_topic: dict[str, list[TopicPartition]] = {}
    for partition in scene.movable:
        by_topic.setdefault(partition.topic, []).append(partition)
    lists: Lists = {}
    for topic, partitions in by_topic.items():
        factor = len(scene.movable[partitions[0]].replicas)
        drawn = crc32(topic.encode())
        layout = place(
            racks,
            partition_count=len(partitions),
            replication_factor=factor,
            placement=drawn_placement(
                (drawn & 0xFFFF, drawn >> 16),
                len(racks),
                is_rack_aware=scene.request.is_rack_aware,
            ),
        )
        lists.update(zip(partitions, layout.values(), strict=True))
    changed = {p: target for p, target in lists.items() if target != scene.movable[p].replicas}
    moved = sum(len(set(lists[p]).difference(scene.movable[p].replicas)) for p in changed)
    bound = least_for_the_same(scene, frozenset(brokers), lists)
    return changed, Reached(chosen={}, lower_bound=min(bound, moved))


def least_for_the_same(scene: Scene, brokers: frozenset[BrokerId], lists: Lists) -> int:
    leaving = set(scene.racks) - brokers
    demands = [scene.demand(p, leaving, len(target)) for p, target in lists.items()]
    problem = scene.problem(demands, brokers)
    levels = even_levels(problem, scene.base(demands), stays_stay=False)
    try:
        if levels is not None:
            problem = with_levels(problem, scene.base(demands), levels)
        return least_movement(problem).lower_bound
    except (Impossible, Unplaced):
        return 0
