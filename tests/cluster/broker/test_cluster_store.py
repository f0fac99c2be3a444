"""What a broker writes to ZooKeeper is there once and whole, whatever is lost and whoever rivals.

The store is driven against the simulated ZooKeeper; that the real one answers the same is tested in
`tests/sim/test_zookeeper`.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.broker.cluster_store import TOO_MANY, UNDER_WAY_MAX, ZooKeeperStore
from cluster.coordination.consumer_offsets import can_keep
from cluster.coordination.transaction import ATTEMPTS_MAX, SENDS_MAX
from cluster.model.api_error import ApiError
from cluster.model.config_entity import Entity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import MATCH_ANY, BrokerId, TopicPartition
from cluster.zk import paths
from cluster.zk.configs import decode_config
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Create,
    Delete,
    Lost,
    Multi,
    MultiDone,
    Operation,
    Refused,
    SetData,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Steps, run
from cluster.zk.topics import decode_assignment
from cluster.zk.znode import Znode
from tests.sim.zookeeper import TOOL, SimZooKeeper

T = TypeVar("T")
ME, YOU = BrokerId(1), BrokerId(2)
TOPIC_ID = bytes(range(16))
LAYOUT = {0: (ME, YOU), 1: (YOU,)}
TOPIC_A = Entity(EntityKind.TOPICS, "a")

Loss = bool
"""Whether a transaction whose reply is lost was made."""


class World:
    """A broker's store, and a ZooKeeper that loses replies as *losses* says, one by one.

    The cluster is new and at controller epoch 1, unless it is that of *other*.  Before and after
    each transaction of the store *before_write* and *after_write* get its number.
    """

    def __init__(
        self,
        losses: Iterable[Loss | None] = (),
        broker_id: BrokerId = ME,
        other: "World | None" = None,
    ) -> None:
        new = SimZooKeeper(lambda *_: None, lambda _: None)
        self.zookeeper: SimZooKeeper = new if other is None else other.zookeeper
        self.session: int | None = self.zookeeper.connect()
        self.tool_session = self.zookeeper.connect()
        self.write_count = 0
        self.before_write: Callable[[int], None] = lambda _: None
        self.after_write: Callable[[int], None] = lambda _: None
        self.refused: dict[str, str] = {}
        self._losses = iter(losses)
        self._waiting: deque[Callable[[], None]] = deque()
        self.store = ZooKeeperStore(broker_id, self)
        if other is None:
            self.tool(*map(Create, PERSISTENT_PATHS))
            self.tool(
                Create(paths.CONTROLLER_EPOCH, b"1"),
                Create(paths.CONTROLLER, b'{"version":1,"brokerid":1}'),
            )

    def tool(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.tool_session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    # The runner of the store.

    def run(self, steps: Steps[T], done: Callable[[T | None], None]) -> None:
        def finish() -> None:
            done(None if self.session is None else run(steps, self.serve))

        self._waiting.append(finish)

    def serve(self, requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(map(self.reply, requests))

    def reply(self, request: ZkRequest) -> ZkReply:
        assert self.session is not None
        if not isinstance(request, Multi):
            path = getattr(request, "path", "")
            if path in self.refused:
                return Refused(self.refused[path])
            return self.zookeeper.serve(self.session, request, TOOL)
        self.write_count += 1
        self.before_write(self.write_count)
        loss = next(self._losses, None)
        if loss is False:
            return Lost()
        reply = self.zookeeper.serve(self.session, request, TOOL)
        self.after_write(self.write_count)
        return reply if loss is None else Lost()

    def outcome(self, ask: Callable[..., None], *arguments: Any) -> Any:
        """What the callback of *ask* gets."""
        outcomes: list[Any] = []
        ask(*arguments, outcomes.append)
        assert not outcomes, "nobody is called back from within the call that asks"
        while self._waiting:
            self._waiting.popleft()()
        (outcome,) = outcomes
        return outcome

    # What stands there.

    def node(self, path: str) -> Znode:
        node = self.zookeeper.node(path)
        assert node is not None
        return node

    def create(self, configs: Mapping[str, str] | None = None) -> ApiError:
        outcome = self.outcome(self.store.create_topic, "a", TOPIC_ID, LAYOUT, configs or {})
        assert isinstance(outcome, ApiError)
        return outcome

    @property
    def layout(self) -> dict[int, tuple[BrokerId, ...]]:
        assignment = decode_assignment(self.node(paths.topic("a")))
        return {number: part.replicas for number, part in assignment.partitions.items()}

    @property
    def overrides(self) -> Mapping[str, str]:
        return decode_config(self.node(paths.topic_config("a"))).values

    @property
    def notifications(self) -> tuple[str, ...]:
        return self.zookeeper.children(paths.CONFIG_CHANGES)


@pytest.fixture
def world() -> World:
    return World()


def one_more(there: Mapping[int, Any]) -> Mapping[int, tuple[BrokerId, ...]]:
    return {len(there): (ME,)}


@pytest.mark.slow
def test_what_clients_let_wait_for_zookeeper_is_bounded(world: World) -> None:
    world.create()
    outcomes: list[ApiError] = []
    for _ in range(UNDER_WAY_MAX + 3):
        world.store.delete_topic("gone", outcomes.append)
    overrides = world.outcome(world.store.read_topic_overrides, ("a",))

    assert [ApiError()] * UNDER_WAY_MAX + [TOO_MANY] * 3 == outcomes
    assert {"a": {}} == overrides
    assert ApiError() == world.outcome(world.store.delete_topic, "a")


losses = st.lists(st.booleans(), max_size=SENDS_MAX - 1)
"""What is lost of the replies to one transaction that is sent again; the next one arrives."""


# Lost replies.


@given(losses=losses)
def test_a_topic_is_made_once_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World(losses)

    assert world.create({"retention.ms": "5"}) == ApiError()
    assert LAYOUT == world.layout
    assert world.overrides == {"retention.ms": "5"}
    assert world.node(paths.topic("a")).zk_version == 0
    # What has been made is not sent again.
    sent_before = losses.index(True) if True in losses else len(losses)
    assert world.write_count == sent_before + 1


@given(losses=losses)
def test_partitions_are_added_once_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World([None, *losses])
    world.create()

    assert world.outcome(world.store.add_partitions, "a", one_more) == ApiError()
    assert {**LAYOUT, 2: (ME,)} == world.layout


@given(losses=losses)
def test_configs_are_changed_and_told_once_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World([None, *losses])
    world.create({"retention.ms": "5"})

    # The same values again: that they stand there does not tell that they were written.
    outcome = world.outcome(world.store.alter_configs, TOPIC_A, dict)

    assert outcome == ApiError()
    assert world.overrides == {"retention.ms": "5"}
    assert world.node(paths.topic_config("a")).zk_version == 1
    assert len(world.notifications) == 1


@given(losses=losses)
def test_no_producer_id_is_given_twice_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World(losses)

    blocks = [world.outcome(world.store.take_producer_ids) for _ in range(3)]

    assert [range(0, 1000), range(1000, 2000), range(2000, 3000)] == blocks


def test_producer_ids_are_taken_one_block_after_the_other(world: World) -> None:
    taken: list[object] = []
    for _ in range(2):
        world.store.take_producer_ids(taken.append)

    taken.append(world.outcome(world.store.take_producer_ids))

    assert [range(0, 1000), range(1000, 2000), range(2000, 3000)] == taken


@given(losses=losses)
def test_a_topic_is_marked_once_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World([None, *losses])
    world.create()

    assert world.outcome(world.store.delete_topic, "a") == ApiError()
    assert world.zookeeper.children(paths.DELETE_TOPICS) == ("a",)


def test_a_topic_that_was_made_anew_is_not_deleted_for_the_one_before() -> None:
    world = World([None, True])
    world.create()

    def delete_and_make_anew(number: int) -> None:
        if number == 2:
            config = Delete(paths.topic_config("a"))
            world.tool(Delete(paths.delete_topic("a")), Delete(paths.topic("a")), config)
            world.tool(Create(paths.topic_config("a"), b"{}"), Create(paths.topic("a"), b"new"))

    world.after_write = delete_and_make_anew

    assert world.outcome(world.store.delete_topic, "a") == ApiError()
    assert world.zookeeper.children(paths.DELETE_TOPICS) == ()


def test_a_topic_whose_configs_somebody_has_changed_since_is_still_known_as_ones_own() -> None:
    world = World([True])
    change = SetData(paths.topic_config("a"), b'{"version":1,"config":{}}', MATCH_ANY)
    world.after_write = lambda _: world.tool(change)

    assert world.create({"retention.ms": "5"}) == ApiError()
    assert world.overrides == {}


def test_who_finds_his_write_overwritten_writes_on_top_of_it() -> None:
    world = World([None, True])
    world.create()

    def overwrite(number: int) -> None:
        if number == 2:
            path = paths.topic("a")
            data = world.node(path).data
            assert data is not None
            world.tool(SetData(path, data.replace(b'"2":[1]', b'"2":[2]'), MATCH_ANY))

    world.after_write = overwrite

    assert world.outcome(world.store.add_partitions, "a", one_more) == ApiError()
    assert {**LAYOUT, 2: (YOU,), 3: (ME,)} == world.layout


def test_a_write_that_is_never_answered_is_given_up() -> None:
    world = World([False] * SENDS_MAX * ATTEMPTS_MAX)

    assert world.create().error is ErrorCode.REQUEST_TIMED_OUT
    assert world.zookeeper.node(paths.topic("a")) is None


# Others who write.


@given(rivals=st.sets(st.integers(1, ATTEMPTS_MAX - 1)), losses=st.lists(st.booleans()))
def test_everybody_s_partitions_are_there_in_the_end(rivals: set[int], losses: list[Loss]) -> None:
    """Before some transactions of the store somebody else adds a partition of his own."""
    world = World([None, *losses[: SENDS_MAX - 1]])
    world.create()
    rival = World(broker_id=YOU, other=world)
    added = 0

    def add(number: int) -> None:
        nonlocal added
        if number - 1 in rivals:
            outcome = rival.outcome(
                rival.store.add_partitions, "a", lambda there: {len(there): (YOU,)}
            )
            assert outcome == ApiError()
            added += 1

    world.before_write = add
    outcome = world.outcome(world.store.add_partitions, "a", one_more)

    assert outcome == ApiError()
    owners = [replicas for number, replicas in world.layout.items() if number not in LAYOUT]
    assert sorted(owners) == [(ME,), *[(YOU,)] * added]


def test_a_write_is_planned_anew_under_each_controller(world: World) -> None:
    world.create()
    seen: list[Mapping[str, str]] = []

    def elect(number: int) -> None:
        if number <= 3:
            world.tool(
                SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY),
                Delete(paths.CONTROLLER),
                Create(paths.CONTROLLER, b'{"version":1,"brokerid":2}'),
            )

    def change(there: Mapping[str, str]) -> Mapping[str, str]:
        seen.append(there)
        return {"segment.ms": "5"}

    world.before_write = elect

    assert world.outcome(world.store.alter_configs, TOPIC_A, change) == ApiError()
    assert [{}] * 3 == seen
    assert len(world.notifications) == 1


def test_a_cluster_that_kraft_takes_over_in_between_is_left_alone(world: World) -> None:
    owner = b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}'

    def take_over(_: int) -> None:
        # As KRaft does: the node is made anew, in the version that the last one had.
        world.tool(
            SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY),
            Delete(paths.CONTROLLER),
            Create(paths.CONTROLLER, owner),
        )

    world.before_write = take_over

    assert world.create().error is ErrorCode.NOT_CONTROLLER
    assert world.zookeeper.node(paths.topic("a")) is None


def test_before_the_first_controller_nothing_is_checked() -> None:
    world = World()
    world.tool(Delete(paths.CONTROLLER), Delete(paths.CONTROLLER_EPOCH))

    assert world.create() == ApiError()


def test_a_topic_that_goes_while_its_configs_are_changed_is_unknown(world: World) -> None:
    world.create()
    # Its overrides are still there, as after a crash in the middle of an old tool's deletion.
    world.before_write = lambda _: world.tool(Delete(paths.topic("a")))

    outcome = world.outcome(world.store.alter_configs, TOPIC_A, dict)

    assert outcome.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert world.notifications == ()


def test_deleting_what_is_deleted_or_marked_is_done(world: World) -> None:
    assert world.outcome(world.store.delete_topic, "a") == ApiError()
    world.create()

    for _ in range(2):
        assert world.outcome(world.store.delete_topic, "a") == ApiError()
    assert world.zookeeper.children(paths.DELETE_TOPICS) == ("a",)


# What stands there and is of no use.


def everything(world: World) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every write, and the node that it cannot do without understanding."""
    store = world.store
    yield paths.topic("a"), lambda: world.outcome(store.add_partitions, "a", one_more)
    yield paths.topic_config("a"), lambda: world.outcome(store.alter_configs, TOPIC_A, dict)
    yield paths.topic_config("a"), lambda: world.outcome(store.read_overrides, TOPIC_A)
    yield paths.PRODUCER_ID_BLOCK, lambda: world.outcome(store.take_producer_ids)
    yield paths.CONTROLLER, lambda: world.outcome(store.create_topic, "b", bytes(16), LAYOUT, {})
    yield paths.CONTROLLER, lambda: world.outcome(store.delete_topic, "a")


