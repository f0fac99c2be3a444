"""Reassignments amid brokers that die, come back, are slow or fail to delete."""

from cluster.controller.events import (
    UncleanElectionEnabled,
)
from cluster.controller.orders import LeaderAndIsr, Order, OrderResult, StopReplica
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from cluster.zk import paths
from cluster.zk.requests import Create, Refused, ZkReply
from tests.cluster.controller.asked import Asked, CreateStates, ReadStates, WriteStates
from tests.cluster.controller.harness import Harness, tp
from tests.cluster.controller.reassigning import (
    T0,
    active_controller,
    answer_all,
    assigned,
    cancel,
    catch_up,
    cluster_with,
    forget,
    leadership,
    moving,
    notify,
    reassign,
    replicas,
    told_to,
    writes,
)


def test_a_dead_replica_is_waited_for_and_told_again_when_it_is_back() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.unregister(3)
    harness.settle()
    forget(harness)

    harness.register(3)
    harness.settle()

    assert "3 LeaderAndIsr t-0:1/2[1,2] new" in told_to(harness, LeaderAndIsr)
    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(3)


def test_other_brokers_that_start_change_nothing() -> None:
    harness = cluster_with((1, 2), brokers=(1, 2, 3, 4))
    reassign(harness, 3)
    forget(harness)
    harness.unregister(4)
    harness.settle()

    harness.register(4)
    harness.settle()

    assert writes(harness) == []


def test_no_replica_goes_while_nobody_in_the_target_can_lead() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    forget(harness)
    harness.active.context.shutting_down[BrokerId(3)] = None

    catch_up(harness, 1, 2, 3)

    assert writes(harness) == []
    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))


def test_an_isr_that_shrinks_while_it_is_looked_at_keeps_all_replicas() -> None:
    """B3 finds an ISR without the target: what B1 and B2 have done is taken back."""
    harness = cluster_with((1, 2))
    reassign(harness, 3, 2)
    harness.write_isr(T0, (1, 2, 3))
    shrink_between(harness, (1, 2))

    notify(harness)

    assert assigned(harness) == moving((3, 2, 1), adding=(3,), removing=(1,))
    assert harness.active.context.assignments[T0] == assigned(harness)
    assert told_to(harness, StopReplica) == []
    state = harness.state(T0)
    assert state is not None
    assert state.isr == (1, 2)
    roles = [line for line in harness.lines if "LeaderAndIsrPartitionState(" in line]
    assert "replicas=[3, 2, 1]" in roles[-1]

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3, 2)


def shrink_between(harness: Harness, isr: tuple[int, ...]) -> None:
    """Let the leader shrink the ISR between the second read of the state and the third."""
    reads = 0

    def before(request: Asked) -> ZkReply | None:
        nonlocal reads
        if isinstance(request, ReadStates):
            reads += 1
            if reads == 2:
                harness.before = harness.do_nothing
                harness.write_isr(T0, isr)
        return None

    harness.before = before


def test_an_isr_without_any_of_the_target_keeps_all_replicas() -> None:
    """B3 finds nobody to lead; in Kafka B5 would delete the only replica that has everything."""
    harness = cluster_with((1,))
    reassign(harness, 3)
    harness.write_isr(T0, (1, 3))
    shrink_between(harness, (1,))

    notify(harness)

    assert assigned(harness) == moving((3, 1), adding=(3,), removing=(1,))
    assert harness.active.context.assignments[T0] == assigned(harness)
    assert leadership(harness) == (1, 1, (1,))
    assert told_to(harness, StopReplica) == []


def test_an_isr_that_cannot_be_written_keeps_all_replicas() -> None:
    """B4 is refused."""
    harness = cluster_with((1, 2))
    reassign(harness, 2)  # Complete, so that the next one has B3 behind it.
    reassign(harness, 2, 3)
    forget(harness)
    refuse_shrinking(harness)

    catch_up(harness, 2, 3)
    reassign(harness, 3)

    assert assigned(harness) == moving((3, 2), adding=(), removing=(2,))
    assert leadership(harness)[2] == (2, 3)
    assert not any("delete" in line for line in harness.told())
    assert harness.active.context.assignments[T0] == assigned(harness)

    harness.before = harness.do_nothing
    notify(harness)

    assert assigned(harness) == replicas(3)
    assert leadership(harness)[2] == (3,)


def refuse_shrinking(harness: Harness) -> None:
    def before(request: Asked) -> ZkReply | None:
        if isinstance(request, WriteStates) and request.states[T0].isr == (3,):
            return Refused("no permission")
        return None

    harness.before = before


def test_the_node_keeps_who_is_removed_until_all_of_them_have_deleted_their_logs() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    harness.silent = {1}

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == moving((3, 1, 2), adding=(3,), removing=(1, 2))
    harness.silent = set()
    answer_all(harness, 1)
    assert assigned(harness) == replicas(3)


