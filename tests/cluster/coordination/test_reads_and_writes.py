"""What each read and write of the controller does in ZooKeeper, reply by reply."""

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

import pytest

from cluster.coordination import reads, writes
from cluster.coordination.client import Client
from cluster.coordination.reads import PreferredElectionRead, ReassignmentRead
from cluster.coordination.transaction import Fence, SentOnce
from cluster.coordination.writes import DELETES_IN_A_TRANSACTION, STATES_IN_A_TRANSACTION
from cluster.model.admin import Reassignment
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import (
    MATCH_ANY,
    NEVER_READ,
    BrokerId,
    ControllerEpoch,
    LeaderEpoch,
    TopicPartition,
    ZkVersion,
)
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_config_specs import UNCLEAN_LEADER_ELECTION
from cluster.zk import paths
from cluster.zk.admin import encode_reassignment
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    GetChildren,
    GetData,
    Lost,
    Multi,
    MultiDone,
    MultiFailed,
    Operation,
    Refused,
    SetData,
    ZkError,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Refusal, Steps, run
from cluster.zk.topics import encode_state
from cluster.zk.znode import Znode
from tests.sim.zookeeper import TOOL, SimZooKeeper

FENCE = Fence(ZkVersion(0))
T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
NEW = TopicPartition("t", 2)
HALF = TopicPartition("t", 3)


T = TypeVar("T")
Write: TypeAlias = Steps[SentOnce] | Steps[dict[TopicPartition, SentOnce]]


class Ensemble:
    """A ZooKeeper at controller epoch 5, and every request that it got; *once* may answer first."""

    def __init__(self) -> None:
        self.fired: list[str] = []
        self.zookeeper = SimZooKeeper(lambda _, path: self.fired.append(path), lambda commit: None)
        self.session = self.zookeeper.connect()
        self.requests: list[ZkRequest] = []
        self.faults: list[CorruptZnodeError] = []
        self.allows_unclean = False
        self.once: dict[int, ZkReply] = {}
        """Replies that stand in for ZooKeeper's, by the number of the request."""
        self.put(*(Create(path) for path in PERSISTENT_PATHS))
        self.put(Create(paths.CONTROLLER_EPOCH, b"5"))

    def put(self, *operations: Operation) -> None:
        reply = self.zookeeper.serve(self.session, Multi(operations), TOOL)
        assert isinstance(reply, MultiDone), reply

    @property
    def client(self) -> Client:
        return Client(
            broker_id=BrokerId(1),
            wall_ms=lambda: 17,
            report=self.faults.append,
            session_id=self.session,
            allows_unclean=self.allows_unclean,
        )

    def run(self, steps: Steps[T]) -> T:
        return run(steps, lambda requests: tuple(map(self.reply, requests)))

    def reply(self, request: ZkRequest) -> ZkReply:
        number = len(self.requests)
        self.requests.append(request)
        if number in self.once:
            return self.once[number]
        return self.zookeeper.serve(self.session, request, TOOL)

    def tree(self, path: str = "") -> dict[str, Znode | None]:
        """All nodes, with their versions."""
        found = {path: self.zookeeper.node(path)}
        for name in self.zookeeper.children(path):
            found |= self.tree(f"{path}/{name}")
        return found

    def kinds(self, steps: Write) -> list[type[SentOnce]]:
        """How a write ends, or each of several."""
        result = self.run(steps)
        return list(map(type, result.values() if isinstance(result, dict) else [result]))


@pytest.fixture
def ensemble() -> Ensemble:
    return Ensemble()


def state(zk_version: int, leader: int = 1) -> PartitionState:
    return PartitionState(
        BrokerId(leader),
        (BrokerId(1),),
        LeaderEpoch(0),
        ControllerEpoch(5),
        zk_version=ZkVersion(zk_version),
    )


