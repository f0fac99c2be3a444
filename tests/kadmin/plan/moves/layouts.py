"""Layouts of clusters for tests of planners."""

from random import Random

from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from kadmin.plan.moves.layout import ClusterLayout, Disks, PlacedPartition


def ids(*brokers: int) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, brokers))


def layout_of(
    racks: str,
    *replicas: tuple[int, ...],
    sizes: tuple[int | None, ...] = (),
    dead: tuple[int, ...] = (),
    disk_size: int | None = None,
) -> ClusterLayout:
    """Brokers from 0 on, each with the letter of its rack, `-` for none; partitions of `t` with
    *replicas*."""
    brokers = {
        BrokerId(number): None if rack == "-" else rack
        for number, rack in enumerate(racks)
        if number not in dead
    }
    partitions = {
        TopicPartition("t", number): PlacedPartition(
            replicas=ids(*brokers_of),
            zk_version=ZkVersion(7),
            size_bytes=sizes[number] if sizes else None,
        )
        for number, brokers_of in enumerate(replicas)
    }
    used = dict.fromkeys(brokers, 0)
    for number, brokers_of in enumerate(replicas):
        for broker in ids(*brokers_of):
            used[broker] = used.get(broker, 0) + ((sizes[number] or 0) if sizes else 0)
    disks = (
        {}
        if disk_size is None
        else {b: Disks(total_bytes=disk_size, used_bytes=used[b]) for b in brokers}
    )
    return ClusterLayout(brokers=brokers, partitions=partitions, cluster_id="c", disks=disks)


def drawn_layout(draw: Random) -> ClusterLayout:
    """A cluster that nobody planned: up to nine brokers, in up to three racks or none, one of
    them dead now and then."""
    count = draw.randint(2, 9)
    names = "abc"[: draw.randint(1, 3)]
    brokers = {
        BrokerId(number): draw.choice(names) if len(names) > 1 else None for number in range(count)
    }
    partitions = {}
    for topic in range(draw.randint(1, 4)):
        factor = draw.randint(1, min(3, count))
        for number in range(draw.randint(1, 12)):
            partitions[TopicPartition(f"t{topic}", number)] = PlacedPartition(
                replicas=tuple(draw.sample(sorted(brokers), factor)),
                zk_version=ZkVersion(1),
                size_bytes=draw.randint(0, 1000),
            )
    if draw.random() < 0.3:
        brokers.pop(draw.choice(sorted(brokers)))
    return ClusterLayout(brokers=brokers, partitions=partitions, cluster_id="c")