@pytest.mark.parametrize("number", range(6))
def test_a_damaged_node_is_an_error_that_names_it(world: World, number: int) -> None:
    world.create()
    path, write = list(everything(world))[number]
    world.tool(SetData(path, b"[", MATCH_ANY))

    outcome = write()

    assert outcome.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert path in str(outcome.message)
    assert world.notifications == ()


@pytest.mark.parametrize("number", range(6))
def test_a_node_that_may_not_be_read_is_an_error_that_names_it(world: World, number: int) -> None:
    world.create()
    path, write = list(everything(world))[number]
    world.refused[path] = "NoAuthError"

    outcome = write()

    assert outcome.error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert f"{path}: NoAuthError" in str(outcome.message)


def test_damaged_overrides_cost_their_topic_alone(world: World) -> None:
    world.create({"retention.ms": "5"})
    world.tool(Create(paths.topic_config("b"), b"["))

    found = world.outcome(world.store.read_topic_overrides, ["a", "b", "c", "a"])

    assert found["a"] == {"retention.ms": "5"}
    assert found["b"].error is ErrorCode.UNKNOWN_SERVER_ERROR
    assert found["c"] == {}


def test_without_a_session_nothing_is_asked(world: World) -> None:
    world.session = None

    assert world.create().error is ErrorCode.BROKER_NOT_AVAILABLE
    taken = [world.outcome(world.store.take_producer_ids) for _ in range(2)]
    assert [ErrorCode.BROKER_NOT_AVAILABLE] * 2 == [outcome.error for outcome in taken]