def with_states(ensemble: Ensemble) -> None:
    ensemble.put(
        Create(paths.topic("t"), b'{"version":1,"partitions":{"0":[1],"1":[1]}}'),
        Create(paths.partitions("t")),
    )
    for partition in (T0, T1):
        node = paths.partition(partition)
        ensemble.put(Create(node), Create(f"{node}/state", encode_state(state(0))))


def reassignment(
    targets: dict[TopicPartition, tuple[int, ...]], zk_version: int = 0
) -> Reassignment:
    named = {partition: tuple(map(BrokerId, target)) for partition, target in targets.items()}
    return Reassignment(targets=named, zk_version=ZkVersion(zk_version))


FENCED_WRITES: Final[dict[str, Callable[[], Write]]] = {
    "remove_controller": lambda: writes.remove_controller(FENCE),
    "create_states": lambda: writes.create_states(
        FENCE, {NEW: state(NEVER_READ), HALF: state(NEVER_READ)}
    ),
    "write_states": lambda: writes.write_states(FENCE, {T0: state(0), T1: state(0)}),
    "write_assignment": lambda: writes.write_assignment(
        FENCE,
        "t",
        TopicAssignment(
            partitions={0: PartitionAssignment((BrokerId(2),))}, zk_version=ZkVersion(0)
        ),
    ),
    "delete_topic": lambda: writes.delete_topic(FENCE, "t"),
    "delete_deletion_requests": lambda: writes.delete_deletion_requests(FENCE, ("t",)),
    "write_reassignment": lambda: writes.write_reassignment(FENCE, reassignment({T0: (2,)})),
    "write_reassignment of nothing": lambda: writes.write_reassignment(FENCE, reassignment({})),
    "delete_notifications": lambda: writes.delete_notifications(
        FENCE, isr_changes=("a",), log_dir_events=("b",)
    ),
    "delete_preferred_election": lambda: writes.delete_preferred_election(FENCE, ZkVersion(0)),
}
"""At least one of each kind; the half-made partition's state is made by a second transaction."""

UNFENCED: Final = {"create_controller_epoch", "register_controller"}
"""An election has no epoch of its own yet; its transaction expects the version that it read."""
OF_ANYTHING: Final = {
    "delete_each",
    "write",
    "write_assignments",
    "write_each",
    "write_each_once",
    "write_once",
}
"""What the others are made of."""


def with_all(ensemble: Ensemble) -> None:
    """Have what each of `FENCED_WRITES` is about, and a controller."""
    with_states(ensemble)
    ensemble.put(
        Create(paths.CONTROLLER, b"{}", is_ephemeral=True),
        Create(paths.topic_config("t"), b"{}"),
        Create(paths.delete_topic("t")),
        Create(paths.REASSIGN_PARTITIONS, b"{}"),
        Create(f"{paths.ISR_CHANGES}/a"),
        Create(f"{paths.LOG_DIR_EVENTS}/b"),
        Create(paths.PREFERRED_ELECTION, b"{}"),
        Create(paths.partition(HALF)),
    )


def test_all_kinds_of_writes_are_tried() -> None:
    functions = {
        name
        for name, value in vars(writes).items()
        if getattr(value, "__module__", None) == writes.__name__ and not name.startswith("_")
    }
    assert functions == UNFENCED | OF_ANYTHING | {name.split()[0] for name in FENCED_WRITES}


@pytest.mark.parametrize("name", FENCED_WRITES)
def test_every_write_begins_with_the_check_of_the_epoch(ensemble: Ensemble, name: str) -> None:
    with_all(ensemble)
    before = ensemble.tree()

    kinds = ensemble.kinds(FENCED_WRITES[name]())

    assert set(kinds) == {Committed}
    assert ensemble.tree() != before
    changes = [request for request in ensemble.requests if isinstance(request, Multi)]
    fences = {multi.operations[0] for multi in changes}
    assert fences == {Check(paths.CONTROLLER_EPOCH, ZkVersion(0))}


