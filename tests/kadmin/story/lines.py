"""Events of a story from lines as they stand in files."""

from collections.abc import Iterable, Sequence
from dataclasses import fields

from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Level, Role
from kadmin.statechange.parse import parse_line
from kadmin.story.coverage import Coverage, Span, coverage_of
from kadmin.story.events import Event, Line

Events = dict[tuple[str, int], list[Event]]

SHARED = [
    each.name for each in fields(StateChange) if each.name in {one.name for one in fields(Event)}
]


class Logs:
    """Lines of several brokers, each `(source, text)`, in the order of time."""

    def __init__(self, lines: Iterable[tuple[str, str]]) -> None:
        self.events: Events = {}
        self.spans: dict[tuple[object, ...], Span] = {}
        self.numbers: dict[str, int] = {}
        for source, text in lines:
            self.add(source, text)

    def add(self, source: str, text: str) -> None:
        number = self.numbers[source] = self.numbers.get(source, 0) + 1
        change = parse_line(text)
        if change.time_ms is None:
            return
        line = Line(
            time_ms=change.time_ms,
            source=source,
            file=f"{source}.log",
            number=number,
            text=f"{change.level} {change.message}",
        )
        self.cover(source, change, change.time_ms)
        said = {name: getattr(change, name) for name in SHARED}
        for partition in change.partitions:
            self.events.setdefault(partition, []).append(Event(line=line, **said))

    def cover(self, source: str, change: StateChange, time_ms: int) -> None:
        if change.role is None or change.broker is None:
            return
        epoch = change.controller_epoch if change.role is Role.CONTROLLER else None
        key = source, change.role, change.broker, epoch
        known = self.spans.get(key)
        self.spans[key] = Span(
            source=source,
            role=change.role,
            broker=change.broker,
            controller_epoch=epoch,
            first_ms=time_ms if known is None else known.first_ms,
            last_ms=time_ms,
            has_traces=change.level is Level.TRACE or (known is not None and known.has_traces),
            lines=1 if known is None else known.lines + 1,
        )

    @property
    def coverage(self) -> Coverage:
        return coverage_of(self.spans.values())


def merged(logs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The lines of whole *logs*, each `(source, content)`, in the order of time."""
    lines = [(source, line) for source, content in logs for line in content.splitlines()]
    dated = [each for each in lines if each[1].startswith("[")]
    return sorted(dated, key=lambda each: each[1][1:24])
