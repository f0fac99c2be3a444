"""The controller of a cluster of this machine: how do the figures of its events look?

Durations are in ms.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

from cluster.model.controller_stats import ControllerStats, EventStats
from kadmin.render.brokers import time_text

if TYPE_CHECKING:
    from rich.console import RenderableType


def controller_record(stats: ControllerStats) -> dict[str, object]:
    return {
        "broker": stats.broker_id,
        "epoch": stats.controller_epoch,
        "since": time_text(stats.since_ms),
        "events": [asdict(event) for event in stats.events],
    }


def controller_lines(stats: ControllerStats, *, with_events: bool) -> Iterator[str]:
    """Return one line; *with_events*, one more for each kind of event."""
    yield (
        f"controller: broker {stats.broker_id} epoch={stats.controller_epoch}"
        f" events={count(stats)} queue_ms_max={longest_queue(stats):g}"
        f" processing_ms_max={longest_processing(stats):g}"
    )
    if with_events:
        for event in stats.events:
            queue, processing = event.queue_ms, event.processing_ms
            yield (
                f"event {event.event}: count={event.count}"
                f" queue_ms={queue.mean:g} queue_ms_p99={queue.p99:g} queue_ms_max={queue.max:g}"
                f" processing_ms={processing.mean:g} processing_ms_p99={processing.p99:g}"
                f" processing_ms_max={processing.max:g}"
            )


def controller_table(stats: ControllerStats, *, with_events: bool) -> "list[RenderableType]":
    from rich.text import Text

    from kadmin.render.tables import FittedTable

    heading = Text.assemble(
        "\ncontroller ",
        (f"broker {stats.broker_id}", "bold"),
        f"  epoch {stats.controller_epoch}  {count(stats)} events"
        f"  waited {longest_queue(stats):g} ms and took {longest_processing(stats):g} ms at most",
    )
    if not with_events:
        return [heading]
    table = FittedTable("event")
    table.add_column("count", justify="right", worth=7)
    for what, worth in (("queue", 1), ("processing", 4)):
        table.add_column(f"{what} ms", justify="right", worth=worth + 1)
        table.add_column("p99", justify="right", worth=worth)
        table.add_column("max", justify="right", worth=worth + 2)
    for event in stats.events:
        table.add_row(event.event, str(event.count), *spreads(event))
    return [heading, table]


def spreads(event: EventStats) -> Iterator[str]:
    for spread in (event.queue_ms, event.processing_ms):
        yield from (f"{spread.mean:g}", f"{spread.p99:g}", f"{spread.max:g}")


def count(stats: ControllerStats) -> int:
    return sum(event.count for event in stats.events)


def longest_queue(stats: ControllerStats) -> float:
    return max((event.queue_ms.max for event in stats.events), default=0)


def longest_processing(stats: ControllerStats) -> float:
    return max((event.processing_ms.max for event in stats.events), default=0)
