"""Sizes and ends of replicas, as far as brokers tell them: how much is there to copy?"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.log_dirs import LogDirs, pairs
from kadmin.plan.reassignment.moves import Move
from kadmin.wording import amount, span

Sizes: TypeAlias = Mapping[TopicPartition, Mapping[BrokerId, int]]
"""The bytes of each replica, by partition and broker; those of which nobody tells are left out."""


Ends: TypeAlias = Mapping[TopicPartition, Mapping[BrokerId, int]]
"""The log end offset of each replica, by partition and broker; as incomplete."""


def sizes_of(log_dirs: LogDirs) -> Sizes:
    """What is in *log_dirs*, without what is being copied to another directory."""
    sizes: dict[TopicPartition, dict[BrokerId, int]] = {}
    for broker, directory in pairs(log_dirs):
        for log in directory.replicas:
            if not log.is_future:
                sizes.setdefault(log.partition, {})[broker] = log.size_bytes
    return sizes


def bytes_left(move: Move, sizes: Sizes) -> int | None:
    """What the replicas to come lack; None where nobody tells."""
    known = sizes.get(move.partition)
    if not known:
        return None
    whole = max((known.get(broker, 0) for broker in move.sources), default=0)
    return sum(max(0, whole - known.get(broker, 0)) for broker in move.incomplete)


def copied_bytes(moves: Iterable[Move], sizes: Sizes) -> dict[BrokerId, int]:
    """How many bytes each broker sends or takes for *moves*, as far as it is told.

    The leader sends; where there is none, any of those who have it.
    """
    copied: Counter[BrokerId] = Counter()
    for move in moves:
        known = sizes.get(move.partition, {})
        whole = max((known.get(broker, 0) for broker in move.sources), default=0)
        for broker in move.incomplete:
            left = max(0, whole - known.get(broker, 0))
            copied[broker] += left
            source = move.leader if move.leader is not None else next(iter(move.sources), None)
            if source is not None:
                copied[source] += left
    return dict(copied)


def lags(move: Move, ends: Ends) -> dict[BrokerId, int]:
    """How many records each replica to come is behind those that are there; those of which nobody
    tells are left out."""
    known = ends.get(move.partition, {})
    there = [known[broker] for broker in move.before.replicas if broker in known]
    return {broker: max(there) - known[broker] for broker in move.incomplete if broker in known}


def copied_text(moves: Sequence[Move], sizes: Sizes, rate: int | None) -> str:
    """How much has to be copied, where brokers tell, and how long that takes at *rate*."""
    if not any(move.partition in sizes for move in moves):
        return ""
    by_broker = copied_by_broker(moves, sizes)
    text = f", {amount(sum(by_broker.values()))} to copy"
    if rate is None or not by_broker:
        return text
    return f"{text}, at least {span(max(by_broker.values()) / rate)} at {amount(rate)}/s"


def copied_by_broker(moves: Sequence[Move], sizes: Sizes) -> dict[BrokerId, int]:
    """The bytes that each broker has to take for *moves*, as far as brokers tell."""
    copied: Counter[BrokerId] = Counter()
    for move in moves:
        known = sizes.get(move.partition, {})
        whole = max((known.get(broker, 0) for broker in move.sources), default=0)
        for broker in move.incomplete if known else ():
            copied[broker] += max(0, whole - known.get(broker, 0))
    return dict(copied)
