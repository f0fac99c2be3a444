"""Transactions under a fence: made once or not at all, and whoever asked knows which."""

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.coordination.transaction import (
    ATTEMPTS_MAX,
    SENDS_MAX,
    Fence,
    KRaftOwnsCluster,
    NeverAnswered,
    OutcomeUnknown,
    commit,
    read_fence,
    until_committed,
)
from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import MATCH_ANY, ZkVersion
from cluster.model.outcome import Committed, Conflict, ConflictKind, FenceMoved, Outcome
from cluster.zk import paths
from cluster.zk.requests import (
    Check,
    Create,
    Delete,
    GetData,
    Lost,
    Multi,
    MultiDone,
    Operation,
    Refused,
    SetData,
    Sync,
    ZkReply,
    ZkRequest,
)
from cluster.zk.steps import Refusal, Steps, read_node, run
from tests.sim.zookeeper import TOOL, SimZooKeeper

V0 = ZkVersion(0)


class Rival(Enum):
    """What somebody else does before a request arrives."""

    WRITES = auto()
    IS_ELECTED = auto()
    DELETES = auto()
    """What the change deletes."""
    RECREATES = auto()
    """What the change deletes, as new as it was before."""
    CREATES = auto()
    """What the change makes, with the same data."""
    MIGRATES = auto()
    """Takes the cluster over for KRaft: both nodes in one transaction, as Kafka does it."""


KRAFT: Final = b'{"version":2,"brokerid":3000,"timestamp":"1","kraftControllerEpoch":5}'


class Ensemble:
    """A cluster at controller epoch 1 with the nodes /x and /gone.

    The client's server lags behind the others as far as may be: a transaction whose reply is lost
    shows there when the client syncs or the next transaction comes, and not before.
    """

    def __init__(self) -> None:
        self.zookeeper = SimZooKeeper(lambda *_: None, lambda _: None)
        self.session = self.zookeeper.connect()
        self.requests: list[ZkRequest] = []
        self.losses: list[bool | None] = []
        """For each transaction whether its reply is lost, and then whether it was made."""
        self.before: Callable[[int], None] = lambda _: None
        self.unseen: list[Multi] = []
        """What has landed and does not show yet."""
        self.put(Create(paths.CONTROLLER_EPOCH, b"1"))
        self.put(Create("/x", b"before"), Create("/gone"), Create("/news"))

    def catch_up(self) -> None:
        while self.unseen:
            self.zookeeper.serve(self.session, self.unseen.pop(), TOOL)

    def try_to_put(self, *operations: Operation) -> ZkReply:
        self.catch_up()
        return self.zookeeper.serve(self.session, Multi(operations), TOOL)

    def put(self, *operations: Operation) -> None:
        reply = self.try_to_put(*operations)
        assert isinstance(reply, MultiDone), reply

    def reply(self, request: ZkRequest) -> ZkReply:
        self.before(len(self.requests))
        self.requests.append(request)
        loss = self.losses.pop(0) if isinstance(request, Multi) and self.losses else None
        if loss is False:
            return Lost()
        if isinstance(request, Multi | Sync):
            self.catch_up()
        if isinstance(request, Multi) and loss:
            self.unseen.append(request)
            return Lost()
        return self.zookeeper.serve(self.session, request, TOOL)

    def run(self, steps: Steps[Outcome]) -> Outcome:
        return run(steps, lambda requests: tuple(map(self.reply, requests)))

    def fence(self) -> Fence:
        return run(read_fence(), lambda requests: tuple(map(self.reply, requests)))

    @property
    def landed_count(self) -> int:
        """How often CHANGE was made: each time it leaves a node of another name."""
        self.catch_up()
        return len(self.zookeeper.children("/news"))

    def play(self, rivals: dict[int, Rival]) -> None:
        """Let *rivals* act before the requests whose numbers they have."""

        def act(number: int) -> None:
            match rivals.get(number):
                case Rival.WRITES:
                    self.put(SetData("/x", b"by somebody else", MATCH_ANY))
                case Rival.IS_ELECTED:
                    self.put(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))
                case Rival.DELETES:
                    self.try_to_put(Delete("/gone"))
                case Rival.RECREATES:
                    self.try_to_put(Create("/gone"))
                case Rival.CREATES:
                    self.try_to_put(Create("/new"))
                case Rival.MIGRATES:
                    self.try_to_put(
                        Create(paths.CONTROLLER, KRAFT),
                        SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY),
                    )

        self.before = act


