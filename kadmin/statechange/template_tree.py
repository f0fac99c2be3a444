"""The tree of all templates: along which texts and values does one know that of a message?

Where the texts of templates are equal they share edges, so that each message is looked at once.
Knows no message.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from itertools import takewhile
from typing import Final

from kadmin.statechange.columns import PLACEHOLDERS, Shape
from kadmin.statechange.kinds import Role
from kadmin.statechange.language import HOLE, Payload, Template, variants
from kadmin.statechange.payloads import PAYLOADS
from kadmin.statechange.templates import LOG_PREFIXES, TEMPLATES, LogPrefix

MEMBERS: Final = {
    name: tuple(f"{name}_{letter}" for letter in "abcd")
    for name, placeholder in PLACEHOLDERS.items()
    if placeholder.shape is Shape.BROKER_EPOCHS
}
"""The members of a list of brokers with epochs; longer ones are left to the plain parser."""

INTEGERS_OF_LISTS: Final = {*(slot for slots in MEMBERS.values() for slot in slots), "item_code"}
"""Values that have names of their own only here, where a list is written out."""


class Step(Enum):
    """How far a value reaches."""

    INTEGER = auto()
    NUMBERS = auto()
    UNTIL = auto()
    TO_END = auto()


@dataclass(frozen=True, slots=True)
class Capture:
    """A value that is being read: *slot* is where it is kept, None if it is not needed.

    *stops* are the bytes before which an UNTIL ends.
    """

    step: Step
    slot: str | None
    stops: bytes = b""


@dataclass(slots=True)
class Node:
    """A place between texts and values.

    *edges* are the texts that may follow, by their first bytes; *captures* the values that may;
    *leaf* is the index of the path that may end here.
    """

    edges: dict[int, "Edge"] = field(default_factory=dict)
    captures: list[tuple[Capture, "Node"]] = field(default_factory=list)
    leaf: int | None = None


@dataclass(slots=True)
class Edge:
    text: bytes
    node: Node


@dataclass(frozen=True, slots=True)
class Path:
    """A way through the tree from its root: what it means, and the slots that it fills."""

    template: Template | None
    prefix: LogPrefix | None
    slots: frozenset[str]


@dataclass(slots=True)
class Tree:
    root: Node = field(default_factory=Node)
    paths: list[Path] = field(default_factory=list)


@cache
def prefix_tree() -> Tree:
    """Return the ways in which a message names its writer; any text follows them."""
    tree = Tree()
    for prefix in LOG_PREFIXES:
        steps = steps_of(prefix.text)
        assert steps is not None
        add(tree, steps, Path(None, prefix, slots_of(steps)))
    return tree


@cache
def message_tree(role: Role) -> Tree:
    """Return the messages of *role* behind the writer's name, but for those that only the plain
    parser reads."""
    tree = Tree()
    for template in TEMPLATES:
        if template.role is not role:
            continue
        for text in flat_texts(template):
            steps = steps_of(text[0].lower() + text[1:])
            if steps is not None:
                add(tree, steps, Path(template, None, slots_of(steps)))
    # The first letter may be a capital or not: both lead to the same place.
    for first, edge in list(tree.root.edges.items()):
        tree.root.edges[ord(chr(first).upper())] = edge
    return tree


def flat_texts(template: Template) -> tuple[str, ...]:
    """Return the texts of *template* with every form written out that its payloads have in its
    time."""
    found = list(variants(template.text))
    for family in sorted({payload.family for payload in PAYLOADS}):
        hole = f"{{{family}}}"
        if hole in template.text:
            forms = [
                form
                for payload in PAYLOADS
                if payload.family == family
                and payload.first <= template.last
                and template.first <= payload.last
                for form in payload_texts(payload)
            ]
            found = [flat.replace(hole, form) for flat in found for form in forms]
    return tuple(dict.fromkeys(found))


def payload_texts(payload: Payload) -> Iterator[str]:
    """Return the texts of *payload*, with lists up to the lengths that are usual."""
    item = payload.item.replace("{code}", "{item_code}")
    for text in variants(payload.text):
        listed = next((name for name in MEMBERS if f"{{{name}}}" in text), None)
        if "{items}" in text:
            yield text.replace("{items}", "")
            yield text.replace("{items}", item)
        elif listed is not None:
            slots = MEMBERS[listed]
            members = [f"BrokerState(brokerId={{{slot}}}, brokerEpoch={{n}})" for slot in slots]
            for count in range(1, len(members) + 1):
                yield text.replace(f"{{{listed}}}", ", ".join(members[:count]))
        else:
            yield text


def steps_of(text: str) -> list[bytes | Capture] | None:
    """Return the texts and values of *text* in order; None when a value's end cannot be known at
    once."""
    parts = HOLE.split(text)
    steps: list[bytes | Capture] = []
    for index, part in enumerate(parts):
        if index % 2 == 0:
            steps += [part.encode()] if part else []
            continue
        following = parts[index + 1]
        capture = capture_of(part, following, is_last=index == len(parts) - 2)
        if capture is None:
            return None
        steps.append(capture)
    return steps


def capture_of(name: str, following: str, *, is_last: bool) -> Capture | None:
    """Return how the value of placeholder *name* is found that stands before the text *following*.

    *is_last*: no other value comes behind that text.
    """
    if name in INTEGERS_OF_LISTS:
        return Capture(Step.INTEGER, name)
    placeholder = PLACEHOLDERS[name]
    slot = name if placeholder.columns else None
    match placeholder.shape:
        case Shape.INTEGER | Shape.INDEX | Shape.CODE:
            return Capture(Step.INTEGER, slot)
        case Shape.NUMBERS:
            return Capture(Step.NUMBERS, slot)
        case Shape.WORD:
            return Capture(Step.UNTIL, slot, (" " + following[:1].strip()).encode())
        case Shape.TOPIC:
            return Capture(Step.UNTIL, slot, b" ,'")
        case Shape.STATE | Shape.TRANSITION | Shape.PARTITION if following[:1] in ("", " "):
            return Capture(Step.UNTIL, slot, b" ")
        case Shape.TEXT if is_last and not following:
            return Capture(Step.TO_END, slot)
        case Shape.TEXT if is_last and slot is None:
            # One that goes on behind that byte leads nowhere, and is for the plain parser.
            return Capture(Step.UNTIL, slot, following[:1].encode())
    return None


def slots_of(steps: list[bytes | Capture]) -> frozenset[str]:
    slots = [step.slot for step in steps if isinstance(step, Capture) and step.slot is not None]
    assert len(slots) == len(set(slots)), "a value that is said twice has two slots"
    return frozenset(slots)


def add(tree: Tree, steps: list[bytes | Capture], path: Path) -> None:
    """Lead *path* through the tree; where another one has the same steps, that one counts."""
    node = tree.root
    for step in steps:
        node = follow(node, step) if isinstance(step, bytes) else past(node, step)
    if node.leaf is None:
        node.leaf = len(tree.paths)
        tree.paths.append(path)


def past(node: Node, capture: Capture) -> Node:
    for known, behind in node.captures:
        if known == capture:
            return behind
    behind = Node()
    node.captures.append((capture, behind))
    return behind


def follow(node: Node, text: bytes) -> Node:
    """Return the node behind *text*, with edges made or split as that needs."""
    while text:
        edge = node.edges.get(text[0])
        if edge is None:
            edge = node.edges[text[0]] = Edge(text, Node())
        shared = shared_length(edge.text, text)
        if shared < len(edge.text):
            rest = Node(edges={edge.text[shared]: Edge(edge.text[shared:], edge.node)})
            edge.text, edge.node = edge.text[:shared], rest
        node, text = edge.node, text[shared:]
    return node


def shared_length(one: bytes, other: bytes) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
