"""Topics of one name, one after the other: which lines about a partition belong to which of them?

A topic that is deleted and made again begins at leader epoch 0 again, which no other cause has.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from kadmin.statechange.kinds import Kind
from kadmin.story.events import NEW, NON_EXISTENT, Event

DELETED: Final = -2
"""The leader of a partition whose topic is being deleted, as metadata name it."""

BEGINNING: Final = frozenset(
    {
        Kind.PARTITION_STATE,
        Kind.SEND_LEADER_AND_ISR,
        Kind.RECEIVED_LEADER_AND_ISR,
        Kind.LEADER_START,
        Kind.FOLLOWER_START,
    }
)
"""Kinds of lines whose leader epoch holds when they are written: no later epoch came before."""


@dataclass(slots=True)
class IncarnationLines:
    """The lines about one topic of the name; *highest* is the highest leader epoch in them.

    *is_made* if a controller's line of its creation is among them, *is_deleted* if one of its
    deletion is.
    """

    events: list[Event] = field(default_factory=list)
    topic_id: str | None = None
    highest: int = -1
    is_made: bool = False
    is_deleted: bool = False

    def add(self, event: Event) -> None:
        self.events.append(event)
        self.topic_id = self.topic_id or event.topic_id
        self.is_made = self.is_made or is_creation(event)
        self.is_deleted = self.is_deleted or is_deletion(event)
        if event.kind in BEGINNING and event.leader_epoch is not None:
            self.highest = max(self.highest, event.leader_epoch)

    def ends_before(self, event: Event) -> bool:
        """Return whether *event* is about a later topic."""
        if is_creation(event):
            # Brokers whose clocks are ahead write of the new topic before the controller does.
            return self.is_made or self.highest > 0 or self.is_deleted
        if event.topic_id is not None and self.topic_id is not None:
            return event.topic_id != self.topic_id
        fell = event.leader_epoch is not None and event.leader_epoch < self.highest
        return self.is_deleted and fell and event.kind in BEGINNING


def split(events: Iterable[Event]) -> list[list[Event]]:
    """Split *events* by the topics that they are about, in the order of these.

    By topic ids where lines have them; else a topic begins with a controller's line of the
    creation, or with a leader epoch that falls after a line of the deletion.
    """
    found = [IncarnationLines()]
    by_id: dict[str, IncarnationLines] = {}
    for event in events:
        known = by_id.get(event.topic_id) if event.topic_id is not None else None
        if known is None:
            if found[-1].events and found[-1].ends_before(event):
                found.append(IncarnationLines())
            known = found[-1]
        known.add(event)
        if known.topic_id is not None:
            by_id.setdefault(known.topic_id, known)
    return [each.events for each in found if each.events]


def is_creation(event: Event) -> bool:
    return (
        event.kind is Kind.PARTITION_STATE
        and event.from_state in NON_EXISTENT
        and event.to_state in NEW
    )


def is_deletion(event: Event) -> bool:
    return (
        event.to_state in NON_EXISTENT
        if event.kind is Kind.PARTITION_STATE
        else event.leader == DELETED or event.kind is Kind.DELETED_FROM_CACHE
    )
