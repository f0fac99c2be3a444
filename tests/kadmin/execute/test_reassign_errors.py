"""What operators are told when not all of a reassignment has begun."""

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.execute.reassign import DirsAwaited, DirsRefused, NotBegun
from kadmin.plan.reassignment.dir_moves import Replica

T0, T1 = TopicPartition("t", 0), TopicPartition("t", 1)
MOVED = {Replica(BrokerId(2), T1): "no space", Replica(BrokerId(1), T0): "offline"}


def test_moves_that_the_controller_refuses_are_named_in_order_with_its_reasons() -> None:
    error = NotBegun({T1: "no brokers", T0: "deleted"})

    assert "the controller refuses to move 2 partitions: t-0: deleted; t-1: no brokers" == str(
        error
    )
    assert "'kadmin reassign --list' shows what is moving" == error.hint


def test_replicas_that_brokers_refuse_are_named_with_what_becomes_of_the_rest() -> None:
    error = DirsRefused(MOVED, "and nothing is moved")

    assert (
        "not moved to another log directory, and nothing is moved: t-0-1: offline; t-1-2: no space"
    ) == str(error)
    assert "'kadmin log-dirs' shows the directories of each broker" == error.hint


def test_replicas_that_brokers_do_not_have_yet_are_counted_with_the_way_on() -> None:
    error = DirsAwaited(list(MOVED), 1.5)

    assert str(error).startswith("after 1.5 s not yet begun to move to other log directories: ")
    assert "run the command again, with --additional: it asks for what is missing" == error.hint