CHANGE: tuple[Operation, ...] = (
    Check("/x", V0),
    SetData("/x", b"after", V0),
    Delete("/gone", V0),
    Create("/new"),
    Create("/news/n", is_sequential=True),
)

losses = st.lists(st.booleans(), max_size=SENDS_MAX - 1)


@pytest.fixture
def ensemble() -> Ensemble:
    return Ensemble()


@pytest.mark.slow
@given(losses=losses, rivals=st.dictionaries(st.integers(0, 20), st.sampled_from(Rival)))
def test_what_is_said_of_a_transaction_is_so(losses: list[bool], rivals: dict[int, Rival]) -> None:
    ensemble = Ensemble()
    fence = ensemble.fence()
    ensemble.requests.clear()
    ensemble.losses = [*losses]
    ensemble.play(rivals)

    try:
        outcome = ensemble.run(commit(fence, CHANGE))
    except OutcomeUnknown:
        assert Rival.WRITES in rivals.values()
        assert ensemble.landed_count <= 1
        return

    assert ensemble.landed_count == int(outcome == Committed())
    assert isinstance(outcome, Committed) or rivals


@given(losses=losses)
def test_a_transaction_is_made_once_whatever_is_lost(losses: list[bool]) -> None:
    ensemble = Ensemble()
    ensemble.losses = [*losses]

    assert ensemble.run(commit(ensemble.fence(), CHANGE)) == Committed()
    assert ensemble.landed_count == 1


def test_a_node_that_was_made_anew_is_not_taken_for_the_one_to_be_deleted(
    ensemble: Ensemble,
) -> None:
    """Somebody makes /gone again after each transaction, before anybody can look what became of it:
    another node of the same version, which the change would delete as well."""
    change = (Delete("/gone", V0), Create("/news/n", is_sequential=True))
    czxids: list[int] = []

    def make_anew(_: int) -> None:
        if any(isinstance(request, Multi) for request in ensemble.requests):
            ensemble.try_to_put(Create("/gone"))
            node = ensemble.zookeeper.node("/gone")
            assert node is not None
            czxids.append(node.czxid)

    ensemble.losses = [True]
    ensemble.before = make_anew

    assert ensemble.run(commit(Fence(None), change)) == Committed()
    assert ensemble.landed_count == 1
    assert len(set(czxids)) == 1


@pytest.mark.parametrize("was_made", [True, False])
@pytest.mark.parametrize("rivals_deletions", [(), ("/gone",), ("/x",)])
def test_of_several_nodes_to_be_deleted_all_must_be_gone(
    ensemble: Ensemble, was_made: bool, rivals_deletions: tuple[str, ...]
) -> None:
    """When a reply was lost: that somebody has deleted one of them tells nothing."""
    change = (Delete("/gone", V0), Delete("/x", V0), Create("/news/n", is_sequential=True))

    def delete(_: int) -> None:
        if any(isinstance(request, Multi) for request in ensemble.requests):
            for path in rivals_deletions:
                ensemble.try_to_put(Delete(path))

    ensemble.losses = [was_made]
    ensemble.before = delete
    outcome = ensemble.run(commit(Fence(None), change))

    if was_made or not rivals_deletions:
        assert (outcome, ensemble.landed_count) == (Committed(), 1)
    else:
        expected = Conflict(rivals_deletions[0], ConflictKind.MISSING)
        assert (outcome, ensemble.landed_count) == (expected, 0)


def test_what_is_not_there_is_not_deleted(ensemble: Ensemble) -> None:
    ensemble.put(Delete("/gone"))

    assert ensemble.run(commit(Fence(None), CHANGE)) == Conflict("/gone", ConflictKind.MISSING)
    assert ensemble.landed_count == 0


def test_another_server_may_lag_behind_and_is_waited_for(ensemble: Ensemble) -> None:
    ensemble.losses = [True]

    ensemble.run(commit(Fence(None), CHANGE))

    assert [GetData, Multi, Sync] == [type(request) for request in ensemble.requests[:3]]


