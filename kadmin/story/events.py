"""Events: what one line of a log states about one partition.

The caller parses the lines; files and formats are not known here.
"""

import re
from dataclasses import dataclass
from typing import Final

from kadmin.statechange.kinds import Kind, Role

REPLICAS: Final = (
    re.compile(r"with assigned replicas ([0-9, ]+)"),
    re.compile(r"\breplicas=\[?([0-9, ]*[0-9])"),
    re.compile(r"\bAllReplicas:([0-9, ]*[0-9])"),
)
"""How lines name a partition's replicas, in their order."""

CHANGING: Final = re.compile(r"\b(?:adding|removing) ?[Rr]eplicas[ =]\[[0-9]")
"""Matches lines that are written while a partition is being reassigned."""

REMOVING: Final = re.compile(r"\bremoving ?[Rr]eplicas[ =]\[?([0-9, ]*[0-9])")

RECOVERING: Final = re.compile(r"[Rr]ecoveryState[=:](?:RECOVERING|1\b)")
"""What is said of a leader that an unclean election has made."""

TOPIC_ID: Final = re.compile(r"with topic id (?:Some\()?([A-Za-z0-9_-]{22})\b")
NO_TOPIC_ID: Final = "A" * 22
"""What stands for the id of a topic that has none."""

REMOVED: Final = re.compile(r"after removing replica ([0-9]+) from the ISR")
CURRENT_EPOCH: Final = re.compile(r"[Ll]atest known controller epoch is (?:%d )?([0-9]+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a log: when it was written, by whose log, and where it stands.

    *time_ms* is the common time; *number* counts from 1 in *file*.
    """

    time_ms: int
    source: str
    file: str
    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What *line* states about one partition; fields are those of `StateChange`."""

    line: Line
    kind: Kind
    role: Role | None = None
    broker: int | None = None
    controller_id: int | None = None
    controller_epoch: int | None = None
    from_state: str | None = None
    to_state: str | None = None
    leader: int | None = None
    isr: tuple[int, ...] | None = None
    leader_epoch: int | None = None
    zk_version: int | None = None
    correlation_id: int | None = None
    peer_broker: int | None = None

    @property
    def time_ms(self) -> int:
        return self.line.time_ms

    @property
    def is_of_controller(self) -> bool:
        return self.role is Role.CONTROLLER

    @property
    def replicas(self) -> tuple[int, ...] | None:
        """The partition's replicas, the preferred leader first, where the line names them.

        Without those that are being removed: how it is to be, and soon will.
        """
        if "eplicas" not in self.line.text:
            return None
        for pattern in REPLICAS:
            found = pattern.search(self.line.text)
            if found is not None:
                removing = REMOVING.search(self.line.text)
                gone = () if removing is None else numbers(removing[1])
                return tuple(each for each in numbers(found[1]) if each not in gone)
        return None

    @property
    def is_reassigning(self) -> bool:
        return self.kind is Kind.REASSIGNMENT or CHANGING.search(self.line.text) is not None

    @property
    def is_recovering(self) -> bool:
        return RECOVERING.search(self.line.text) is not None

    @property
    def topic_id(self) -> str | None:
        """Return the topic id in the line (2.8 and later), or None."""
        if "topic id" not in self.line.text:
            return None
        found = TOPIC_ID.search(self.line.text)
        return None if found is None or found[1] == NO_TOPIC_ID else found[1]

    @property
    def removed_replica(self) -> int | None:
        """Whom the controller took out of the ISR."""
        found = REMOVED.search(self.line.text)
        return None if found is None else int(found[1])

    @property
    def known_controller_epoch(self) -> int | None:
        """The epoch by which a broker knew a controller to be replaced."""
        found = CURRENT_EPOCH.search(self.line.text)
        return None if found is None else int(found[1])


def numbers(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall("[0-9]+", text))


ONLINE: Final = frozenset({"OnlinePartition", "Online"})
OFFLINE: Final = frozenset({"OfflinePartition", "Offline"})
NEW: Final = frozenset({"NewPartition", "New"})
NON_EXISTENT: Final = frozenset({"NonExistentPartition", "NotExists", "NonExistent"})
"""Partition states, as 0.8.0 and all later releases call them."""
