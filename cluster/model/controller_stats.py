"""Statistics of a broker's controller events: numbers and durations.

A broker writes them to a file beside its logs, for tools to read; this is the content of the file.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

FILE_NAME: Final = "controller-stats.json"
VERSION: Final = 1
"""The version of the file's format; a reader refuses any other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Durations in ms; *p99* is that of a sample in which late ones weigh more."""

    mean: float
    p99: float
    max: float


@dataclass(frozen=True, slots=True, kw_only=True)
class EventStats:
    """Events of one kind: how long they waited in the queue, and how long they then took.

    *event* is a name of Kafka's ControllerState.
    """

    event: str
    count: int
    queue_ms: Spread
    processing_ms: Spread


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerStats:
    """Of one process, since its start at *since_ms*.

    *controller_epoch* is None while the broker is not the controller.
    """

    broker_id: int
    pid: int
    controller_epoch: int | None
    since_ms: int
    events: tuple[EventStats, ...]


def encode_controller_stats(stats: ControllerStats) -> bytes:
    return json.dumps({"version": VERSION, **asdict(stats)}).encode()


def decode_controller_stats(data: bytes) -> ControllerStats | None:
    """None for another file, or another version."""
    try:
        fields = json.loads(data)
        if fields.pop("version") != VERSION:
            return None
        events = tuple(map(event_stats, fields.pop("events")))
        return ControllerStats(**fields, events=events)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def event_stats(fields: Mapping[str, Any]) -> EventStats:
    return EventStats(
        event=fields["event"],
        count=fields["count"],
        queue_ms=Spread(**fields["queue_ms"]),
        processing_ms=Spread(**fields["processing_ms"]),
    )