# Offsets of groups.


ONE, OTHER = TopicPartition("a", 0), TopicPartition("b", 7)


@given(losses=st.lists(st.booleans(), max_size=9))
def test_offsets_are_kept_whatever_replies_are_lost(losses: list[Loss]) -> None:
    world = World(losses)

    assert {} == world.outcome(world.store.read_consumer_offsets, "g", (ONE, OTHER))
    for offsets in ({ONE: 5}, {ONE: 3, OTHER: 2**63 - 1}):
        assert ApiError() == world.outcome(world.store.write_consumer_offsets, "g", offsets)
        assert offsets == world.outcome(world.store.read_consumer_offsets, "g", (ONE, OTHER))

    assert b"3" == world.node("/consumers/g/offsets/a/0").data


@pytest.mark.parametrize("write", range(1, 9))
def test_offsets_are_kept_whoever_makes_and_deletes_the_nodes_meanwhile(
    world: World, write: int
) -> None:
    """By the number of the write before which somebody comes."""
    made = [Create(f"/consumers{path}") for path in ("/g", "/g/offsets", "/g/offsets/a")]

    def meddle(number: int) -> None:
        if number == write and world.zookeeper.node("/consumers/g") is None:
            world.tool(*made)
        elif number == write:
            there = [one.path for one in made if world.zookeeper.node(one.path) is not None]
            if world.zookeeper.node("/consumers/g/offsets/a/0") is None:
                world.tool(*(Delete(path) for path in reversed(there)))

    world.before_write = meddle

    assert ApiError() == world.outcome(world.store.write_consumer_offsets, "g", {ONE: 5})
    assert {ONE: 5} == world.outcome(world.store.read_consumer_offsets, "g", (ONE,))


def test_a_damaged_offset_is_an_error_of_its_partition(world: World) -> None:
    world.outcome(world.store.write_consumer_offsets, "g", {ONE: 5, OTHER: 6})
    world.tool(SetData("/consumers/g/offsets/a/0", b"five", MATCH_ANY))

    found = world.outcome(world.store.read_consumer_offsets, "g", (ONE, OTHER))

    assert found[OTHER] == 6
    assert ErrorCode.UNKNOWN_SERVER_ERROR == found[ONE].error


def test_a_refused_write_is_an_error(world: World) -> None:
    world.outcome(world.store.write_consumer_offsets, "g", {ONE: 5})
    world.refused["/consumers/g/offsets/a/0"] = "NoAuth"

    found = world.outcome(world.store.read_consumer_offsets, "g", (ONE,))

    assert ErrorCode.UNKNOWN_SERVER_ERROR == found.error


@pytest.mark.parametrize("group", ["", ".", "..", "a/b", "a\0", "\ud800", "\uffff"])
def test_there_are_groups_that_zookeeper_cannot_keep(group: str) -> None:
    assert not can_keep(group)
    assert can_keep(f"group{group}") == (group in ("", ".", ".."))
