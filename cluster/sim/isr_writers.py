"""A stand-in for leaders that change the ISR of their partitions by themselves.

Our brokers do not replicate yet.  As the leaders of a Kafka before AlterPartition (2.7) do, these
take followers in that have caught up, drop those that have gone, write the state themselves and
leave a notification.  Who follows has caught up: no record is copied.
"""

from typing import Final

from cluster.controller.election import is_same_decision
from cluster.model.admin import PartitionList
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.sim.life import Life
from cluster.sim.surroundings import Surroundings
from cluster.sim.zookeeper import Author
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change
from cluster.zk.requests import Create, GetData, Lost, Multi, MultiDone, SetData, ZkReply
from cluster.zk.topics import decode_state, encode_state
from cluster.zk.znode import Znode

CATCHING_UP_MS: Final = 60
LAGGING_MS: Final = 400


def watch_isr(world: Surroundings, leader: BrokerId, partition: TopicPartition) -> None:
    """Let the leader look at its followers in a while."""
    if leader in world.broker_ids:
        process = world.life(leader)
        delay_ms = world.between(1, CATCHING_UP_MS, f"isr b{leader}")
        adjust = lambda: adjust_isr(world, process, partition)  # noqa: E731
        world.after(delay_ms, lambda: process.deliver(adjust))


def watch_all_isrs(world: Surroundings) -> None:
    """Let all leaders look at their followers, some time after one has gone or come back."""

    def watch() -> None:
        for process in world.lives():
            for hosted in process.broker.partitions:
                if hosted.replica.is_leader:
                    watch_isr(world, process.broker_id, hosted.partition)

    world.after(LAGGING_MS, watch)


def state_of(process: Life, partition: TopicPartition) -> PartitionState | None:
    """The state of a partition that *process* leads, as it knows it; None for any other."""
    hosted = process.broker.partitions.find(partition)
    if hosted is None or not hosted.replica.is_leader:
        return None
    told, written = hosted.replica.state, process.written.get(partition)
    if written is not None and written.leader_epoch == told.leader_epoch:
        return written
    return told


def adjust_isr(world: Surroundings, process: Life, partition: TopicPartition) -> None:
    """Write the ISR of a partition that *process* leads, when it should be another."""
    leader = process.broker_id
    state = state_of(process, partition)
    if state is None or not process.is_registered:
        return
    if partition in process.adjusting:
        # There will be another look when the write that is under way is over.
        return
    hosted = process.broker.partitions.find(partition)
    assert hosted is not None
    replica = hosted.replica
    isr = tuple(
        one
        for one in replica.assignment.replicas
        if one == leader or follows(world, one, partition, state)
    )
    if set(isr) == set(state.isr):
        return
    before, wanted = state, state._replace(isr=isr)
    path = paths.state(partition.topic, partition.partition)
    notification = encode_isr_change(PartitionList(partitions=(partition,)))
    request = Multi(
        (
            SetData(path, encode_state(wanted), before.zk_version),
            Create(paths.isr_change_prefix(), notification, is_sequential=True),
        )
    )

    def on_written(replies: tuple[ZkReply, ...]) -> None:
        (reply,) = replies
        if isinstance(reply, MultiDone):
            finish(wanted._replace(zk_version=reply.zk_versions[0]))
        else:
            # The reply was lost, or the controller was faster: what stands there tells.
            world.ask(process, (GetData(path),), author, on_read)

    def on_read(replies: tuple[ZkReply, ...]) -> None:
        (reply,) = replies
        if isinstance(reply, Lost):
            world.ask(process, (GetData(path),), author, on_read)
            return
        stored = decode_state(reply) if isinstance(reply, Znode) else None
        if stored is not None and stored.zk_version == before.zk_version:
            finish(None)
            return
        is_landed = stored is not None and is_same_decision(stored, wanted)
        finish(stored if is_landed else None, is_outdated=not is_landed)

    def finish(state: PartitionState | None, *, is_outdated: bool = False) -> None:
        """Where a newer order has come in the meantime, it knows better; where one must come,
        wait for it.
        """
        process.adjusting.discard(partition)
        is_current = replica.is_leader and replica.leader_epoch == before.leader_epoch
        if state is not None and is_current:
            process.written[partition] = state
        if not (is_current and is_outdated):
            watch_isr(world, leader, partition)

    process.adjusting.add(partition)
    author = Author(leader, "leader")
    world.ask(process, (request,), author, on_written)


def follows(
    world: Surroundings, broker_id: BrokerId, partition: TopicPartition, state: PartitionState
) -> bool:
    """Whether the replica's broker is there and follows this very leadership."""
    process = world.life(broker_id)
    if not process.is_up or process.is_frozen:
        return False
    own = process.broker.partitions.find(partition)
    if own is None or own.log.is_offline:
        return False
    told = own.replica.state
    return (told.leader, told.leader_epoch) == (state.leader, state.leader_epoch)