@pytest.mark.parametrize("name", FENCED_WRITES)
def test_an_old_controller_changes_nothing_and_is_told_that_it_is_fenced_off(
    ensemble: Ensemble, name: str
) -> None:
    with_all(ensemble)
    ensemble.put(SetData(paths.CONTROLLER_EPOCH, b"6", MATCH_ANY))
    before = ensemble.tree()

    kinds = ensemble.kinds(FENCED_WRITES[name]())

    assert set(kinds) == {FenceMoved}
    assert ensemble.tree() == before


def test_each_state_is_written_on_its_own(ensemble: Ensemble) -> None:
    with_states(ensemble)

    results = ensemble.run(writes.write_states(FENCE, {T0: state(7), T1: state(0)}))

    assert results[T0] == Conflict(paths.state("t", 0), ConflictKind.VERSION)
    written = results[T1]
    assert isinstance(written, Committed)
    assert written.zk_version == 1


MANY: Final = tuple(TopicPartition("many", index) for index in range(1000))


def with_many_states(ensemble: Ensemble) -> Steps[dict[TopicPartition, SentOnce]]:
    """Have topic *many*, and return a write of all its states."""
    ensemble.put(Create(paths.topic("many"), b"{}"), Create(paths.partitions("many")))
    for one in MANY:
        data = encode_state(state(0))
        path = paths.state(one.topic, one.partition)
        ensemble.put(Create(paths.partition(one)), Create(path, data))
    return writes.write_states(FENCE, {one: state(0) for one in MANY})


def test_very_many_states_are_written_in_few_transactions(ensemble: Ensemble) -> None:
    results = ensemble.run(with_many_states(ensemble))

    assert list(results) == list(MANY)
    assert {one.zk_version for one in results.values() if isinstance(one, Committed)} == {1}
    assert set(results.values()) == {Committed()}
    assert len(ensemble.requests) == len(MANY) // STATES_IN_A_TRANSACTION


def test_of_very_many_states_one_that_was_overtaken_does_not_hold_up_the_others(
    ensemble: Ensemble,
) -> None:
    steps = with_many_states(ensemble)
    overtaken = MANY[123]
    path = paths.state(overtaken.topic, overtaken.partition)
    ensemble.put(SetData(path, encode_state(state(0)), MATCH_ANY))

    kinds = ensemble.kinds(steps)

    assert kinds[123] is Conflict
    assert kinds.count(Committed) == len(MANY) - 1
    nodes = [ensemble.zookeeper.node(paths.state("many", index)) for index in range(len(MANY))]
    assert {node.zk_version for node in nodes if node is not None} == {1}


def test_of_very_many_states_those_are_lost_whose_answer_was(ensemble: Ensemble) -> None:
    steps = with_many_states(ensemble)
    ensemble.once = {1: Lost()}

    kinds = ensemble.kinds(steps)

    lost = [one for one, kind in enumerate(kinds) if kind is Lost]
    assert lost == list(range(STATES_IN_A_TRANSACTION, 2 * STATES_IN_A_TRANSACTION))
    assert kinds.count(Committed) == len(MANY) - STATES_IN_A_TRANSACTION


@pytest.mark.parametrize(
    "reply",
    [Lost(), Refused("no permission")],
)
def test_what_became_of_a_write_is_said(ensemble: Ensemble, reply: ZkReply) -> None:
    with_states(ensemble)
    ensemble.once = {0: reply}

    assert ensemble.run(writes.write_states(FENCE, {T0: state(0)})) == {T0: reply}


def test_a_first_state_is_made_with_the_nodes_above_it(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.topic("t"), b"{}"))
    states = {T0: state(NEVER_READ), T1: state(NEVER_READ)}

    assert ensemble.kinds(writes.create_states(FENCE, states)) == [Committed, Committed]

    assert ensemble.zookeeper.children(paths.partitions("t")) == ("0", "1")
    assert len(ensemble.requests) == 3


