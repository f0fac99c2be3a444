"""Failures of a fetcher: how a failing partition is treated, and what is logged.

Each failure affects only its partition: it waits, or is no longer fetched, and the others go on.
Lines are few: all partitions of an answer with the same reason share one, once until it is over.
"""

from collections.abc import Callable, Iterable
from typing import Final

from cluster.broker.handling import Cancel
from cluster.broker.ports import Ports
from cluster.broker.replica_fetcher.fetched_partitions import FetchedPartitions
from cluster.broker.replica_fetcher.followed_partition import FollowedPartition
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from cluster.replication.fetch_pace import FetchPace
from cluster.replication.fetch_phases import FetchPhase
from cluster.replication.fetch_state import NEWS_TO_COME, Reaction, reaction_to

NAMED_MAX: Final = 5
"""How many partitions a line names."""


class FetchFailures:
    """Failures of the fetcher *name* from *leader_id*; *wake* lets it go on."""

    def __init__(
        self,
        ports: Ports,
        partitions: FetchedPartitions,
        pace: FetchPace,
        leader_id: BrokerId,
        name: str,
        wake: Callable[[], None],
    ) -> None:
        self._ports = ports
        self._partitions = partitions
        self._pace = pace
        self._leader_id = leader_id
        self._name = name
        self._wake = wake
        self._backoff_ms = ports.settings.fetchers.backoff_ms
        self._stop_delay: Cancel | None = None
        self._refused: dict[str, list[TopicPartition]] = {}
        """What to log of one answer: reasons, and the partitions of each."""
        self._works_again: list[TopicPartition] = []
        self._fenced: list[TopicPartition] = []
        """The partitions of one answer for which the leader has a newer epoch."""

    def close(self) -> None:
        """Resume nothing any more."""
        if self._stop_delay is not None:
            self._stop_delay()

    def refuse(self, followed: FollowedPartition, error: int) -> None:
        """React to an error of the leader."""
        self._pace.has_changed = True
        reaction = reaction_to(error)
        if reaction is Reaction.RESET and followed.state.phase is FetchPhase.FETCHING:
            self._partitions.lose_range(followed)
        elif reaction is Reaction.AWAIT_ORDER:
            self._stop_asking(followed)
            self._fenced.append(followed.partition)
        else:
            self.delay(followed, name_of(error), passes=error in NEWS_TO_COME)

    def delay(self, followed: FollowedPartition, reason: str, *, passes: bool) -> None:
        """Fetch a partition no more for a while; a reason that *passes* by itself is logged
        later.
        """
        self._pace.has_changed = True
        clock = self._ports.clock
        self._partitions.delay(followed, clock.now_ms() + self._backoff_ms)
        if self._stop_delay is None:
            self._stop_delay = clock.call_later(self._backoff_ms, self._resume)
        if followed.is_refused(passes=passes):
            self._refused.setdefault(reason, []).append(followed.partition)

    def _resume(self) -> None:
        self._stop_delay = None
        clock = self._ports.clock
        now_ms = clock.now_ms()
        due_ms = self._partitions.resume(now_ms)
        if due_ms is not None:
            self._stop_delay = clock.call_later(due_ms - now_ms, self._resume)
        self._wake()

    def fail(self, followed: FollowedPartition, reason: str) -> None:
        """Fetch a partition no more, for as long as its leader epoch lasts."""
        self._stop_asking(followed)
        self._ports.journal.error(
            f"{self._name}: {followed.partition} is not fetched until the controller orders it"
            f" anew: {reason}"
        )

    def _stop_asking(self, followed: FollowedPartition) -> None:
        self._pace.has_changed = True
        followed.state.fail()
        self._partitions.leave_phase(followed.key)

    def end(self, followed: FollowedPartition) -> None:
        """Note that a partition that failed is fetched again."""
        followed.refusal_count = 0
        if followed.is_reported:
            followed.is_reported = False
            self._works_again.append(followed.partition)

    def report(self) -> None:
        """Log the results of an answer in few lines."""
        journal = self._ports.journal
        for reason, partitions in self._refused.items():
            journal.warning(
                f"{self._name}: {named(partitions)} cannot be fetched from broker"
                f" {self._leader_id}: {reason}; asked again every {self._backoff_ms} ms"
            )
        self._refused.clear()
        if self._works_again:
            journal.info(f"{self._name}: {named(self._works_again)} can be fetched again")
            self._works_again.clear()
        if self._fenced:
            # Normal while leaders move: the leader received its order a moment before this broker.
            journal.info(
                f"{self._name}: the controller's order is awaited for {named(self._fenced)}: broker"
                f" {self._leader_id} has a newer leader epoch"
            )
            self._fenced.clear()


def name_of(error: int) -> str:
    try:
        return ErrorCode(error).name
    except ValueError:
        return f"error {error}"


def named(partitions: Iterable[TopicPartition]) -> str:
    """Some of *partitions* by name, and how many others there are."""
    names = list(map(str, partitions))
    more = len(names) - NAMED_MAX
    return ", ".join(names[:NAMED_MAX]) + (f" and {more} others" if more > 0 else "")
