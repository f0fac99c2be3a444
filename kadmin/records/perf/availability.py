"""Availability of partitions: from when to when could one not be written or read?

Knows neither client nor clock: it is handed what became of records.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

Partition = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which a partition did not answer; *ended* is None where it still does not."""

    partition: Partition
    began: float
    ended: float | None


class Incident(NamedTuple):
    """Outages of several partitions that overlap."""

    began: float
    ended: float | None
    partitions: tuple[Partition, ...]


class Availability:
    """The outages of all partitions in one direction.

    An outage begins when the first record was intended that then took *threshold_s* or longer, or
    failed; it ends with the next answer.
    """

    def __init__(self, threshold_s: float) -> None:
        self.threshold_s = threshold_s
        self.closed: dict[Partition, list[tuple[float, float]]] = defaultdict(list)
        self.open: dict[Partition, float] = {}

    def settled(self, partition: Partition, intended: float, at: float) -> None:
        """Note that the record which was *intended* then was answered *at* that time."""
        began = self.open.pop(partition, None)
        if at - intended >= self.threshold_s:
            began = intended if began is None else min(began, intended)
        if began is None:
            return
        spans = self.closed[partition]
        # What was sent during an outage is answered behind it, and belongs to it.
        while spans and spans[-1][1] >= began:
            began = min(began, spans.pop()[0])
        spans.append((began, at))

    def failed(self, partition: Partition, intended: float) -> None:
        """Note that the record which was *intended* then was refused, or given up."""
        self.open[partition] = min(intended, self.open.get(partition, intended))

    def outages(self) -> list[Outage]:
        """Return all outages, by their beginning."""
        found = [
            Outage(partition, *span) for partition, spans in self.closed.items() for span in spans
        ]
        found += [Outage(partition, began, None) for partition, began in self.open.items()]
        return sorted(found, key=lambda one: (one.began, one.partition))


def incidents(outages: Iterable[Outage]) -> list[Incident]:
    """Return *outages* that overlap as one each, in order."""
    found: list[Incident] = []
    for one in sorted(outages, key=lambda one: (one.began, one.partition)):
        last = found[-1] if found else None
        if last is not None and (last.ended is None or one.began <= last.ended):
            is_over = last.ended is not None and one.ended is not None
            found[-1] = Incident(
                last.began,
                max(last.ended or 0.0, one.ended or 0.0) if is_over else None,
                (*last.partitions, *({one.partition} - set(last.partitions))),
            )
        else:
            found.append(Incident(one.began, one.ended, (one.partition,)))
    return found
