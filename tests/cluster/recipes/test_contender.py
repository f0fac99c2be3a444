"""A contender leads when it is first, knows until when, and leaves nothing behind."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.model.ids import MATCH_ANY
from cluster.recipes.attempt import MixedElection, create_parents
from cluster.recipes.effects import Deposed, Elected, Failed, Left, Renewed
from cluster.recipes.events import (
    Connected,
    Join,
    Leave,
    Replied,
    SessionOver,
    Suspended,
    WatchFired,
)
from cluster.recipes.lease import Loss
from cluster.zk.requests import (
    AclEntry,
    Check,
    Create,
    Delete,
    GetData,
    Multi,
    MultiDone,
    MultiFailed,
    SetData,
    Sync,
    ZkError,
)
from cluster.zk.steps import Refusal, run
from tests.cluster.recipes.electing import PATH, TIMEOUT_MS, Contending, Election
from tests.sim.zookeeper import TOOL

both_kinds = pytest.mark.parametrize("is_fair", [True, False], ids=["fair", "unfair"])


@pytest.fixture
def election() -> Election:
    return Election()


def loss_of(contender: Contending) -> Loss:
    (loss,) = (one.loss for one in contender.effects if isinstance(one, Deposed))
    return loss


@both_kinds
def test_the_first_leads_and_the_path_is_created(election: Election, is_fair: bool) -> None:
    first, second = (election.contender(is_fair=is_fair) for _ in range(2))
    first.join()
    second.join()

    lease = first.core.lease
    assert lease is not None
    assert [Elected(lease)] == first.effects
    assert (first.session, PATH) == (lease.session_id, lease.path)
    node = election.zookeeper.node(lease.node)
    assert node is not None
    assert lease.epoch == node.czxid
    assert ([], False) == (second.effects, second.leads)


def test_fair_contenders_lead_in_their_order(election: Election) -> None:
    contenders = [election.contender() for _ in range(4)]
    for contender in contenders:
        contender.join()
    contenders[2].do(Leave())

    epochs = []
    for contender in (contenders[0], contenders[1], contenders[3]):
        assert contender.core.lease is not None
        epochs.append(contender.core.lease.epoch)
        contender.do(Leave())
    assert sorted(epochs) == epochs
    assert [] == election.names()
    assert [Left()] == contenders[2].effects


def test_only_the_next_one_wakes_when_a_leader_goes(election: Election) -> None:
    contenders = [election.contender() for _ in range(4)]
    for contender in contenders:
        contender.join()
    counts = [len(contender.sent) for contender in contenders]
    contenders[0].do(Leave())

    woken = [len(one.sent) > count for one, count in zip(contenders, counts, strict=True)]
    assert [True, True, False, False] == woken


@both_kinds
def test_the_lease_counts_from_when_the_heartbeat_was_sent(
    election: Election, is_fair: bool
) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    lease = leader.core.lease
    assert lease is not None
    assert 1000 + TIMEOUT_MS // 3 == lease.valid_until_ms
    assert lease.given_up_ms == lease.valid_until_ms - TIMEOUT_MS // 6

    election.pass_time(TIMEOUT_MS // 12)

    renewed = leader.core.lease
    assert renewed is not None
    assert renewed.valid_until_ms == lease.valid_until_ms + TIMEOUT_MS // 12
    assert renewed.epoch == lease.epoch
    assert [Elected(lease), Renewed(renewed)] == leader.effects


@both_kinds
def test_a_leader_without_answers_gives_up_before_its_lease_is_over(
    election: Election, is_fair: bool
) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    lease = leader.core.lease
    assert lease is not None
    leader.loses = True
    election.pass_time(lease.given_up_ms - election.now_ms - 1)
    assert leader.leads

    election.pass_time(1)

    assert not leader.leads
    assert Loss.SILENT is loss_of(leader)


def test_a_leader_that_stood_still_does_not_lead_before_it_has_looked(election: Election) -> None:
    leader = election.contender()
    leader.join()
    election.now_ms += TIMEOUT_MS // 4

    assert not leader.leads
    leader.do(WatchFired())
    assert Loss.SILENT is loss_of(leader)


@both_kinds
def test_a_late_heartbeat_does_not_elect_it_again(election: Election, is_fair: bool) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    lease = leader.core.lease
    assert lease is not None
    election.now_ms = lease.given_up_ms - 1
    leader.on_time()
    election.now_ms = lease.given_up_ms
    election.settle()

    assert [Elected(lease), Deposed(lease, Loss.SILENT)] == leader.effects[:2]
    assert not leader.leads


def test_nobody_leads_by_a_reply_that_came_too_late(election: Election) -> None:
    contender = election.contender()
    contender.join()
    contender.do(Leave())
    contender.effects.clear()
    serve = contender._serve

    def serve_slowly(request):
        election.now_ms += TIMEOUT_MS // 8
        return serve(request)

    contender._serve = serve_slowly  # type: ignore[method-assign]
    contender.events.append(Join())
    for _ in range(12):
        contender.go_on()

    assert [] == contender.effects
    contender._serve = serve  # type: ignore[method-assign]
    election.pass_time(TIMEOUT_MS // 2)
    assert contender.leads


@both_kinds
def test_behind_a_pause_nobody_leads_by_the_first_answer(election: Election, is_fair: bool) -> None:
    """It has sent no ping, and its server may be cut off before it reports this answer."""
    first, second = (election.contender(is_fair=is_fair) for _ in range(2))
    first.join()
    second.join()
    election.pass_time(TIMEOUT_MS // 2)
    election.now_ms += TIMEOUT_MS - 10

    first.do(Leave())

    assert not second.leads
    election.pass_time(TIMEOUT_MS // 4 + TIMEOUT_MS // 12)
    assert second.leads


@both_kinds
@pytest.mark.parametrize(
    ("event", "loss"), [(Suspended(), Loss.SUSPENDED), (SessionOver(), Loss.EXPIRED)]
)
def test_a_leader_is_none_from_the_event_on(
    election: Election, is_fair: bool, event: Suspended | SessionOver, loss: Loss
) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    leader.do(event)

    assert not leader.leads
    assert loss is loss_of(leader)


@both_kinds
def test_after_a_suspension_its_znode_goes_and_a_new_one_has_a_higher_epoch(
    election: Election, is_fair: bool
) -> None:
    first, second = (election.contender(is_fair=is_fair) for _ in range(2))
    first.join()
    second.join()
    assert first.core.lease is not None
    epoch = first.core.lease.epoch
    first.do(Suspended(), Join())
    assert not second.leads

    first.do(Connected(first.session, TIMEOUT_MS))
    election.settle()

    second.do(Leave())
    assert first.core.lease is not None
    assert first.core.lease.epoch > epoch


@both_kinds
@pytest.mark.parametrize("is_reported", [True, False])
def test_after_a_loss_its_znode_stays_until_its_work_has_stopped_or_the_lease_is_over(
    election: Election, is_fair: bool, is_reported: bool
) -> None:
    first, second = (election.contender(is_fair=is_fair) for _ in range(2))
    first.join()
    second.join()
    lease = first.core.lease
    assert lease is not None
    first.do(Suspended(), Connected(first.session, TIMEOUT_MS))
    election.pass_time(lease.valid_until_ms - election.now_ms - 1)
    assert election.zookeeper.node(lease.node) is not None
    assert not second.leads

    if is_reported:
        first.do(Leave())
    else:
        election.pass_time(1)

    assert second.leads
    assert [Elected(lease), Deposed(lease, Loss.SUSPENDED), Left()] == first.effects


def test_who_waits_keeps_its_place_over_a_suspension(election: Election) -> None:
    first, second, third = (election.contender() for _ in range(3))
    for contender in (first, second, third):
        contender.join()
    second.do(Suspended())
    first.do(Leave())
    second.do(Connected(second.session, TIMEOUT_MS))

    assert (True, False) == (second.leads, third.leads)


@both_kinds
def test_a_second_report_of_a_connection_changes_nothing(election: Election, is_fair: bool) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    sent = len(leader.sent)
    leader.do(Connected(leader.session, TIMEOUT_MS))

    assert sent == len(leader.sent)
    assert leader.leads


def test_a_new_session_without_a_word_about_the_old_one_ends_that(election: Election) -> None:
    leader = election.contender()
    leader.join()
    leader.do(Connected(leader.session + 100, TIMEOUT_MS))

    assert Loss.EXPIRED is loss_of(leader)


@both_kinds
def test_a_leader_whose_znode_was_removed_notices_it_by_its_watch(
    election: Election, is_fair: bool
) -> None:
    leader = election.contender(is_fair=is_fair)
    leader.join()
    assert leader.core.lease is not None
    election.operate(Delete(leader.core.lease.node))
    election.settle()

    assert Loss.REMOVED is loss_of(leader)
    leader.do(Leave())
    assert leader.core.is_out


def test_an_epoch_that_an_operator_has_written_ends_the_leadership(election: Election) -> None:
    leader = election.contender(is_fair=False)
    leader.join()
    election.operate(SetData(f"{PATH}/epoch", b"", MATCH_ANY))
    election.pass_time(TIMEOUT_MS // 12)

    assert Loss.REMOVED is loss_of(leader)
    leader.do(Leave())
    assert ["epoch"] == election.names()


@both_kinds
def test_the_fence_fails_under_the_next_leader(election: Election, is_fair: bool) -> None:
    first, second = (election.contender(is_fair=is_fair) for _ in range(2))
    first.join()
    second.join()
    assert first.core.lease is not None
    fence = first.core.lease.fence

    def passes() -> bool:
        reply = election.zookeeper.serve(first.session, Multi(fence), TOOL)
        return isinstance(reply, MultiDone)

    assert passes()
    election.operate(Delete(first.core.lease.node))
    assert not passes()
    election.settle()
    assert second.leads
    assert not passes()


@both_kinds
def test_who_leaves_before_its_creation_is_answered_leaves_nothing(
    election: Election, is_fair: bool
) -> None:
    contender = election.contender(is_fair=is_fair)
    contender.events.extend((Connected(contender.session, TIMEOUT_MS), Join()))
    while not any(name != "epoch" for name in election.zookeeper.children(PATH)):
        contender.go_on()
    contender.do(Leave())

    assert [Left()] == contender.effects
    assert [] == [name for name in election.names() if name != "epoch"]


@both_kinds
def test_a_refusal_ends_it(election: Election, is_fair: bool) -> None:
    contender = election.contender(is_fair=is_fair)
    contender.refusal = "NoAuthError"
    contender.join()

    (failed,) = contender.effects
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, Refusal)
    assert contender.core.is_out


@pytest.mark.parametrize("is_fair", [True, False])
def test_one_path_has_one_kind_of_election(election: Election, is_fair: bool) -> None:
    leader, other = election.contender(is_fair=is_fair), election.contender(is_fair=not is_fair)
    leader.join()
    names = election.names()
    other.join()
    if is_fair:
        # An unfair one sees the queue behind its creation, and withdraws.
        names = ["epoch", *names]

    (failed,) = other.effects
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, MixedElection)
    assert failed.error.path == PATH
    assert sorted(names) == election.names()


@both_kinds
def test_new_znodes_have_the_acl_of_their_parent(election: Election, is_fair: bool) -> None:
    acl = (AclEntry(31, "sasl", "ops"),)
    election.operate(Create("/jobs", acl=acl))
    contender = election.contender(is_fair=is_fair)
    contender.join()

    assert contender.core.lease is not None
    for path in (PATH, contender.core.lease.node):
        assert acl == election.zookeeper._nodes[path].acl


def test_a_foreign_znode_is_no_contender(election: Election) -> None:
    election.operate(Create("/jobs"))
    election.operate(Create(PATH))
    election.operate(Create(f"{PATH}/config"))
    contender = election.contender()
    contender.join()

    assert contender.leads
    lease = contender.core.lease
    assert lease is not None
    assert (Check(lease.node, lease.fence[0].expected_zk_version),) == lease.fence


def test_who_neither_waits_nor_leads_leaves_at_once(election: Election) -> None:
    contender = election.contender()
    contender.do(Leave())

    assert [Left()] == contender.effects
    assert contender.core.next_deadline() is None


@given(losses=st.lists(st.sampled_from([None, True, False]), max_size=14), is_fair=st.booleans())
def test_whatever_replies_are_lost_it_leads_by_one_znode_and_leaves_none(
    losses: list[bool | None], is_fair: bool
) -> None:
    election = Election()
    contender = election.contender(is_fair=is_fair)
    contender.losses = list(losses)
    contender.join()

    assert contender.leads
    (elected,) = contender.effects
    assert isinstance(elected, Elected)
    names = [name for name in election.names() if name != "epoch"]
    assert [elected.lease.node.rpartition("/")[2]] == names

    contender.losses = list(losses)
    contender.do(Leave())

    assert Left() == contender.effects[-1]
    assert [] == [name for name in election.names() if name != "epoch"]


def test_a_predecessor_that_goes_before_it_is_watched_is_passed_over(election: Election) -> None:
    first, second = election.contender(), election.contender()
    first.join()
    assert first.core.lease is not None
    node = first.core.lease.node
    serve = second._serve

    def serve_late(request):
        if request == GetData(node, is_watched=True):
            election.operate(Delete(node))
        return serve(request)

    second._serve = serve_late  # type: ignore[method-assign]
    second.join()

    assert second.leads


def test_a_chroot_that_is_missing_is_a_refusal() -> None:
    def serve(requests):
        return tuple(MultiFailed(0, ZkError.NO_NODE) for _ in requests)

    with pytest.raises(Refusal, match="/jobs: NO_NODE"):
        run(create_parents(PATH), serve)


def test_an_answer_to_what_was_given_up_is_of_no_interest(election: Election) -> None:
    leader = election.contender()
    leader.join()
    leader.do(Replied(1, (None,)), Replied(999, ()))

    assert leader.leads


@both_kinds
def test_a_znode_that_goes_before_it_is_confirmed_is_made_anew(
    election: Election, is_fair: bool
) -> None:
    contender = election.contender(is_fair=is_fair)
    serve = contender._serve
    removed: list[str] = []

    def serve_late(request):
        if request == Sync() and not removed:
            (name,) = (each for each in election.names() if each != "epoch")
            removed.append(name)
            election.operate(Delete(f"{PATH}/{name}"))
        return serve(request)

    contender._serve = serve_late  # type: ignore[method-assign]
    contender.join()

    assert contender.leads
    assert 1 == len(removed)
