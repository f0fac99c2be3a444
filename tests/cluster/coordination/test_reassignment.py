"""Requests for other replicas: one at a time, made once, whatever becomes of the reply."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from cluster.coordination.reassignment import (
    Withdrawn,
    read_headings,
    read_request,
    request_reassignment,
    take_back_reassignment,
)
from cluster.coordination.transaction import Fence, NeverAnswered, OutcomeUnknown
from cluster.model.admin import Reassignment
from cluster.model.controller import Controller
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.model.topic import PartitionAssignment
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.controller import encode_controller
from cluster.zk.requests import (
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    Operation,
    SetData,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import run
from cluster.zk.topics import encode_assignment
from tests.kadmin.builders import assignment, ids
from tests.sim.zookeeper import TOOL, SimZooKeeper

FENCE = Fence(ZkVersion(0))
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
TARGETS = {T0: ids("2,1"), T1: ids("2,0")}
REQUEST = encode_reassignment(Reassignment(targets=TARGETS))
EMPTY = b'{"version":1,"partitions":[]}'
PATH = paths.REASSIGN_PARTITIONS
Moves: TypeAlias = Mapping[TopicPartition, Withdrawn]


def going(before: str, heading: str, target: str = "0,1", adding: str = "") -> Withdrawn:
    return Withdrawn(
        before=PartitionAssignment(ids(before), adding=ids(adding) if adding else ()),
        heading=ids(heading),
        target=ids(target),
    )


GOING = going("0,1", "2")


class Cluster:
    """Topic t, both partitions on 0 and 1; a reply to a transaction is lost by `losing`."""

    def __init__(self) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.losing: list[Callable[[], None]] = []
        """For each of the next transactions: what happens when its reply has been lost."""
        self.transactions: list[tuple[Operation, ...]] = []
        self.put(Create("/admin"), Create(paths.CONTROLLER_EPOCH, b"1"))
        self.put(Create(paths.BROKERS), Create(paths.TOPICS))
        self.put(Create(paths.topic("t"), encode_assignment(assignment("0,1 0,1"))))

    def put(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    def set(self, path: str, data: bytes) -> None:
        node = self.zookeeper.node(path)
        assert node is not None
        self.put(SetData(path, data, node.zk_version))

    def move(self, layout: str, adding: str = "", removing: str = "") -> None:
        """Let topic t have *layout*, as a controller writes it."""
        self.set(
            paths.topic("t"),
            encode_assignment(assignment(layout, adding=adding, removing=removing)),
        )

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def reply(self, request: ZkRequest) -> ZkReply:
        reply = self.zookeeper.serve(self.session, request, TOOL)
        if isinstance(request, Multi):
            self.transactions.append(request.operations)
            if self.losing:
                self.losing.pop(0)()
                return Lost()
        return reply

    def ask(self, version: int = 0) -> Outcome:
        versions = {"t": ZkVersion(version)}
        return run(request_reassignment(FENCE, TARGETS, versions), self.serve)

    def take_back(self, resigning: int | None, moves: Moves | None = None) -> Outcome:
        who = None if resigning is None else BrokerId(resigning)
        steps = take_back_reassignment(FENCE, moves or {T0: GOING}, resigning=who)
        return run(steps, self.serve)

    def elect(self, broker: int) -> None:
        controller = Controller(broker_id=BrokerId(broker), timestamp_ms=1)
        self.put(Create(paths.CONTROLLER, encode_controller(controller)))

    @property
    def has_controller(self) -> bool:
        return self.zookeeper.node(paths.CONTROLLER) is not None

    @property
    def request(self) -> bytes | None:
        node = self.zookeeper.node(PATH)
        return None if node is None else node.data


def test_all_is_asked_for_in_one_transaction_under_the_fence() -> None:
    world = Cluster()

    assert Committed() == world.ask()
    assert REQUEST == world.request
    assert 1 == len(world.transactions)
    assert TARGETS == dict(run(read_request(), world.serve))


def test_a_topic_that_was_written_since_is_not_asked_for() -> None:
    world = Cluster()
    world.move("0,1 0,1 0,1")

    assert Conflict(paths.topic("t"), ConflictKind.VERSION) == world.ask()
    assert world.request is None
    assert Committed() == world.ask(1)


def test_nothing_is_asked_under_another_controller_than_was_seen() -> None:
    world = Cluster()
    world.set(paths.CONTROLLER_EPOCH, b"2")

    assert FenceMoved() == world.ask()
    assert world.request is None


def test_another_request_stays() -> None:
    world = Cluster()
    other = encode_reassignment(Reassignment(targets={T1: ids("0")}))
    world.put(Create(PATH, other))

    assert Conflict(PATH, ConflictKind.EXISTS) == world.ask()
    assert other == world.request


def test_one_that_asks_for_nothing_goes_first_in_a_transaction_of_its_own() -> None:
    world = Cluster()
    world.put(Create(PATH, EMPTY))

    assert Committed() == world.ask()
    assert REQUEST == world.request
    assert 2 == len(world.transactions)


def test_a_damaged_one_is_not_touched() -> None:
    world = Cluster()
    world.put(Create(PATH, b"{"))

    with pytest.raises(CorruptZnodeError):
        world.ask()

    assert b"{" == world.request


def test_a_reply_is_lost_and_the_request_stands() -> None:
    world = Cluster()
    world.losing = [lambda: None]

    assert Committed() == world.ask()
    assert 1 == len(world.transactions)


@pytest.mark.parametrize(
    "meanwhile",
    [
        # All is done, and the request gone.
        lambda world: (world.move("2,1 2,0"), world.put(Delete(PATH))),
        # One is done and has left the request, the other one is on its way.
        lambda world: (
            world.move("2,1,0 2,0", adding="2", removing="0"),
            world.set(PATH, encode_reassignment(Reassignment(targets={T0: ids("2,1")}))),
        ),
        # A controller before 2.4 says of what is on its way in the request alone.
        lambda world: (
            world.move("2,1 2,0,1"),
            world.set(PATH, encode_reassignment(Reassignment(targets={T1: ids("2,0")}))),
        ),
    ],
)
def test_a_reply_is_lost_and_the_controller_has_begun(
    meanwhile: Callable[[Cluster], object],
) -> None:
    world = Cluster()
    world.losing = [lambda: (meanwhile(world), None)[1]]

    assert Committed() == world.ask()
    assert 1 == len(world.transactions)


def test_a_reply_is_lost_and_somebody_else_asks_for_something_else() -> None:
    world = Cluster()
    other = encode_reassignment(Reassignment(targets={T1: ids("0")}))
    world.losing = [lambda: world.set(PATH, other)]

    with pytest.raises(OutcomeUnknown):
        world.ask()

    assert other == world.request


def test_who_never_hears_does_not_ask_for_ever() -> None:
    world = Cluster()
    world.losing = [lambda: world.put(Delete(PATH)) for _ in range(10)]

    with pytest.raises(NeverAnswered):
        world.ask()


def test_headings_are_known_where_the_topic_can_be_understood() -> None:
    world = Cluster()
    world.put(Create(paths.topic("bad"), b"{"))
    world.move("2,0,1 0,1", adding="2", removing="0")
    gone, bad = TopicPartition("gone", 0), TopicPartition("bad", 0)

    found = run(read_headings(dict.fromkeys((T0, T1, gone, bad), ids("0"))), world.serve)

    assert {T0: ids("2,1"), T1: ids("0,1"), gone: None, bad: None} == found


BOTH = encode_reassignment(Reassignment(targets={T0: ids("2"), T1: ids("2,0")}, extra={"by": "me"}))


def test_a_request_is_changed_and_the_controller_that_would_not_see_it_resigns_at_once() -> None:
    """What is not taken back stays in it."""
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)

    assert Committed() == world.take_back(2)
    assert {T0: ids("0,1"), T1: ids("2,0")} == dict(run(read_request(), world.serve))
    assert b'"by":"me"' in (world.request or b"")
    assert not world.has_controller
    assert 1 == len(world.transactions)


def test_where_no_request_stands_one_is_made_that_the_controller_sees() -> None:
    """The move was asked of brokers, and stands in its topic alone."""
    world = Cluster()
    world.move("2,0,1 0,1", adding="2", removing="0,1")
    world.elect(2)

    assert Committed() == world.take_back(None, {T0: going("2,0,1", "2", adding="2")})
    assert {T0: ids("0,1")} == dict(run(read_request(), world.serve))
    assert world.has_controller


def test_without_a_controller_the_next_one_reads_what_was_changed() -> None:
    world = Cluster()
    world.put(Create(PATH, BOTH))

    assert Committed() == world.take_back(None)
    assert ids("0,1") == run(read_request(), world.serve)[T0]


@pytest.mark.parametrize("resigning", [None, 1])
def test_no_controller_resigns_but_the_one_that_was_asked_about(resigning: int | None) -> None:
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)

    assert Conflict(PATH, ConflictKind.VERSION) == world.take_back(resigning)
    assert BOTH == world.request
    assert world.has_controller


def test_nobody_resigns_where_the_request_has_gone_meanwhile() -> None:
    world = Cluster()
    world.elect(2)

    assert Conflict(PATH, ConflictKind.VERSION) == world.take_back(2)
    assert world.request is None
    assert world.has_controller


# What a move's partition has, however far it is: not begun, then as of 2.4, and as before that.
ON_THE_WAY = [("0,1", "", ""), ("2,0,1", "2", "0,1"), ("0,1,2", "", "")]


@pytest.mark.parametrize(("layout", "adding", "removing"), ON_THE_WAY)
def test_how_far_a_partition_has_come_meanwhile_does_not_matter(
    layout: str, adding: str, removing: str
) -> None:
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)
    world.move(f"{layout} 0,1", adding=adding, removing=removing)

    assert Committed() == world.take_back(2)
    assert {T0: ids("0,1"), T1: ids("2,0")} == dict(run(read_request(), world.serve))


def test_before_2_4_what_only_grows_goes_on_while_it_is_asked_for() -> None:
    world = Cluster()
    world.put(Create(PATH, encode_reassignment(Reassignment(targets={T0: ids("2,0,1")}))))
    world.elect(2)
    world.move("2,0,1 0,1")

    assert Committed() == world.take_back(2, {T0: going("0,1", "2,0,1")})
    assert {T0: ids("0,1")} == dict(run(read_request(), world.serve))


def test_of_what_has_arrived_meanwhile_nothing_is_asked() -> None:
    world = Cluster()
    world.put(Create(PATH, encode_reassignment(Reassignment(targets={T1: ids("2,0")}))))
    world.elect(2)
    world.move("2 0,1")

    assert Committed() == world.take_back(2, {T0: GOING, T1: going("0,1", "2,0")})
    assert {T1: ids("0,1")} == dict(run(read_request(), world.serve))


def test_nobody_resigns_where_all_has_arrived_meanwhile() -> None:
    """The first has left the request already, which the controller is about to change."""
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)
    world.move("2 2,0")

    assert Conflict(PATH, ConflictKind.VERSION) == world.take_back(
        2, {T0: GOING, T1: going("0,1", "2,0")}
    )
    assert BOTH == world.request
    assert world.has_controller


@pytest.mark.parametrize(
    ("layout", "adding", "removing"),
    [
        # Moved elsewhere, begun from elsewhere, and given up or moved by somebody else.
        ("0,1,3", "3", "0,1"),
        ("2,0,3", "2", "0,3"),
        ("0,3", "", ""),
    ],
)
def test_nothing_is_taken_back_where_a_partition_goes_another_way(
    layout: str, adding: str, removing: str
) -> None:
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)
    world.move(f"{layout} 0,1", adding=adding, removing=removing)

    assert Conflict(paths.topic("t"), ConflictKind.VERSION) == world.take_back(2)
    assert BOTH == world.request
    assert world.has_controller


def test_nothing_is_taken_back_where_something_else_is_asked_for_meanwhile() -> None:
    world = Cluster()
    world.put(Create(PATH, encode_reassignment(Reassignment(targets={T0: ids("3")}))))
    world.elect(2)

    assert Conflict(paths.topic("t"), ConflictKind.VERSION) == world.take_back(2)


def test_nothing_is_taken_back_of_a_topic_that_is_gone() -> None:
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)
    world.put(Delete(paths.topic("t")))

    assert Conflict(paths.topic("t"), ConflictKind.VERSION) == world.take_back(2)
    assert world.has_controller


def test_a_controller_that_completes_many_partitions_each_second_is_outrun() -> None:
    """Others leave the request, and their topic's node moves, whenever it has just been read."""
    world = Cluster()
    others = {TopicPartition("t", number): ids("2") for number in range(1, 20)}
    world.put(Create(PATH, encode_reassignment(Reassignment(targets={T0: ids("2"), **others}))))
    world.elect(2)

    def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        if others and any(isinstance(request, Multi) for request in requests):
            others.popitem()
            left = Reassignment(targets={T0: ids("2"), **others})
            world.set(PATH, encode_reassignment(left))
            world.move("0,1 2")
        return world.serve(requests)

    steps = take_back_reassignment(FENCE, {T0: GOING}, resigning=BrokerId(2))

    assert Committed() == run(steps, serve)
    assert {T0: ids("0,1")} == dict(run(read_request(), world.serve))
    assert not world.has_controller