def test_a_parent_whose_making_was_lost_is_made_again(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.topic("t"), b"{}"))
    ensemble.once = {0: Lost(), 1: Lost()}

    steps = writes.create_states(FENCE, {T0: state(NEVER_READ)})

    assert ensemble.kinds(steps) == [Committed]


def test_a_state_below_a_topic_that_is_gone_is_a_conflict(ensemble: Ensemble) -> None:
    steps = writes.create_states(FENCE, {T0: state(NEVER_READ)})

    assert ensemble.kinds(steps) == [Conflict]


def test_a_topic_goes_together_with_its_config_and_its_request(ensemble: Ensemble) -> None:
    with_states(ensemble)
    ensemble.put(Create(paths.topic_config("t"), b"{}"), Create(paths.delete_topic("t")))

    kinds = ensemble.kinds(writes.delete_topic(FENCE, "t"))

    assert kinds == [Committed]
    assert ensemble.zookeeper.children(paths.TOPICS) == ()
    last = ensemble.requests[-1]
    assert isinstance(last, Multi)
    assert [operation.path for operation in last.operations[1:]] == [
        paths.topic("t"),
        paths.topic_config("t"),
        paths.delete_topic("t"),
    ]


def test_a_large_topic_is_deleted_in_several_transactions(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.topic("t"), b"{}"), Create(paths.partitions("t")))
    for number in range(DELETES_IN_A_TRANSACTION):
        node = paths.partition(TopicPartition("t", number))
        ensemble.put(Create(node), Create(f"{node}/state", b"{}"))

    kinds = ensemble.kinds(writes.delete_topic(FENCE, "t"))

    assert kinds == [Committed]
    sizes = [len(r.operations) for r in ensemble.requests if isinstance(r, Multi)]
    assert max(sizes) == DELETES_IN_A_TRANSACTION + 1
    assert ensemble.zookeeper.children(paths.TOPICS) == ()


@pytest.mark.parametrize("below", ["state/stranger", "stranger"])
def test_what_is_not_usual_below_a_topic_is_deleted_too(ensemble: Ensemble, below: str) -> None:
    with_states(ensemble)
    ensemble.put(Create(f"{paths.partition(T0)}/{below}"), Create(f"{paths.partitions('t')}/7"))

    kinds = ensemble.kinds(writes.delete_topic(FENCE, "t"))

    assert kinds == [Committed]
    assert ensemble.zookeeper.children(paths.TOPICS) == ()


def test_a_node_that_somebody_makes_meanwhile_is_deleted_too(ensemble: Ensemble) -> None:
    with_states(ensemble)
    usual_tree = 1 + 1
    ensemble.once = {usual_tree: MultiFailed(1, ZkError.NOT_EMPTY)}

    kinds = ensemble.kinds(writes.delete_topic(FENCE, "t"))

    assert kinds == [Committed]
    assert ensemble.zookeeper.children(paths.TOPICS) == ()


def test_who_makes_nodes_for_ever_ends_the_deletion(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.topic("t"), b"{}"), Create(f"{paths.topic('t')}/stranger"))

    kinds = ensemble.kinds(writes.delete_topic(FENCE, "t"))

    assert kinds == [Conflict]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (MultiFailed(1, ZkError.NO_NODE), Committed),
        (MultiFailed(0, ZkError.BAD_VERSION), FenceMoved),
        (Lost(), Committed),
        (Refused("no permission"), Refused),
    ],
)
def test_of_many_notifications_the_worst_result_counts(
    ensemble: Ensemble, reply: ZkReply, kind: type[SentOnce]
) -> None:
    ensemble.put(*(Create(f"{paths.ISR_CHANGES}/{name}") for name in "abc"))
    ensemble.once = {1: reply}

    steps = writes.delete_notifications(FENCE, isr_changes=("a", "b", "c"))

    assert ensemble.kinds(steps) == [kind]


