"""Groups of old consumers over a simulated ZooKeeper: what is read, and what stops a write?"""

from collections.abc import Callable

import pytest

from cluster.coordination.consumer_groups import (
    Change,
    delete_group,
    read_group_names,
    read_group_offsets,
    read_groups,
    write_group_offsets,
)
from cluster.coordination.transaction import Fence
from cluster.model.consumer import ConsumerThread, OldGroup
from cluster.model.ids import MATCH_ANY, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.zk import paths
from cluster.zk.requests import (
    Create,
    Lost,
    Multi,
    MultiDone,
    Operation,
    SetData,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Steps, run
from tests.sim.zookeeper import TOOL, SimZooKeeper

ONE, TWO, OTHER = TopicPartition("a", 0), TopicPartition("a", 1), TopicPartition("b", 0)
FENCE = Fence(ZkVersion(0))
C1 = "g_host-1428512949385-0a1b2c3d"


class World:
    """A ZooKeeper with the group g, whose offsets are 5 and 7."""

    def __init__(self) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.before_write: Callable[[], None] = lambda: None
        self.loses_reply = False
        self.put(Create(paths.CONTROLLER_EPOCH, b"1"), Create(paths.CONSUMERS))
        self.make("g/offsets/a/0", b"5")
        self.make("g/offsets/a/1", b"7")
        self.make("g/ids")

    def make(self, path: str, data: bytes | None = None) -> None:
        """Make the node `/consumers/PATH` and those above it."""
        above = ""
        for name in f"consumers/{path}".split("/"):
            above += f"/{name}"
            if self.zookeeper.node(above) is None:
                self.put(Create(above, data if above == f"/consumers/{path}" else None))

    def put(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone)

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        replies = []
        for request in requests:
            is_write = isinstance(request, Multi)
            if is_write:
                self.before_write()
                self.before_write = lambda: None
            replies.append(self.zookeeper.serve(self.session, request, TOOL))
            if is_write and self.loses_reply:
                self.loses_reply = False
                replies[-1] = Lost()
        return tuple(replies)

    def offsets(self, group: str = "g") -> dict[TopicPartition, int]:
        return dict(run(read_group_offsets([group]), self.serve).offsets[group])

    def write(self, steps: Steps[Outcome]) -> Outcome:
        return run(steps, self.serve)


def test_a_group_has_members_and_owners() -> None:
    world = World()
    world.make(f"g/ids/{C1}", b"{}")
    world.make("g/owners/a/0", f"{C1}-0".encode())
    world.make("g/owners/a/1", f"{C1}-1".encode())
    world.make("h")

    found = run(read_groups(["g", "h", "i"]), world.serve)

    assert ("g", "h") == run(read_group_names(), world.serve)
    owners = {ONE: ConsumerThread(C1, 0), TWO: ConsumerThread(C1, 1)}
    assert {
        "g": OldGroup(name="g", consumer_ids=(C1,), owners=owners),
        "h": OldGroup(name="h", consumer_ids=(), owners={}),
    } == found.groups
    assert {"g": {ONE: 5, TWO: 7}, "i": {}} == run(read_group_offsets("gi"), world.serve).offsets
    assert () == found.faults


def test_damaged_nodes_are_named_and_stop_nothing_else() -> None:
    world = World()
    for path, data in (
        ("g/notes", b"mine"),
        ("g/owners/a/x", b""),
        ("g/owners/a/0", b"nobody"),
        ("g/owners/a/1", f"{C1}-0".encode()),
        ("g/offsets/a/2", b"five"),
        ("g/offsets/a/01", b"5"),
        ("g/offsets/a/99999999999", b"5"),
        ("g/offsets/b", None),
        ("g/offsets/not a topic", None),
        ("g/offsets/c/0", b"-1"),
    ):
        world.make(path, data)

    groups = run(read_groups(["g"]), world.serve)
    offsets = run(read_group_offsets(["g"]), world.serve)

    assert {TWO: ConsumerThread(C1, 0)} == groups.groups["g"].owners
    assert {ONE: 5, TWO: 7} == offsets.offsets["g"]
    assert ["/consumers/g/notes", "/consumers/g/owners/a/x", "/consumers/g/owners/a/0"] == [
        each.path for each in groups.faults
    ]
    assert [
        "/consumers/g/offsets/not a topic",
        *(f"/consumers/g/offsets/{each}" for each in ("a/01", "a/99999999999", "a/2", "c/0")),
    ] == [each.path for each in offsets.faults]


@pytest.mark.parametrize(
    ("changes", "after"),
    [
        ({ONE: (5, 2)}, {ONE: 2, TWO: 7}),
        ({ONE: (5, 0), TWO: (7, None)}, {ONE: 0}),
        ({OTHER: (None, 3)}, {ONE: 5, TWO: 7, OTHER: 3}),
        ({}, {ONE: 5, TWO: 7}),
    ],
)
@pytest.mark.parametrize("loses_reply", [False, True])
def test_offsets_are_changed_together(
    changes: dict[TopicPartition, Change], after: dict[TopicPartition, int], loses_reply: bool
) -> None:
    world = World()
    world.loses_reply = loses_reply

    assert Committed() == world.write(write_group_offsets(FENCE, "g", changes))
    assert after == world.offsets()
    assert world.zookeeper.node("/consumers/g/ids") is not None


@pytest.mark.parametrize("loses_reply", [False, True])
def test_a_group_is_made_by_its_first_offset(loses_reply: bool) -> None:
    world = World()
    world.loses_reply = loses_reply

    assert Committed() == world.write(write_group_offsets(FENCE, "new", {ONE: (None, 3)}))
    assert {ONE: 3} == world.offsets("new")


def test_a_damaged_offset_is_replaced() -> None:
    world = World()
    world.make("g/offsets/b/0", b"five")

    assert Committed() == world.write(write_group_offsets(FENCE, "g", {OTHER: (None, 3)}))
    assert {ONE: 5, TWO: 7, OTHER: 3} == world.offsets()


def writes() -> list[Callable[[], Steps[Outcome]]]:
    return [
        lambda: write_group_offsets(FENCE, "g", {ONE: (5, 2), TWO: (7, None)}),
        lambda: delete_group(FENCE, "g", {ONE: 5, TWO: 7}),
    ]


@pytest.mark.parametrize("write", writes())
@pytest.mark.parametrize("is_in_between", [False, True])
@pytest.mark.parametrize(
    ("operation", "conflict"),
    [
        (
            Create(f"/consumers/g/ids/{C1}", b"{}"),
            Conflict("/consumers/g/ids", ConflictKind.CHILDREN),
        ),
        (
            SetData("/consumers/g/offsets/a/0", b"6", MATCH_ANY),
            Conflict("/consumers/g/offsets/a/0", ConflictKind.VERSION),
        ),
    ],
)
def test_nothing_is_written_where_the_group_is_not_as_it_was(
    write: Callable[[], Steps[Outcome]],
    operation: Operation,
    conflict: Conflict,
    is_in_between: bool,
) -> None:
    world = World()
    if is_in_between:
        world.before_write = lambda: world.put(operation)
    else:
        world.put(operation)

    outcome = world.write(write())

    assert conflict == outcome
    assert world.offsets() in ({ONE: 5, TWO: 7}, {ONE: 6, TWO: 7})


@pytest.mark.parametrize("write", writes())
def test_nothing_is_written_under_another_controller(
    write: Callable[[], Steps[Outcome]],
) -> None:
    world = World()
    world.put(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))

    assert FenceMoved() == world.write(write())
    assert {ONE: 5, TWO: 7} == world.offsets()


@pytest.mark.parametrize("loses_reply", [False, True])
def test_a_group_is_deleted_whole(loses_reply: bool) -> None:
    world = World()
    world.make("g/owners/a")
    world.make("g/offsets/b/0", b"five")
    world.loses_reply = loses_reply

    assert Committed() == world.write(delete_group(FENCE, "g", {ONE: 5, TWO: 7}))
    assert world.zookeeper.node("/consumers/g") is None
    assert Committed() == world.write(delete_group(FENCE, "g", {ONE: 5, TWO: 7}))


@pytest.mark.parametrize("path", ["g/notes", "g/offsets/a/0/notes", "g/owners/a/0/x"])
def test_a_group_with_what_no_consumer_makes_is_kept(path: str) -> None:
    world = World()
    world.make(path, b"mine")
    world.make("h/offsets/a/0", b"1")

    outcome = world.write(delete_group(FENCE, "g", {ONE: 5, TWO: 7}))

    assert isinstance(outcome, Conflict)
    assert ConflictKind.CHILDREN is outcome.kind
    assert {ONE: 5, TWO: 7} == world.offsets()
