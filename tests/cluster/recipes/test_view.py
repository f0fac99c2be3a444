"""What others see of an election."""

from collections.abc import Callable

import pytest

from cluster.recipes.view import read_election
from cluster.zk.requests import Create, Delete, GetData, ZkReply, ZkRequest
from cluster.zk.steps import run
from tests.cluster.recipes.electing import PATH, Election
from tests.sim.zookeeper import TOOL

Serve = Callable[[tuple[ZkRequest, ...]], tuple[ZkReply, ...]]


def served_by(election: Election) -> Serve:
    def serve(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        return tuple(
            election.zookeeper.serve(election.operator, request, TOOL) for request in requests
        )

    return serve


def test_no_znode_is_no_election() -> None:
    assert run(read_election(PATH), served_by(Election())) is None


@pytest.mark.parametrize("is_fair", [True, False])
def test_the_leader_is_first(is_fair: bool) -> None:
    election = Election()
    contenders = [election.contender(is_fair=is_fair) for _ in range(3)]
    for contender in contenders:
        contender.join()
    view = run(read_election(PATH), served_by(election))

    assert view is not None
    assert view.is_fair is is_fair
    lease = contenders[0].core.lease
    assert lease is not None
    assert view.leader == view.participants[0]
    assert (lease.node, lease.epoch, lease.session_id) == (
        view.participants[0].node,
        view.participants[0].epoch,
        view.participants[0].session_id,
    )
    # Those that wait for an unfair leader have no znode.
    seen = contenders if is_fair else contenders[:1]
    assert [str(each.session) for each in seen] == [each.identity for each in view.participants]


def test_one_that_goes_while_it_is_looked_at_is_left_out() -> None:
    election = Election()
    contenders = [election.contender() for _ in range(2)]
    for contender in contenders:
        contender.join()
    lease = contenders[0].core.lease
    assert lease is not None
    serve = served_by(election)

    def serve_late(requests: tuple[ZkRequest, ...]) -> tuple[ZkReply, ...]:
        if isinstance(requests[0], GetData):
            election.operate(Delete(lease.node))
        return serve(requests)

    view = run(read_election(PATH), serve_late)

    assert view is not None
    (leader,) = view.participants
    assert (True, str(contenders[1].session)) == (leader.is_leader, leader.identity)


def test_a_path_without_contenders_has_no_leader() -> None:
    election = Election()
    election.operate(Create("/jobs"))
    election.operate(Create(PATH))
    view = run(read_election(PATH), served_by(election))

    assert view is not None
    assert (None, ()) == (view.leader, view.participants)