def test_a_controller_is_elected_only_if_there_is_none_and_the_epoch_is_as_it_was_read(
    ensemble: Ensemble,
) -> None:
    def take(expected: int) -> list[type[SentOnce]]:
        return ensemble.kinds(
            writes.register_controller(ensemble.client, ControllerEpoch(6), ZkVersion(expected))
        )

    assert take(3) == [Conflict]
    assert ensemble.zookeeper.node(paths.CONTROLLER) is None
    assert take(0) == [Committed]
    assert take(1) == [Conflict]
    node = ensemble.zookeeper.node(paths.CONTROLLER)
    assert node is not None
    assert node.data == b'{"version":2,"brokerid":1,"timestamp":"17","kraftControllerEpoch":-1}'


def test_only_a_node_of_this_session_is_ones_own(ensemble: Ensemble) -> None:
    data = b'{"version":2,"brokerid":1,"timestamp":"17","kraftControllerEpoch":-1}'
    ensemble.put(Create(paths.CONTROLLER, data, is_ephemeral=True))

    own = ensemble.run(reads.read_controller(ensemble.client))
    ensemble.session = ensemble.zookeeper.connect()
    another = ensemble.run(reads.read_controller(ensemble.client))

    assert (own.is_own, another.is_own) == (True, False)


@pytest.mark.parametrize("path", [paths.CONTROLLER, paths.CONTROLLER_EPOCH])
def test_nobody_is_told_that_there_is_no_controller_because_its_node_is_damaged(
    ensemble: Ensemble, path: str
) -> None:
    if path == paths.CONTROLLER:
        ensemble.put(Create(path))
    ensemble.put(SetData(path, b"zz", MATCH_ANY))

    with pytest.raises(Refusal, match=path):
        ensemble.run(reads.read_controller(ensemble.client))

    assert [path] == [fault.path for fault in ensemble.faults]


def test_reads_whose_replies_are_lost_are_asked_again_alone(ensemble: Ensemble) -> None:
    with_states(ensemble)
    ensemble.once = {1: Lost(), 2: Lost()}

    answer = ensemble.run(reads.read_states(ensemble.client, (T0, T1)))

    assert set(answer.states) == {T0, T1}
    assert ensemble.requests[1:] == [GetData(paths.state("t", 1))] * 3


def test_a_list_that_may_not_be_seen_fails_the_ask(ensemble: Ensemble) -> None:
    ensemble.once = {0: Refused("no permission")}

    with pytest.raises(Refusal, match=r"^/brokers/topics: no permission$"):
        ensemble.run(reads.read_topics())


def test_a_list_that_is_not_there_is_empty(ensemble: Ensemble) -> None:
    ensemble.put(Delete(paths.TOPICS))

    assert ensemble.run(reads.read_topics()) == ()


def test_a_node_that_may_not_be_seen_is_named_and_left_out(ensemble: Ensemble) -> None:
    with_states(ensemble)
    ensemble.once = {0: Refused("no permission")}

    assert ensemble.run(reads.read_assignments(ensemble.client, ("t",))) == {}
    assert [str(fault) for fault in ensemble.faults] == ["/brokers/topics/t: no permission"]


def test_a_damaged_registration_is_no_broker(ensemble: Ensemble) -> None:
    ensemble.put(Create(f"{paths.BROKER_IDS}/7", b"{"))

    assert ensemble.run(reads.read_brokers(ensemble.client)) == {}
    assert [fault.path for fault in ensemble.faults] == ["/brokers/ids/7"]
    assert ensemble.requests == [
        GetChildren(paths.BROKER_IDS, is_watched=True),
        GetData("/brokers/ids/7", is_watched=True),
    ]


def test_a_damaged_state_is_no_state(ensemble: Ensemble) -> None:
    with_states(ensemble)
    ensemble.put(SetData(paths.state("t", 1), b"{", MATCH_ANY))

    answer = ensemble.run(reads.read_states(ensemble.client, (T0, T1)))

    assert set(answer.states) == {T0}
    assert [fault.path for fault in ensemble.faults] == [paths.state("t", 1)]


