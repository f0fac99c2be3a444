"""The fast reader of many messages: what do they say, as numbers and stretches of their block?

Messages that this leaves unread are for the plain parser: templates that the tree does not have,
texts that are not quite what it expects, and lists that are longer than usual.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from kadmin.statechange.arrow import (
    UNKNOWN,
    merged_lists,
    read_lists,
    read_partitions,
    word_codes,
)
from kadmin.statechange.columns import (
    VOCABULARIES,
    Column,
    ColumnType,
    Shape,
    columns_of,
)
from kadmin.statechange.kinds import Role
from kadmin.statechange.language import Template
from kadmin.statechange.scan import Block, Ints, Mask
from kadmin.statechange.template_tree import MEMBERS, Path, message_tree, prefix_tree
from kadmin.statechange.tree_walk import NO_PATH, Values, Walk

CODES: Final = (Shape.CODE, Shape.ITEMS)
"""A text is made from these if they are errors, and none if they are not."""


@dataclass(frozen=True, slots=True)
class PathTable:
    """The meaning of the paths of all trees, by their numbers; NO_PATH, the last one, means
    nothing.

    *first* is the number of each role's first path.  *implied* are the words of a path that do not
    depend on its values, by column; *is_writer* marks by column which paths have the writer's id
    there; *filled* marks by slot which paths have a value for it, *filled_by_prefix* the same of
    the paths of writers' names.
    """

    first: dict[Role, int]
    implied: dict[str, Ints]
    is_writer: dict[str, Mask]
    filled: dict[str, Mask]
    filled_by_prefix: dict[str, Mask]


@cache
def path_table() -> PathTable:
    first: dict[Role, int] = {}
    paths: list[Path] = []
    for role in Role:
        first[role] = len(paths)
        paths += message_tree(role).paths
    templates = [path.template for path in paths if path.template is not None]
    assert len(templates) == len(paths)
    written = {name for template in templates for name in template.writer_columns}
    return PathTable(
        first=first,
        implied={
            column.name: np.array([*(implied_code(each, column) for each in templates), UNKNOWN])
            for column in columns_of(ColumnType.WORD)
        },
        is_writer={
            name: np.array([*(name in each.writer_columns for each in templates), False])
            for name in sorted(written)
        },
        filled=filled_slots(paths),
        filled_by_prefix=filled_slots(prefix_tree().paths),
    )


def implied_code(template: Template, column: Column) -> int:
    word = template.implied.get(column.name)
    return UNKNOWN if word is None else column.words.index(word)


def filled_slots(paths: Sequence[Path]) -> dict[str, Mask]:
    slots = frozenset[str]().union(*(path.slots for path in paths))
    return {slot: np.array([*(slot in path.slots for path in paths), False]) for slot in slots}


@dataclass(slots=True)
class Integers:
    """A column of integers, and which rows have one."""

    values: Ints
    valid: Mask

    def or_else(self, other: "Integers") -> "Integers":
        """Return this column, and the values of *other* where it has none."""
        values = np.where(self.valid, self.values, other.values)
        return Integers(values, self.valid | other.valid)


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

    def add(self, other: "Lists") -> None:
        """Take the lists of *other* in; no row has members in both."""
        self.counts, self.members = merged_lists(
            self.counts, self.members, other.counts, other.members
        )
        self.valid |= other.valid

    def drop(self, rows: Mask) -> None:
        """Leave *rows* without a list."""
        if self.counts[rows].any():
            self.members = self.members[~np.repeat(rows, self.counts)]
            self.counts[rows] = 0
        self.valid &= ~rows


@dataclass(slots=True)
class Reading:
    """What was read of each row, by the names of columns.

    Words are indexes into their column's words, or UNKNOWN.  *named* are the topics of *numbers*:
    a row that is read names one partition or none.
    """

    is_read: Mask
    words: dict[str, Ints]
    integers: dict[str, Integers]
    lists: dict[str, Lists]
    texts: dict[str, Stretches]
    named: Stretches
    numbers: Ints


def read_messages(block: Block, starts: Ints, ends: Ints, wanted: Mask) -> Reading:
    """Read the *wanted* messages from *starts* to *ends* as far as that goes."""
    reader = Reader(block, starts, ends)
    reader.find_paths(np.flatnonzero(wanted))
    # Each of these may leave messages unread.
    reader.refuse_error_codes()
    words = {column.name: reader.words(column) for column in columns_of(ColumnType.WORD)}
    named, numbers = reader.partitions()
    integers = {column.name: reader.integers(column) for column in columns_of(ColumnType.INTEGER)}
    lists = {column.name: reader.lists(column) for column in columns_of(ColumnType.INTEGERS)}
    texts = {
        column.name: reader.texts(column)
        for column in columns_of(ColumnType.TEXT)
        if column.placeholders
    }
    # From here on all columns agree in what was read.
    is_read = reader.paths != NO_PATH
    reader.add_writers(integers)
    for each in integers.values():
        each.valid &= is_read
    for text in (*texts.values(), named):
        text.valid &= is_read
    for listed in lists.values():
        listed.drop(~is_read)
    return Reading(
        is_read=is_read,
        words={name: np.where(is_read, codes, UNKNOWN) for name, codes in words.items()},
        integers=integers,
        lists=lists,
        texts=texts,
        named=named,
        numbers=numbers,
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
        self.prefixes = np.full(len(ends), NO_PATH, np.int64)

    def find_paths(self, rows: Ints) -> None:
        """Follow the messages *rows* through the trees: who writes, and then what."""
        tree = prefix_tree()
        names = Walk(tree, self.block, self.ends, self.values, whole=False)
        names.run(rows, self.starts[rows])
        for role in Role:
            numbers = [
                n
                for n, path in enumerate(tree.paths)
                if path.prefix is not None and path.prefix.role is role
            ]
            mine = np.flatnonzero(np.isin(names.leaves, numbers))
            messages = Walk(message_tree(role), self.block, self.ends, self.values, whole=True)
            messages.run(mine, names.places[mine])
            known = mine[messages.leaves[mine] != NO_PATH]
            self.paths[known] = self.table.first[role] + messages.leaves[known]
        self.prefixes = names.leaves

    def filled(self, slot: str) -> Mask:
        """Return which messages say the value of *slot*, themselves or in the name of their
        writer."""
        by_path = self.table.filled.get(slot)
        by_prefix = self.table.filled_by_prefix.get(slot)
        found = np.zeros(len(self.ends), np.bool_) if by_path is None else by_path[self.paths]
        if by_prefix is not None:
            found |= by_prefix[self.prefixes] & (self.paths != NO_PATH)
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
        """Leave answers with an error to the plain parser: they are rare, and their texts are made
        of codes."""
        for slot in ("code", "item_code"):
            self.refuse(np.flatnonzero(self.filled(slot) & (self.integer(slot) != 0)))

    def words(self, column: Column) -> Ints:
        """Return words that are in the line, or that its template implies."""
        implied = self.table.implied.get(column.name)
        codes = np.full(len(self.ends), UNKNOWN) if implied is None else implied[self.paths]
        for slot, shape in column.placeholders.items():
            words = VOCABULARIES[shape]
            said = self.stretches(slot)
            rows = np.flatnonzero(said.valid)
            found = word_codes(self.block, said.starts[rows], said.ends[rows], words)
            self.refuse(rows[found == UNKNOWN])
            codes[rows] = np.where(found == UNKNOWN, UNKNOWN, found + column.words.index(words[0]))
        return codes

    def partitions(self) -> tuple[Stretches, Ints]:
        """Return the topic and the number of the partition of each message: its own, or its
        payload's."""
        own, quoted = self.stretches("partition"), self.stretches("topic")
        topics = Stretches(quoted.starts.copy(), quoted.ends.copy(), own.valid | quoted.valid)
        numbers = self.integer("index").copy()
        rows = np.flatnonzero(own.valid)
        starts, ends, found, is_right = read_partitions(
            self.block, own.starts[rows], own.ends[rows]
        )
        topics.starts[rows], topics.ends[rows], numbers[rows] = starts, ends, found
        self.refuse(rows[~is_right])
        return topics, numbers

    def integers(self, column: Column) -> Integers:
        """Return integers as they are in the line, or the only members of lists."""
        found: Integers | None = None
        for slot, shape in column.placeholders.items():
            if shape is Shape.NUMBERS:
                said = self.only_members(slot)
            else:
                assert shape is Shape.INTEGER, (column.name, shape)
                said = Integers(self.integer(slot).copy(), self.filled(slot))
            found = said if found is None else found.or_else(said)
        assert found is not None, column.name
        return found

    def only_members(self, slot: str) -> Integers:
        """Return the only member of each list of *slot*; several are none, but stand in the
        message."""
        rows, counts, members = self.members(slot)
        found = Integers(np.zeros(len(self.ends), np.int64), np.zeros(len(self.ends), np.bool_))
        single = np.flatnonzero(counts == 1)
        found.values[rows[single]] = members[(np.cumsum(counts) - counts)[single]]
        found.valid[rows[single]] = True
        return found

    def add_writers(self, integers: dict[str, Integers]) -> None:
        """Say the writer of a line also in the other columns that are to hold it."""
        writers = integers["broker"].values
        for name, is_writer in self.table.is_writer.items():
            rows = is_writer[self.paths]
            np.copyto(integers[name].values, writers, where=rows)
            integers[name].valid |= rows

    def lists(self, column: Column) -> Lists:
        """Return lists of integers, or of the ids of brokers with their epochs."""
        found: Lists | None = None
        for slot, shape in column.placeholders.items():
            counts = np.zeros(len(self.ends), np.int64)
            if shape is Shape.NUMBERS:
                rows, counts[rows], members = self.members(slot)
                said = Lists(counts, members, self.filled(slot))
            else:
                assert shape is Shape.BROKER_EPOCHS, (column.name, shape)
                is_said = np.column_stack([self.filled(each) for each in MEMBERS[slot]])
                ids = np.column_stack([self.integer(each) for each in MEMBERS[slot]])
                counts[:] = is_said.sum(axis=1)
                said = Lists(counts, ids[is_said], counts > 0)
            if found is not None:
                found.add(said)
            else:
                found = said
        assert found is not None, column.name
        return found

    def members(self, slot: str) -> tuple[Ints, Ints, Ints]:
        """Return the messages that say the list of *slot*, the lengths of theirs, and all
        members."""
        said = self.stretches(slot)
        rows = np.flatnonzero(said.valid)
        counts, members, is_right = read_lists(self.block, said.starts[rows], said.ends[rows])
        self.refuse(rows[~is_right])
        return rows, counts, members

    def texts(self, column: Column) -> Stretches:
        """Return texts as they stand in the line; those made of codes are refused before."""
        (slot,) = (slot for slot, shape in column.placeholders.items() if shape not in CODES)
        assert column.placeholders[slot] is Shape.TEXT, column.name
        return self.stretches(slot)
