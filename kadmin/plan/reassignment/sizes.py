"""Sizes and log end offsets of replicas, as far as brokers report them, and what is
left to copy."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.log_dirs import LogDirs, pairs
from kadmin.plan.reassignment.moves import Move
from kadmin.wording import amount, span

Sizes: TypeAlias = Mapping[TopicPartition, Mapping[BrokerId, int]]
"""The bytes of each replica, by partition and broker; those that no broker reports are left out."""


Ends: TypeAlias = Mapping[TopicPartition, Mapping[BrokerId, int]]
"""The log end offset of each replica, by partition and broker; as incomplete."""


def sizes_of(log_dirs: LogDirs) -> Sizes:
    """Return what is in *log_dirs*, without what is being copied to another directory."""
    sizes: dict[TopicPartition, dict[BrokerId, int]] = {}
    for broker, directory in pairs(log_dirs):
        for log in directory.replicas:
            if not log.is_future:
                sizes.setdefault(log.partition, {})[broker] = log.size_bytes
    return sizes


def bytes_left(move: Move, sizes: Sizes) -> int | None:
    """Return how many bytes the replicas to come lack; None where no broker reports sizes."""
    known = sizes.get(move.partition)
    if not known:
        return None
    whole = max((known.get(broker, 0) for broker in move.sources), default=0)
    return sum(max(0, whole - known.get(broker, 0)) for broker in move.incomplete)


def copied_bytes(moves: Iterable[Move], sizes: Sizes) -> dict[BrokerId, int]:
    """Return how many bytes each broker sends or receives for *moves*, as far as sizes are known.

    The leader sends; where there is none, any of the replicas that have the data.
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
    """Return how many records each replica to come is behind the present ones; those without a
    known log end offset are left out."""
    known = ends.get(move.partition, {})
    there = [known[broker] for broker in move.before.replicas if broker in known]
    return {broker: max(there) - known[broker] for broker in move.incomplete if broker in known}


def copied_text(moves: Sequence[Move], sizes: Sizes, rate: int | None) -> str:
    """Describe how much has to be copied, where sizes are known, and how long that
    takes at *rate*."""
    if not any(move.partition in sizes for move in moves):
        return ""
    by_broker = copied_by_broker(moves, sizes)
    text = f", {amount(sum(by_broker.values()))} to copy"
    if rate is None or not by_broker:
        return text
    return f"{text}, at least {span(max(by_broker.values()) / rate)} at {amount(rate)}/s"


def copied_by_broker(moves: Sequence[Move], sizes: Sizes) -> dict[BrokerId, int]:
    """Return the bytes that each broker has to receive for *moves*, as far as sizes are known."""
    copied: Counter[BrokerId] = Counter()
    for move in moves:
        known = sizes.get(move.partition, {})
        whole = max((known.get(broker, 0) for broker in move.sources), default=0)
        for broker in move.incomplete if known else ():
            copied[broker] += max(0, whole - known.get(broker, 0))
    return dict(copied)
