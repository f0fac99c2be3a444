"""Events of a story from lines as they stand in files."""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from functools import cache

from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Level, Role
from kadmin.statechange.parse import parse_line
from kadmin.story.coverage import Coverage, Span, coverage_of
from kadmin.story.events import Event, Line
from kadmin.story.fold import fold
from kadmin.story.values import Story

Events = dict[tuple[str, int], list[Event]]

SHARED = [
    each.name for each in fields(StateChange) if each.name in {one.name for one in fields(Event)}
]


parsed = cache(parse_line)
"""Tests tell of the same lines again and again."""


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
        change = parsed(text)
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


def story(lines: Sequence[tuple[str, str]], name: tuple[str, int] = ("t", 0)) -> Story:
    (told,) = stories(lines, name)
    return told


def stories(lines: Sequence[tuple[str, str]], name: tuple[str, int] = ("t", 0)) -> list[Story]:
    logs = Logs(lines)
    return fold(*name, logs.events[name], logs.coverage)


def at(seconds: float, text: str, level: str = "INFO") -> str:
    ms = round(seconds * 1000)
    clock = f"{ms // 3_600_000:02d}:{ms // 60_000 % 60:02d}:{ms // 1000 % 60:02d},{ms % 1000:03d}"
    return f"[2026-11-20 {clock}] {level} {text} (state.change.logger)"


def online(seconds: float, epoch: int, leader: int, isr: str, **more: object) -> tuple[str, str]:
    """That the controller has found a leader, as 2.6 and later say it."""
    controller, term = more.get("controller", 1), more.get("term", 1)
    recovery = more.get("recovery", "RECOVERED")
    members = ", ".join(f"BrokerState(brokerId={each}, brokerEpoch=-1)" for each in isr.split(","))
    return str(controller), at(
        seconds,
        f"[Controller id={controller} epoch={term}] Changed partition t-0 from "
        f"{more.get('state', 'OfflinePartition')} to OnlinePartition with state "
        f"LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isrWithBrokerEpoch=List({members}), "
        f"leaderRecoveryState={recovery}, partitionEpoch={more.get('version', epoch)})",
    )


def created(replicas: str = "1,2,3") -> list[tuple[str, str]]:
    text = (
        "[Controller id=1 epoch=1] Changed partition t-0 state from NonExistentPartition to "
        f"NewPartition with assigned replicas {replicas}"
    )
    return [("1", at(1, text)), online(1.01, 0, 1, replicas, state="NewPartition")]