def test_another_partition_of_the_topic_does_not_write_the_target_early() -> None:
    harness = cluster_with((1, 2), (1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)

    reassign(harness, 2, 1, partition=tp("t-1"))

    assert assigned(harness).removing == (2,)
    assert assigned(harness, tp("t-1")) == replicas(2, 1)


def test_a_broker_that_dies_is_not_waited_for_and_deletes_its_log_when_it_is_back() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    assert assigned(harness).removing == (2,)

    harness.unregister(2)
    harness.settle()
    assert assigned(harness) == replicas(1, 3)

    harness.silent = set()
    forget(harness)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == ["2 StopReplica t-0/3 delete"]

    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == []


def test_a_broker_that_bounces_is_waited_for() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert assigned(harness).removing == (2,)

    harness.silent = set()
    answer_all(harness, 2)

    assert assigned(harness) == replicas(1, 3)


def test_a_log_that_cannot_be_deleted_holds_nothing_up() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 3)
    refuse_deletions(harness)

    catch_up(harness, 1, 2, 3)

    assert assigned(harness) == replicas(3)
    assert any("has its log: KAFKA_STORAGE_ERROR" in note for note in harness.notes)


def refuse_deletions(harness: Harness) -> None:
    obeyed = harness.answer

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, StopReplica) and order.partitions[0].is_deleted:
            return OrderResult(errors={T0: ErrorCode.KAFKA_STORAGE_ERROR})
        return obeyed(broker_id, order)

    harness.answer = answer


def test_a_replica_that_is_added_again_keeps_its_log() -> None:
    """What its broker did not confirm in its last life is not asked of it any more."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)
    reassign(harness, 1, 2)
    harness.silent = set()
    forget(harness)

    harness.unregister(2)
    harness.register(2)
    harness.settle()

    assert told_to(harness, StopReplica) == []
    assert assigned(harness) == moving((1, 2, 3), adding=(2,), removing=(3,))
    catch_up(harness, 1, 2, 3)
    assert assigned(harness) == replicas(1, 2)


def test_asked_again_for_the_same_the_node_still_waits_for_the_logs() -> None:
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    catch_up(harness, 1, 2, 3)

    reassign(harness, 1, 3)

    assert assigned(harness).removing == (2,)


def test_a_removed_replica_whose_log_is_not_open_is_waited_for() -> None:
    """Its broker may be able to delete the files, and answers in any case."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.active.context.replicas_on_offline_dirs[BrokerId(2)] = {T0: None}
    harness.silent = {2}

    catch_up(harness, 1, 2, 3)
    assert assigned(harness).removing == (2,)

    harness.silent = set()
    answer_all(harness, 2)
    assert assigned(harness) == replicas(1, 3)


def test_what_a_removed_replica_says_of_its_disk_is_not_listened_to() -> None:
    """Its broker would be taken for one whose disk fails when it gets such a replica again."""
    harness = cluster_with((1, 2))
    reassign(harness, 1, 3)
    harness.silent = {2}
    reassign(harness, 1, 2, 3)  # The order that is answered in the end.
    catch_up(harness, 1, 2, 3)
    reassign(harness, 1, 3)
    harness.silent = set()
    fail_to_open(harness, 2)

    answer_all(harness, 2)

    assert assigned(harness) == replicas(1, 3)
    assert T0 not in harness.active.context.replicas_on_offline_dirs.get(BrokerId(2), {})


def fail_to_open(harness: Harness, broker: int) -> None:
    obeyed = harness.answer

    def answer(broker_id: BrokerId, order: Order) -> OrderResult | None:
        if isinstance(order, LeaderAndIsr) and broker_id == broker:
            return OrderResult(errors={T0: ErrorCode.KAFKA_STORAGE_ERROR})
        return obeyed(broker_id, order)

    harness.answer = answer


def test_a_log_that_was_not_deleted_is_not_in_the_way_of_the_next_topic_of_its_name() -> None:
    harness = cluster_with((1, 2))
    harness.unregister(2)
    harness.settle()
    reassign(harness, 1)
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.create_topic("t", (2,), topic_id="id2")
    harness.settle()
    forget(harness)

    harness.register(2)
    harness.settle()
    roles = [line for line in harness.told() if line.startswith("2") and "UpdateM" not in line]
    assert roles == ["2 StopReplica t-0/-1 delete", "2 LeaderAndIsr t-0:2/0[2] new"]

    harness.unregister(2)
    harness.register(2)
    harness.settle()
    assert told_to(harness, StopReplica) == []


def test_a_broker_that_lives_keeps_the_log_of_the_next_topic_of_a_name() -> None:
    """It may have deleted the old one, with only its answer lost."""
    harness = cluster_with((1, 2))
    reassign(harness, 3, 1)
    obeyed = harness.answer
    refuse_deletions(harness)
    cancel(harness)
    harness.answer = obeyed
    harness.tool(Create(paths.delete_topic("t")))
    harness.settle()
    harness.create_topic("t", (3,), topic_id="id2")
    harness.settle()
    forget(harness)

    harness.unregister(3)
    harness.register(3)
    harness.settle()

    assert told_to(harness, StopReplica) == []


def test_a_partition_that_nobody_could_lead_begins_with_its_new_replicas() -> None:
    harness = active_controller(1, 3)
    harness.create_topic("t", (2,))
    harness.settle()
    forget(harness)

    reassign(harness, 3)

    assert leadership(harness)[0] == 3
    assert assigned(harness) == replicas(3)
    assert harness.count(CreateStates) == 1


def test_an_unclean_leader_in_the_target_completes_a_reassignment() -> None:
    harness = cluster_with((2,))
    reassign(harness, 3)
    harness.unregister(2)
    harness.settle()
    assert assigned(harness).adding == (3,)

    harness.client.allows_unclean = True
    harness.step(UncleanElectionEnabled(None))

    assert leadership(harness)[2] == (3,)
    assert assigned(harness) == replicas(3)
