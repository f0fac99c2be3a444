"""What do many messages say, as numbers and stretches of their block?

Messages that this leaves unread are for the plain parser: templates that the tree does not have,
texts that are not quite what it expects, and lists that are longer than usual.
"""

from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from kadmin.statechange.columns import (
    UNKNOWN,
    merged_lists,
    read_lists,
    read_partitions,
    word_codes,
)
from kadmin.statechange.kinds import STATE_WORDS, STATES, TRANSITIONS, Kind, Role
from kadmin.statechange.paths import MEMBERS, Path, message_tree, speaker_tree
from kadmin.statechange.scan import Block, Ints, Mask
from kadmin.statechange.walk import NO_PATH, Values, Walk

KINDS: Final = tuple(Kind)
ROLES: Final = tuple(Role)

VALUES_OF_PATHS: Final = {
    "leader": "leader",
    "leader_epoch": "leader_epoch",
    "zk_version": "zk_version",
    "correlation": "correlation_id",
}
"""The integer slots that are columns as they are, and the columns."""


@dataclass(frozen=True, slots=True)
class PathTable:
    """What the paths of all trees mean, by their numbers; NO_PATH, the last one, means nothing.

    *first* is the number of each role's first path, and *filled* tells by slot which paths have a
    value for it.
    """

    first: dict[Role, int]
    kinds: Ints
    roles: Ints
    to_states: Ints
    filled: dict[str, Mask]


@cache
def path_table() -> PathTable:
    first: dict[Role, int] = {}
    paths: list[Path] = []
    for role in Role:
        first[role] = len(paths)
        paths += message_tree(role).paths
    templates = [path.template for path in paths if path.template is not None]
    implied = [dict(template.sets).get("to_state") for template in templates]
    states = [UNKNOWN if word is None else STATE_WORDS.index(word) for word in implied]
    slots = frozenset().union(*(path.slots for path in paths))
    return PathTable(
        first=first,
        kinds=np.array([*(KINDS.index(template.kind) for template in templates), UNKNOWN]),
        roles=np.array([*(list(Role).index(t.role) for t in templates if t.role), UNKNOWN]),
        to_states=np.array([*states, UNKNOWN]),
        filled={slot: np.array([*(slot in path.slots for path in paths), False]) for slot in slots},
    )


@dataclass(slots=True)
class Integers:
    """A column of integers, and which rows have one."""

    values: Ints
    valid: Mask


@dataclass(slots=True)
class Stretches:
    """From where to where a text of each row goes, and which rows have one."""

    starts: Ints
    ends: Ints
    valid: Mask


@dataclass(slots=True)
class Lists:
    """The lengths and all members of each row's list, and which rows have one."""

    counts: Ints
    members: Ints
    valid: Mask


@dataclass(slots=True)
class Reading:
    """What was read of each row; words are indexes into KINDS, ROLES, STATE_WORDS, or UNKNOWN."""

    is_read: Mask
    kinds: Ints
    roles: Ints
    from_states: Ints
    to_states: Ints
    integers: dict[str, Integers]
    topics: Stretches
    errors: Stretches
    isr: Lists


def read_messages(block: Block, starts: Ints, ends: Ints, wanted: Mask) -> Reading:
    """Read the *wanted* messages from *starts* to *ends* as far as that goes."""
    reader = Reader(block, starts, ends)
    reader.find_paths(np.flatnonzero(wanted))
    # Each of these may leave messages unread.
    reader.refuse_error_codes()
    from_states, to_states = reader.states()
    topics, numbers = reader.partitions()
    peers = reader.peers()
    isr = reader.isr()
    # From here on all columns agree in what was read.
    is_read = reader.paths != NO_PATH
    topics.valid &= is_read
    numbers.valid = topics.valid.copy()
    peers.valid &= is_read
    return Reading(
        is_read=is_read,
        kinds=reader.table.kinds[reader.paths],
        roles=reader.table.roles[reader.paths],
        from_states=np.where(is_read, from_states, UNKNOWN),
        to_states=np.where(is_read, to_states, UNKNOWN),
        integers=reader.integers() | {"partition": numbers, "peer_broker": peers},
        topics=topics,
        errors=reader.stretches("error"),
        isr=isr,
    )


