"""The story of a partition as a value: its leaderships, times without a leader, and anomalies."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kadmin.story.events import Line

NO_LEADER: Final = -1


class Reason(StrEnum):
    """Why a partition got the leader that it got; operators see these words."""

    CREATED = "created"
    BROKER_GONE = "broker-gone"
    """The leader before had died, or its session had ended."""
    CONTROLLED_SHUTDOWN = "controlled-shutdown"
    PREFERRED_ELECTION = "preferred-election"
    REASSIGNMENT = "reassignment"
    UNCLEAN_ELECTION = "unclean-election"
    DISK_FAILED = "disk-failed"
    REPLICA_RETURNED = "replica-returned"
    """There was no leader, and a replica that may lead returned."""
    NOBODY_LEFT = "nobody-left"
    """There is no leader: no replica that may lead is alive."""
    SAME_LEADER = "same-leader"
    """The leader stayed, with another ISR or other replicas and the next epoch.

    If the controller writes of other replicas it is REASSIGNMENT.
    """
    ON_REQUEST = "on-request"
    """The previous leader was alive, and an election was requested."""
    UNKNOWN = "unknown"


class AnomalyKind(StrEnum):
    TWO_LEADERS = "two-leaders"
    EPOCH_FELL = "epoch-fell"
    STALE_CONTROLLER = "stale-controller"
    UNCLEAN_ELECTION = "unclean-election"
    FAILED_ELECTION = "failed-election"
    UNANSWERED_ORDER = "unanswered-order"
    LATE_LEADER = "late-leader"
    ISR_FLAPPING = "isr-flapping"
    OLD_ORDER = "old-order"


ANOMALY_MEANINGS: Final = {
    AnomalyKind.TWO_LEADERS: "two leaders in one leader epoch",
    AnomalyKind.EPOCH_FELL: "a leader epoch that fell",
    AnomalyKind.STALE_CONTROLLER: "a controller acted that had been replaced",
    AnomalyKind.UNCLEAN_ELECTION: "a leader that was not in the ISR: records may be lost",
    AnomalyKind.FAILED_ELECTION: "an election found no leader",
    AnomalyKind.UNANSWERED_ORDER: "a live broker never carried out its order",
    AnomalyKind.LATE_LEADER: "a leader that took long to begin",
    AnomalyKind.ISR_FLAPPING: "a replica that left the ISR again and again",
    AnomalyKind.OLD_ORDER: "a broker refused an order that was older than what it knew",
}
assert ANOMALY_MEANINGS.keys() == set(AnomalyKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """Something that should not have been, and the lines that prove it."""

    kind: AnomalyKind
    text: str
    proof: tuple[Line, ...]

    @property
    def time_ms(self) -> int:
        return self.proof[0].time_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleTaken:
    """A broker began to lead or to follow in a leader epoch, *delay_ms* after it was decided.

    The delay is None where the decision is not in the logs.
    """

    broker: int
    is_leader: bool
    delay_ms: int | None
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class IsrChange:
    """The ISR from a time on; *zk_version* is None if no line has it."""

    isr: tuple[int, ...]
    zk_version: int | None
    line: Line


@dataclass(frozen=True, slots=True, kw_only=True)
class Leadership:
    """What held in one leader epoch: the leader, from *since_ms* on, and why it was elected.

    *leader* is NO_LEADER if there was none, None if no line names it.  *before* is the last known
    leader, or None.  *isr_left* and *isr_joined* are the brokers that the decision removed from the
    ISR or added to it; none without a line that proves it.  *is_decided* if a controller's own line
    records it; else the time is that of the first line that shows it.  *until_ms* is None if the
    logs end before the epoch does.
    """

    leader: int | None
    leader_epoch: int | None
    since_ms: int
    until_ms: int | None
    before: int | None
    isr_left: tuple[int, ...]
    isr_joined: tuple[int, ...]
    reason: Reason
    is_decided: bool
    controller_id: int | None
    controller_epoch: int | None
    isr: tuple[IsrChange, ...]
    roles: tuple[RoleTaken, ...]
    proof: tuple[Line, ...]
    missed: int = 0
    """How many leader epochs there were between it and the previous one in the logs."""

    @property
    def is_move(self) -> bool:
        """Whether another broker leads than before."""
        is_led = self.leader is not None and self.leader != NO_LEADER
        return is_led and self.before not in (None, self.leader)


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderless:
    """A time without a leader, by the controller's lines; *end_ms* None: until the logs end."""

    start_ms: int
    end_ms: int | None
    line: Line


def may_hide_leader(leader: int, missed: int) -> bool:
    """Return whether a leader may be unknown in the *missed* epochs after that of *leader*.

    A single missing epoch after a leader's is the one without a leader: older releases write that a
    partition is offline without its epoch.
    """
    return missed > (0 if leader == NO_LEADER else 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """What the logs show about one partition; *end_ms* is the last time in all of them.

    *hidden* lists what they do not show, and *silent* the brokers that they name and that wrote no
    line.  *replicas* are the last that are known.  Topics that had the name one after the other
    have a story each: *incarnation* counts them from 1, *incarnations* is how many there were, and
    *ended_ms* when this one was deleted, at the latest, None if it was not.
    """

    topic: str
    partition: int
    replicas: tuple[int, ...]
    leaderships: tuple[Leadership, ...]
    leaderless: tuple[Leaderless, ...]
    anomalies: tuple[Anomaly, ...]
    hidden: tuple[str, ...]
    silent: tuple[int, ...]
    end_ms: int
    topic_id: str | None = None
    incarnation: int = 1
    incarnations: int = 1
    ended_ms: int | None = None

    @property
    def name(self) -> str:
        return f"{self.topic}-{self.partition}"

    @property
    def moves(self) -> int:
        return sum(each.is_move for each in self.leaderships)

    @property
    def leaderless_ms(self) -> int:
        """For how long there was no leader; one that has not come yet counts to the end."""
        return sum(
            (self.end_ms if each.end_ms is None else each.end_ms) - each.start_ms
            for each in self.leaderless
        )

    @property
    def has_missing_epochs(self) -> bool:
        """Return whether there were leader epochs whose leader, if there was one, no line names."""
        leaders = [each.leader for each in self.leaderships]
        named = [each for each in leaders if each is not None]
        missed = [each.missed for each in self.leaderships if each.leader is not None]
        return len(named) < len(leaders) or any(
            may_hide_leader(before, count) for before, count in zip(named, missed[1:], strict=False)
        )

    @property
    def is_leaderless(self) -> bool:
        """Whether there is none at the end."""
        return any(each.end_ms is None for each in self.leaderless)

    @property
    def worst_first(self) -> tuple[object, ...]:
        """A key that sorts stories, the one to look at first before the others."""
        return (
            -self.leaderless_ms,
            -len(self.anomalies),
            -self.moves,
            -len(self.leaderships),
            self.topic,
            self.partition,
            self.incarnation,
        )

    def at(self, time_ms: int) -> Leadership | None:
        """Return the leadership at a time; None before the first line that shows one."""
        for each in reversed(self.leaderships):
            if each.since_ms <= time_ms:
                return each if each.until_ms is None or time_ms < each.until_ms else None
        return None
