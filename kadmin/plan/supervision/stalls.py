"""Stalls: what a run, or one of its moves, waits for."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.moves.plan_file import PlannedMove
from kadmin.plan.reassignment.moves import part_of
from kadmin.plan.reassignment.sizes import Sizes
from kadmin.plan.supervision.standing import Standing
from kadmin.plan.supervision.view import View
from kadmin.wording import amount, brokers_text, verb_of

PATIENCE_MS: Final = 15_000
"""A move that has not got on for so long is named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stall:
    """*reason* holds up *partition*, or all of a run where that is None; since *since_ms*.

    One that *is_outrun* is written to faster than it is copied.
    """

    partition: TopicPartition | None
    reason: str
    since_ms: int
    is_outrun: bool = False

    def __str__(self) -> str:
        name = "" if self.partition is None else f"{self.partition}: "
        return f"{name}{self.reason}"


@dataclass(slots=True)
class Advance:
    """How a move stood when it last got on: at *since_ms* it lacked *left* bytes, *missing* was out
    of the ISR.  *most_left* is the most that it has lacked since.  One that *is_first* was seen
    then, and has not been seen to get on."""

    left: int | None
    missing: tuple[BrokerId, ...]
    since_ms: int
    most_left: int
    is_first: bool

    @property
    def is_outrun(self) -> bool:
        return bool(self.missing) and self.left is not None and self.most_left > self.left


@dataclass(slots=True)
class Watcher:
    """Watches the moves under way, and names those that do not get on."""

    seen: dict[TopicPartition, Advance] = field(default_factory=dict)

    def stalls(
        self,
        moves: Mapping[TopicPartition, PlannedMove],
        standings: Mapping[TopicPartition, Standing],
        view: View,
        rate: int | None,
    ) -> Iterator[Stall]:
        """Return what holds up those of *moves* that are under way, at a throttle of *rate*."""
        under_way = [each for each, standing in standings.items() if standing.is_under_way]
        for partition in self.seen.keys() - set(under_way):
            del self.seen[partition]
        if under_way and view.snapshot.lacks_controller:
            yield Stall(partition=None, reason="there is no controller", since_ms=view.time_ms)
            return
        headings = {
            each: moves[each].target if standings[each] is Standing.MOVING else moves[each].replicas
            for each in under_way
        }
        for partition, heading in headings.items():
            self.look(moves[partition], heading, view)
        copying = {
            broker
            for each in self.seen.values()
            if not each.is_first and view.now_ms - each.since_ms < PATIENCE_MS
            for broker in each.missing
        }
        for partition, heading in headings.items():
            seen = self.seen[partition]
            reason = plain_reason(partition, heading, view)
            is_outrun = False
            if reason is None and view.now_ms - seen.since_ms >= PATIENCE_MS:
                is_outrun = seen.is_outrun
                reason = slow_reason(partition, seen, view, rate, copying)
            if reason is not None:
                yield Stall(
                    partition=partition,
                    reason=reason,
                    since_ms=view.wall_time(seen.since_ms),
                    is_outrun=is_outrun,
                )

    def look(self, move: PlannedMove, heading: tuple[BrokerId, ...], view: View) -> None:
        left = left_of(move, heading, view.sizes)
        state = view.state(move.partition)
        isr = () if state is None else state.isr
        missing = tuple(broker for broker in heading if broker not in isr)
        before = self.seen.get(move.partition)
        gets_on = before is None or missing != before.missing or is_less(left, before.left)
        if before is None or gets_on:
            before = Advance(left, missing, view.now_ms, left or 0, is_first=before is None)
            self.seen[move.partition] = before
        before.most_left = max(before.most_left, left or 0)


def is_less(left: int | None, before: int | None) -> bool:
    return left is not None and before is not None and left < before


def left_of(move: PlannedMove, heading: tuple[BrokerId, ...], sizes: Sizes) -> int | None:
    """Return the bytes that the replicas to come lack; None where brokers report no sizes."""
    known = sizes.get(move.partition)
    if not known:
        return None
    whole = max(known.values())
    return sum(whole - known.get(broker, 0) for broker in heading)


def plain_reason(
    partition: TopicPartition, heading: tuple[BrokerId, ...], view: View
) -> str | None:
    """Return what certainly holds it up."""
    dead = [broker for broker in heading if broker not in view.live]
    if dead:
        return f"{brokers_text(dead)} {verb_of(dead, 'is')} not alive"
    state = view.state(partition)
    if state is None:
        return None
    if state.leader < 0:
        return "it has no leader to copy from"
    if state.leader in view.silent:
        return f"broker {state.leader}, which leads it, does not answer"
    silent = [broker for broker in heading if broker in view.silent and broker not in state.isr]
    if silent:
        return f"{brokers_text(silent)} {verb_of(silent, 'does')} not answer"
    return None


def slow_reason(
    partition: TopicPartition,
    seen: Advance,
    view: View,
    rate: int | None,
    copying: Collection[BrokerId],
) -> str:
    """Return what probably holds it up; *copying* are brokers that get on with other moves."""
    part = part_of(view.snapshot, partition)
    is_begun = part is not None and part.is_reassigning
    if not seen.missing:
        return "its replicas are in sync, and the controller does not end it"
    brokers = ", ".join(map(str, seen.missing))
    if seen.left is None:
        if not is_begun:
            return "the controller has not begun it"
        return f"broker {brokers} is not in sync yet"
    if seen.is_outrun:
        at = "" if rate is None else f": the throttle of {amount(rate)}/s is below its produce rate"
        return f"it is written faster than broker {brokers} copies it{at}"
    if all(broker in copying for broker in seen.missing):
        at = "" if rate is None else f", at a throttle of {amount(rate)}/s"
        return f"broker {brokers} copies other moves first{at}"
    return f"broker {brokers} does not fetch"