@pytest.mark.parametrize("allows_unclean", [False, True])
def test_a_topic_says_itself_whether_it_allows_unclean_leaders(
    ensemble: Ensemble, allows_unclean: bool
) -> None:
    ensemble.allows_unclean = allows_unclean
    for topic, config in {
        "yes": f'{{"version":1,"config":{{"{UNCLEAN_LEADER_ELECTION}":"true"}}}}',
        "loud": f'{{"version":1,"config":{{"{UNCLEAN_LEADER_ELECTION}":" TRUE"}}}}',
        "no": f'{{"version":1,"config":{{"{UNCLEAN_LEADER_ELECTION}":"false"}}}}',
        "silent": '{"version":1,"config":{}}',
        "damaged": "{",
    }.items():
        ensemble.put(Create(paths.topic_config(topic), config.encode()))

    topics = ("yes", "loud", "no", "silent", "damaged", "missing")
    answer = ensemble.run(reads.read_unclean_topics(ensemble.client, topics))

    by_default = {"silent", "missing"} if allows_unclean else set()
    assert answer == {"yes", "loud"} | by_default


def test_what_is_read_as_a_hint_is_watched(ensemble: Ensemble) -> None:
    with_states(ensemble)
    ensemble.run(reads.read_controller(ensemble.client))
    ensemble.run(reads.read_brokers(ensemble.client))
    ensemble.run(reads.read_topics())
    ensemble.run(reads.read_assignments(ensemble.client, ("t",)))
    election = ensemble.run(reads.read_preferred_election(ensemble.client))
    assert election == PreferredElectionRead(zk_version=None)
    ensemble.fired.clear()

    ensemble.put(Create(paths.CONTROLLER, b"{}"))
    ensemble.put(Create(f"{paths.BROKER_IDS}/1", b"{}"))
    ensemble.put(SetData(paths.topic("t"), b"{}", MATCH_ANY))
    ensemble.put(Create(paths.PREFERRED_ELECTION, b"{}"))

    assert ensemble.fired == [
        paths.CONTROLLER,
        paths.BROKER_IDS,
        paths.topic("t"),
        paths.PREFERRED_ELECTION,
    ]


def test_a_request_to_reassign_is_watched_before_it_is_there(ensemble: Ensemble) -> None:
    assert ensemble.run(reads.read_reassignment(ensemble.client)) == ReassignmentRead()

    wanted = reassignment({T0: (2, 1)})
    ensemble.put(Create(paths.REASSIGN_PARTITIONS, encode_reassignment(wanted)))

    assert ensemble.fired == [paths.REASSIGN_PARTITIONS]
    node = ensemble.zookeeper.node(paths.REASSIGN_PARTITIONS)
    assert node is not None
    assert ensemble.run(reads.read_reassignment(ensemble.client)) == ReassignmentRead(
        wanted, node.czxid
    )


def test_a_damaged_request_to_reassign_is_there_but_asks_for_nothing(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.REASSIGN_PARTITIONS, b"{"))

    answer = ensemble.run(reads.read_reassignment(ensemble.client))

    assert (answer.request, answer.czxid is None) == (None, False)
    assert [fault.path for fault in ensemble.faults] == [paths.REASSIGN_PARTITIONS]


@pytest.mark.parametrize("targets", [{}, {T0: (2,)}])
def test_a_request_to_reassign_that_is_another_by_now_is_a_conflict(
    ensemble: Ensemble, targets: dict[TopicPartition, tuple[int, ...]]
) -> None:
    ensemble.put(Create(paths.REASSIGN_PARTITIONS, b"{}"))
    steps = writes.write_reassignment(FENCE, reassignment(targets, 7))

    assert ensemble.kinds(steps) == [Conflict]