class Reader:
    """Reads messages by the paths that they take.

    *paths* are numbers of the table of paths; a message with NO_PATH is unread, and stays so.
    """

    def __init__(self, block: Block, starts: Ints, ends: Ints) -> None:
        self.block = block
        self.starts = starts
        self.ends = ends
        self.table = path_table()
        self.values = Values(len(ends))
        self.paths = np.full(len(ends), NO_PATH, np.int64)
        self.says_epoch = np.zeros(len(ends), np.bool_)

    def find_paths(self, rows: Ints) -> None:
        """Follow the messages *rows* through the trees: who writes, and then what."""
        tree = speaker_tree()
        names = Walk(tree, self.block, self.ends, self.values, whole=False)
        names.run(rows, self.starts[rows])
        for role in Role:
            speakers = [
                n
                for n, path in enumerate(tree.paths)
                if path.speaker is not None and path.speaker.role is role
            ]
            mine = np.flatnonzero(np.isin(names.leaves, speakers))
            messages = Walk(message_tree(role), self.block, self.ends, self.values, whole=True)
            messages.run(mine, names.places[mine])
            known = mine[messages.leaves[mine] != NO_PATH]
            self.paths[known] = self.table.first[role] + messages.leaves[known]
        with_epoch = [n for n, path in enumerate(tree.paths) if "controller_epoch" in path.slots]
        self.says_epoch = np.isin(names.leaves, with_epoch)

    def filled(self, slot: str) -> Mask:
        """Which messages say the value of *slot*."""
        found: Mask = self.table.filled[slot][self.paths]
        return found

    def integer(self, slot: str) -> Ints:
        return self.values.column(self.values.integers, slot)

    def stretches(self, slot: str) -> Stretches:
        return Stretches(
            self.values.column(self.values.starts, slot),
            self.values.column(self.values.ends, slot),
            self.filled(slot),
        )

    def refuse(self, rows: Ints) -> None:
        self.paths[rows] = NO_PATH

    def refuse_error_codes(self) -> None:
        """An answer with an error is rare, and its text is made from the code."""
        for slot in ("code", "item_code"):
            self.refuse(np.flatnonzero(self.filled(slot) & (self.integer(slot) != 0)))

    def states(self) -> tuple[Ints, Ints]:
        """From which state to which: words that the line says, or that its template implies."""
        from_states = self.words("from", STATES)
        to_states = self.table.to_states[self.paths]
        for slot, words in (("to", STATES), ("transition", TRANSITIONS)):
            to_states = np.where(self.filled(slot), self.words(slot, words), to_states)
        return from_states, to_states

    def words(self, slot: str, words: tuple[str, ...]) -> Ints:
        codes = np.full(len(self.ends), UNKNOWN, np.int64)
        said = self.stretches(slot)
        rows = np.flatnonzero(said.valid)
        found = word_codes(self.block, said.starts[rows], said.ends[rows], words)
        self.refuse(rows[found == UNKNOWN])
        codes[rows] = np.where(found == UNKNOWN, UNKNOWN, found + STATE_WORDS.index(words[0]))
        return codes

    def partitions(self) -> tuple[Stretches, Integers]:
        """The topic and the number of the partition of each message: its own, or its payload's."""
        own, quoted = self.stretches("partition"), self.stretches("topic")
        topics = Stretches(quoted.starts.copy(), quoted.ends.copy(), own.valid | quoted.valid)
        numbers = Integers(self.integer("index").copy(), topics.valid)
        rows = np.flatnonzero(own.valid)
        starts, ends, found, is_right = read_partitions(
            self.block, own.starts[rows], own.ends[rows]
        )
        topics.starts[rows], topics.ends[rows], numbers.values[rows] = starts, ends, found
        self.refuse(rows[~is_right])
        return topics, numbers

    def peers(self) -> Integers:
        """The broker at the other end, where there is one and not several."""
        values, valid = self.integer("peer").copy(), self.filled("peer")
        rows, counts, members = self.lists("peers")
        single = np.flatnonzero(counts == 1)
        values[rows[single]] = members[(np.cumsum(counts) - counts)[single]]
        valid[rows[single]] = True
        return Integers(values, valid)

    def isr(self) -> Lists:
        """The ISR of each message: a list, or the ids of brokers with their epochs."""
        rows, counts, members = self.lists("isr")
        listed, others = np.zeros((2, len(self.ends)), np.int64)
        listed[rows] = counts
        said = np.column_stack([self.filled(slot) for slot in MEMBERS])
        ids = np.column_stack([self.integer(slot) for slot in MEMBERS])
        others[:] = said.sum(axis=1)
        counts, members = merged_lists(listed, members, others, ids[said])
        return Lists(counts, members, self.filled("isr") | self.filled(MEMBERS[0]))

    def lists(self, slot: str) -> tuple[Ints, Ints, Ints]:
        """The messages that say the list of *slot*, the lengths of theirs, and all members."""
        said = self.stretches(slot)
        rows = np.flatnonzero(said.valid)
        counts, members, is_right = read_lists(self.block, said.starts[rows], said.ends[rows])
        self.refuse(rows[~is_right])
        return rows, counts, members

    def integers(self) -> dict[str, Integers]:
        """The columns of integers that a message says as they are."""
        found = {
            column: Integers(self.integer(slot), self.filled(slot))
            for slot, column in VALUES_OF_PATHS.items()
        }
        is_read = self.paths != NO_PATH
        is_controller = self.table.roles[self.paths] == ROLES.index(Role.CONTROLLER)
        broker = self.integer("broker")
        found["broker"] = Integers(broker, is_read)
        # Who starts to lead is the leader.
        starts_to_lead = self.table.kinds[self.paths] == KINDS.index(Kind.LEADER_START)
        leader = found["leader"]
        leader.values = np.where(starts_to_lead, broker, leader.values)
        leader.valid = leader.valid | starts_to_lead
        # The controller is the broker that speaks as one.
        found["controller_id"] = Integers(
            np.where(is_controller, broker, self.integer("controller")),
            is_controller | self.filled("controller"),
        )
        found["controller_epoch"] = Integers(
            self.integer("controller_epoch"),
            is_read & (self.says_epoch | self.filled("controller_epoch")),
        )
        return found
