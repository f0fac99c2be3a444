"""The walk of many messages through a tree of templates: which path, with which values?

Goes through the tree once, with all messages that are on the same way at the same time.  Knows
nothing of lines around the messages.
"""

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from kadmin.statechange.scan import Block, Ints, Mask, no_number, one_of
from kadmin.statechange.template_tree import Capture, Node, Step, Tree

NO_PATH: Final = -1


@dataclass(slots=True)
class Values:
    """What was found in messages, by the names of slots: integers, and from where to where a text
    goes.  Only the slots of a message's own path say something about it.
    """

    count: int
    integers: dict[str, Ints] = field(default_factory=dict)
    starts: dict[str, Ints] = field(default_factory=dict)
    ends: dict[str, Ints] = field(default_factory=dict)

    def column(self, columns: dict[str, Ints], slot: str) -> Ints:
        if slot not in columns:
            columns[slot] = np.zeros(self.count, np.int64)
        return columns[slot]


@dataclass(slots=True)
class Walk:
    """Messages on their way through *tree*: they are known by their indexes into *ends*.

    *whole*: a message must end where its path does.
    """

    tree: Tree
    block: Block
    ends: Ints
    values: Values
    whole: bool
    leaves: Ints = field(init=False)
    places: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.leaves = np.full(len(self.ends), NO_PATH, np.int64)
        self.places = np.zeros(len(self.ends), np.int64)

    def run(self, rows: Ints, at: Ints) -> None:
        """Lead the messages *rows* from *at* on: note each one's path, and the place behind it.

        A message that no path leads through keeps NO_PATH, also where a detour would have led it
        to its end: such a message is for the plain parser.
        """
        waiting: list[tuple[Node, Ints, Ints]] = [(self.tree.root, rows, at)]
        while waiting:
            node, rows, at = waiting.pop()
            if node.leaf is not None:
                rows, at = self.arrive(node.leaf, rows, at)
            if len(rows) > 0 and node.edges:
                rows, at = self.follow_edges(node, rows, at, waiting)
            for capture, behind in node.captures:
                if len(rows) == 0:
                    break
                places, found = self.take(capture, rows, at)
                if found.all():
                    waiting.append((behind, rows, places))
                    break
                waiting.append((behind, rows[found], places[found]))
                rows, at = rows[~found], at[~found]

    def arrive(self, leaf: int, rows: Ints, at: Ints) -> tuple[Ints, Ints]:
        """Note the messages that end here; the rest goes on."""
        if not self.whole:
            self.leaves[rows] = leaf
            self.places[rows] = at
            return rows[:0], at[:0]
        ended = at == self.ends[rows]
        self.leaves[rows[ended]] = leaf
        return rows[~ended], at[~ended]

    def follow_edges(
        self, node: Node, rows: Ints, at: Ints, waiting: list[tuple[Node, Ints, Ints]]
    ) -> tuple[Ints, Ints]:
        """Send the messages on whose text is that of an edge; the rest stays."""
        first = self.block.bytes[at]
        staying = np.ones(len(rows), np.bool_)
        for byte, edge in node.edges.items():
            taken = np.flatnonzero(first == byte)
            if len(taken) == 0:
                continue
            staying[taken] = False
            going, places = rows[taken], at[taken]
            if len(edge.text) > 1:
                right = self.block.has(places + 1, edge.text[1:])
                if not right.all():
                    going, places = going[right], places[right]
            waiting.append((edge.node, going, places + len(edge.text)))
        return rows[staying], at[staying]

    def take(self, capture: Capture, rows: Ints, at: Ints) -> tuple[Ints, Mask]:
        """Keep the value of *capture* at each place; the places behind, and which have one."""
        slot = capture.slot
        if capture.step is Step.INTEGER:
            numbers, places, found = self.block.integers(at)
            if slot is not None:
                self.values.column(self.values.integers, slot)[rows] = numbers
            return places, found
        ends = self.ends[rows]
        if capture.step is Step.TO_END:
            places, found = ends, at <= ends
        else:
            places = self.find_end(capture, at, ends)
            # A list may be empty, a word may not.
            found = places >= at if capture.step is Step.NUMBERS else places > at
        if slot is not None:
            self.values.column(self.values.starts, slot)[rows] = at
            self.values.column(self.values.ends, slot)[rows] = places
        return places, found

    def find_end(self, capture: Capture, at: Ints, ends: Ints) -> Ints:
        if capture.step is Step.NUMBERS:
            # Most lists of brokers fit into eight bytes.
            return self.block.find(at, ends, no_number, 1)
        return self.block.find(at, ends, one_of(capture.stops))