def test_what_was_taken_back_and_not_answered_is_done_once() -> None:
    """By then there may be another controller, which is not to resign."""
    world = Cluster()
    world.put(Create(PATH, BOTH))
    world.elect(2)
    world.losing.append(lambda: world.elect(0))

    assert Committed() == world.take_back(2)
    assert 1 == len(world.transactions)
    assert world.has_controller


GONE = TopicPartition("gone", 0)


@pytest.mark.parametrize(
    ("asked", "dropped", "left"),
    [
        ({GONE: "1,2"}, {GONE: "1,2"}, {}),
        ({GONE: "1,2", T0: "2"}, {GONE: "1,2"}, {T0: "2"}),
        ({TopicPartition("t", 9): "2"}, {TopicPartition("t", 9): "2"}, {}),
        # Nothing has begun without a controller.
        ({T0: "2"}, {T0: "2"}, {}),
        # Another one asks for it by now, it may have begun, or nobody asks any more.
        ({GONE: "1"}, {GONE: "1,2"}, None),
        ({T0: "0"}, {T0: "0"}, None),
        ({T0: "2"}, {GONE: "1,2"}, None),
    ],
)
@pytest.mark.parametrize("is_lost", [False, True])
def test_what_no_controller_takes_up_leaves_the_request(
    asked: dict[TopicPartition, str],
    dropped: dict[TopicPartition, str],
    left: dict[TopicPartition, str] | None,
    is_lost: bool,
) -> None:
    cluster = Cluster()
    cluster.put(Create(PATH, request(asked)))
    cluster.losing = [lambda: None] if is_lost else []
    before = cluster.request
    wanted = {partition: ids(target) for partition, target in dropped.items()}

    steps = take_back_reassignment(FENCE, {}, resigning=None, dropped=wanted)
    outcome = run(steps, cluster.serve)

    assert (Committed() if left is not None else Conflict(PATH, ConflictKind.VERSION)) == outcome
    after = before if left is None else request(left) if left else None
    assert after == cluster.request


def test_a_controller_may_have_begun_whatever_is_there() -> None:
    cluster = Cluster()
    cluster.put(Create(PATH, request({T0: "2"})))
    cluster.elect(2)

    steps = take_back_reassignment(FENCE, {}, resigning=BrokerId(2), dropped={T0: ids("2")})

    assert Conflict(PATH, ConflictKind.VERSION) == run(steps, cluster.serve)


def request(targets: dict[TopicPartition, str]) -> bytes:
    return encode_reassignment(
        Reassignment(targets={each: ids(target) for each, target in targets.items()})
    )