def test_a_change_is_planned_anew_while_others_are_faster(ensemble: Ensemble) -> None:
    """Under a fence that is read anew, until it is made, or something else comes out."""
    seen: list[bytes | None] = []

    def attempt(fence: Fence) -> Steps[Outcome | str]:
        node = yield from read_node("/x")
        assert node is not None
        seen.append(node.data)
        if len(seen) == 1:
            ensemble.put(SetData("/x", b"faster", MATCH_ANY))
        if len(seen) == 2:
            ensemble.put(SetData(paths.CONTROLLER_EPOCH, b"2", MATCH_ANY))
        if node.data == b"mine":
            return "nothing is left to do"
        return (yield from commit(fence, (SetData("/x", b"mine", node.zk_version),)))

    def serve(requests: Iterable[ZkRequest]) -> tuple[ZkReply, ...]:
        return tuple(map(ensemble.reply, requests))

    assert isinstance(run(until_committed(attempt), serve), Committed)
    assert run(until_committed(attempt), serve) == "nothing is left to do"
    assert seen == [b"before", b"faster", b"faster", b"mine"]


def test_what_others_write_without_a_pause_is_given_up(ensemble: Ensemble) -> None:
    attempts: list[Fence] = []

    def attempt(fence: Fence) -> Steps[Outcome]:
        attempts.append(fence)
        return (yield from commit(fence, (SetData("/x", b"mine", ZkVersion(99)),)))

    outcome = run(until_committed(attempt), lambda requests: tuple(map(ensemble.reply, requests)))

    assert outcome == Conflict("/x", ConflictKind.VERSION)
    assert len(attempts) == ATTEMPTS_MAX


def test_who_never_gets_a_reply_gives_up(ensemble: Ensemble) -> None:
    ensemble.losses = [False] * SENDS_MAX

    with pytest.raises(NeverAnswered) as given_up:
        ensemble.run(commit(Fence(None), CHANGE))

    assert given_up.value.path == "/x"
    assert ensemble.landed_count == 0


def test_a_new_controller_stops_the_transaction(ensemble: Ensemble) -> None:
    fence = ensemble.fence()
    ensemble.put(SetData(paths.CONTROLLER_EPOCH, b"2", V0))

    assert ensemble.run(commit(fence, CHANGE)) == FenceMoved()


def test_a_check_of_the_change_s_own_is_not_taken_for_the_fence(ensemble: Ensemble) -> None:
    fence = ensemble.fence()
    ensemble.put(SetData("/x", b"", V0))

    assert ensemble.run(commit(fence, CHANGE)) == Conflict("/x", ConflictKind.VERSION)
    assert ensemble.run(commit(Fence(None), CHANGE)) == Conflict("/x", ConflictKind.VERSION)


def test_a_refusal_is_told(ensemble: Ensemble) -> None:
    def refuse(requests: Iterable[ZkRequest]) -> tuple[ZkReply, ...]:
        return tuple(Refused("/x: NoAuthError") for _ in requests)

    with pytest.raises(Refusal, match="/x: NoAuthError"):
        run(commit(Fence(None), CHANGE), refuse)


def test_the_fence_is_the_version_of_the_controller_epoch(ensemble: Ensemble) -> None:
    ensemble.put(SetData(paths.CONTROLLER_EPOCH, b"2", V0))
    ensemble.put(Create(paths.CONTROLLER, b'{"version":1,"brokerid":1}'))

    assert ensemble.fence() == Fence(ZkVersion(1))


def test_without_a_controller_ever_there_is_no_fence(ensemble: Ensemble) -> None:
    ensemble.put(Delete(paths.CONTROLLER_EPOCH))

    assert ensemble.fence() == Fence(None)
    assert ensemble.run(commit(Fence(None), CHANGE)) == Committed()


@pytest.mark.parametrize("number", range(3))
def test_nothing_is_written_once_kraft_has_taken_over(ensemble: Ensemble, number: int) -> None:
    """It does so before one of the two reads of the fence, or before the transaction."""
    ensemble.play({number: Rival.MIGRATES})

    try:
        outcome = ensemble.run(commit(ensemble.fence(), CHANGE))
    except KRaftOwnsCluster:
        outcome = FenceMoved()

    assert outcome == FenceMoved()
    assert ensemble.landed_count == 0


def test_nothing_is_written_where_kraft_or_nobody_knows_who_has_the_say(ensemble: Ensemble) -> None:
    ensemble.put(Create(paths.CONTROLLER, KRAFT))
    with pytest.raises(KRaftOwnsCluster) as refused:
        ensemble.fence()
    assert refused.value.kraft_controller_epoch == 5

    ensemble.put(SetData(paths.CONTROLLER, b"{", MATCH_ANY))
    with pytest.raises(CorruptZnodeError, match="/controller"):
        ensemble.fence()
