"""The cluster as a supervisor sees it: what it reads, and how often."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from cluster.model import fault as subjects
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin, RunStore
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import KadminError, RefusedError, UnreachableError
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.sizes import Sizes, sizes_of
from kadmin.plan.supervision.procedure import Memory, stalls_of
from kadmin.plan.supervision.progress import RunProgress, progress_of
from kadmin.plan.supervision.run import MoveRun, RunState
from kadmin.plan.supervision.view import View

SIZES_MS = 2_000
"""Brokers are asked for sizes so often at most."""


def no_run(run_id: str | None, place: str) -> str:
    which = "no run" if run_id is None else f"no run {run_id}"
    return f"there is {which} of this cluster in {place}"


class NoSuchRun(KadminError):
    """There is no run, or none of that id."""

    def __init__(self, run_id: str | None, place: str) -> None:
        super().__init__(
            no_run(run_id, place),
            hint="'kadmin reassign list' lists all there are; 'kadmin reassign run FILE' begins"
            " one",
        )


class RunsUnseen(UnreachableError):
    """A run is not in *store*, and may be where that cannot read it."""

    def __init__(self, run_id: str | None, store: RunStore) -> None:
        super().__init__(
            f"{no_run(run_id, store.place)}, and {store.unseen}",
            hint="ask again when that can be reached, from a machine that reaches it, or by another"
            " address of it with --zookeeper",
        )


@dataclass(frozen=True, slots=True)
class Clock:
    """A steady clock for durations, the wall clock for the times in journals, and a pause."""

    now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000
    time_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000
    sleep: Callable[[float], None] = time.sleep


class Reader:
    """Reads what a run depends on, by *admin*."""

    def __init__(self, admin: ReassignmentAdmin, clock: Clock) -> None:
        self.admin = admin
        self.clock = clock
        self.latest = View(snapshot=ClusterSnapshot(brokers={}, topics={}), now_ms=0, time_ms=0)
        self.sizes_at_ms: int | None = None

    def view(self, run: MoveRun) -> View:
        """Return what is to be seen of *run* now.

        Raises:
            Unreadable: what moves, or a topic of the plan, is damaged.
        """
        names = tuple(dict.fromkeys(move.partition.topic for move in run.moves))
        snapshot = self.admin.snapshot(TopicSelection(wanted=names), with_configs=True)
        refuse_unreadable(
            snapshot, {subjects.REASSIGNMENT, subjects.BROKERS, *map(subjects.topic, names)}
        )
        has_room = not (self.admin.takes_one_request and (snapshot.moving or snapshot.stale_moves))
        view = View(
            snapshot=snapshot,
            now_ms=self.clock.now_ms(),
            time_ms=self.clock.time_ms(),
            takes_request=has_room,
            sizes=self.latest.sizes,
            rooms=self.latest.rooms,
            silent=self.latest.silent & frozenset(snapshot.brokers),
        )
        self.latest = self.with_sizes(run, view)
        return self.latest

    def with_sizes(self, run: MoveRun, view: View) -> View:
        """Return *view* with the sizes of what is under way, and the room where it goes."""
        last_ms = self.sizes_at_ms
        if last_ms is not None and 0 <= view.now_ms - last_ms < SIZES_MS:
            return view
        standings = view.standings(run.moves)
        moving = [each for each, standing in standings.items() if standing.is_under_way]
        self.sizes_at_ms = view.now_ms
        log_dirs = (self.admin.log_dirs(moving) if moving else None) or {}
        return replace(
            view,
            sizes=sizes_of(log_dirs),
            rooms=rooms_of(log_dirs) or view.rooms,
            silent=view.live - log_dirs.keys() if log_dirs else frozenset(),
        )


def rooms_of(log_dirs: LogDirs) -> Mapping[BrokerId, int]:
    """Return the bytes that are free on the emptiest disk of each broker that reports it."""
    found: dict[BrokerId, int] = {}
    for broker, directories in log_dirs.items():
        rooms = [
            directory.usable_bytes
            for directory in directories
            if directory.usable_bytes is not None and directory.error_code == ErrorCode.NONE
        ]
        if rooms:
            found[broker] = max(rooms)
    return found


def with_sizes(run: MoveRun, sizes: Sizes) -> MoveRun:
    """Return *run* with the sizes that its plan lacks, so far as brokers report them."""
    moves = tuple(
        move
        if move.size_bytes is not None or not sizes.get(move.partition)
        else replace(move, size_bytes=max(sizes[move.partition].values()))
        for move in run.moves
    )
    return replace(run, plan=replace(run.plan, moves=moves))


def progress_at(
    admin: ReassignmentAdmin, store: RunStore, run_id: str | None, memory: Memory, clock: Clock
) -> RunProgress:
    """Return how far the run, or the latest, is now; *memory* is of the looks before.

    Raises:
        NoSuchRun: there is none.
    """
    run = found_run(store, run_id)
    view = Reader(admin, clock).view(run)
    is_supervised = run.state.is_final or store.supervisor() is not None
    stalls = stalls_of(run, view, memory)
    found = progress_of(run, view, is_supervised=is_supervised, stalls=stalls)
    return replace(found, rate=memory.meter.rate(found.bytes_left, view.now_ms))


def found_run(store: RunStore, run_id: str | None) -> MoveRun:
    """Return the run with *run_id*, or the latest.

    Raises:
        NoSuchRun: there is none.
        RunsUnseen: there may be one elsewhere.
        RefusedError: its journal is damaged.
    """
    known = store.run_ids()
    wanted = run_id if run_id is not None else (known[-1] if known else None)
    run = None if wanted is None else store.read(wanted)
    if run is None:
        raise RunsUnseen(run_id, store) if store.unseen else NoSuchRun(run_id, store.place)
    return run


def listed_runs(store: RunStore) -> tuple[list[tuple[MoveRun, RunState]], list[str]]:
    """Return all runs with their states, the oldest first, and what is wrong with the others."""
    runs, damaged = [], [store.unseen] if store.unseen else []
    supervisor = store.supervisor()
    for run_id in store.run_ids():
        try:
            run = store.read(run_id)
        except RefusedError as error:
            damaged.append(error.message)
            continue
        if run is not None:
            is_at_work = run.state.is_final or supervisor is not None
            runs.append((run, run.state if is_at_work else RunState.INTERRUPTED))
    return runs, damaged
