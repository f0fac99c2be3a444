"""Texts that name a topic and its replicas: what do they mean, and are they legal?"""

from cluster.model.ids import BrokerId
from cluster.model.placement import Layout
from kadmin.arguments.numbers import broker_number
from kadmin.plan.topic_refusals import UnfitAssignment


def parse_assignment(text: str) -> Layout:
    """Parse `0:1,1:2`: a comma between partitions 0, 1, …, a colon between replicas.

    Raises:
        UnfitAssignment: no broker ids, a broker twice in a partition, or partitions with
            different numbers of replicas.
    """
    layout: Layout = {}
    for partition, part in enumerate(text.split(",")):
        try:
            replicas = tuple(BrokerId(broker_number(item)) for item in part.split(":"))
        except ValueError as error:
            raise UnfitAssignment(
                f"the replicas '{part}' of partition {partition} are no broker ids: {error}",
                hint="write them as 0:1,1:2 (comma between partitions, colon between replicas)",
            ) from None
        if len(set(replicas)) < len(replicas):
            raise UnfitAssignment(
                f"partition {partition} has duplicate replicas: {part.strip()}",
                hint="name each broker once in a partition: 0:1,1:2",
            )
        layout[partition] = replicas
    first = layout[0]
    for partition, replicas in layout.items():
        if len(replicas) != len(first):
            raise UnfitAssignment(
                f"partition {partition} has {len(replicas)} replicas, partition 0 has {len(first)}",
                hint="every partition of a topic has the same replication factor",
            )
    return layout
