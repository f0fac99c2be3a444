"""Waves: which moves fit into one request, where that is a znode of limited size?"""

from typing import Final

from kadmin.plan.reassignment.moves import Move, MovePlan

REQUEST_SIZE_MAX_BYTES: Final = 1_000_000
"""ZooKeeper accepts 1,048,575 bytes in one transaction unless its jute.maxbuffer is set; the rest
is for what is written around the request."""

TOPIC_OVERHEAD_BYTES: Final = 200
"""What a transaction holds at most to check one topic, beside its name."""


def in_waves(plan: MovePlan, size_max_bytes: int = REQUEST_SIZE_MAX_BYTES) -> list[MovePlan]:
    """Return what of *plan* has to be asked for, in its order, in as few requests as the size
    allows."""
    waves: list[list[Move]] = []
    left_bytes = 0
    topic = None
    for move in plan.asked:
        size_bytes = request_size_bytes(move)
        topic_bytes = len(move.partition.topic) + TOPIC_OVERHEAD_BYTES
        needed_bytes = size_bytes + (topic_bytes if move.partition.topic != topic else 0)
        if not waves or needed_bytes > left_bytes:
            waves.append([])
            left_bytes, needed_bytes = size_max_bytes, size_bytes + topic_bytes
        waves[-1].append(move)
        left_bytes -= needed_bytes
        topic = move.partition.topic
    return [part_of(plan, moves) for moves in waves]


def request_size_bytes(move: Move) -> int:
    """Return what *move* takes in a request; names of topics are ASCII."""
    replicas = ",".join(map(str, move.target.replicas))
    topic, number = move.partition.topic, move.partition.partition
    return len(f'{{"topic":"{topic}","partition":{number},"replicas":[{replicas}]}},')


def part_of(plan: MovePlan, moves: list[Move]) -> MovePlan:
    names = dict.fromkeys(move.partition.topic for move in moves)
    return MovePlan(moves=tuple(moves), before={name: plan.before[name] for name in names})
