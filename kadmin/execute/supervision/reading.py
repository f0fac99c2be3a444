"""The cluster as a supervisor sees it: what it reads, and how often."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from cluster.model import fault as subjects
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import ReassignmentAdmin
from kadmin.arguments.topics import TopicSelection
from kadmin.execute.unreadable import refuse_unreadable
from kadmin.plan.log_dirs import LogDirs
from kadmin.plan.reassignment.sizes import Sizes, sizes_of
from kadmin.plan.supervision.run import MoveRun
from kadmin.plan.supervision.view import View

SIZES_MS = 2_000
"""Brokers are asked for sizes so often at most."""


class Reader:
    """Reads what a run depends on, by *admin*."""

    def __init__(self, admin: ReassignmentAdmin, now_ms: Callable[[], int]) -> None:
        self.admin = admin
        self.now_ms = now_ms
        self.latest = View(snapshot=ClusterSnapshot(brokers={}, topics={}), now_ms=0)
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
            now_ms=self.now_ms(),
            takes_request=has_room,
            sizes=self.latest.sizes,
            rooms=self.latest.rooms,
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
        return replace(view, sizes=sizes_of(log_dirs), rooms=rooms_of(log_dirs) or view.rooms)


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
