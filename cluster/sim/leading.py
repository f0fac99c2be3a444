"""How does the ISR of a partition change without the controller?

A leader takes followers in that have caught up, and drops those that have gone; it writes the state
itself and leaves a notification.  Records are not simulated: who follows has caught up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from cluster.controller.election import is_same_decision
from cluster.model.admin import PartitionList
from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.sim.obeying import Role
from cluster.sim.zookeeper import Author
from cluster.zk import paths
from cluster.zk.admin import encode_isr_change
from cluster.zk.requests import Create, GetData, Lost, Multi, MultiDone, SetData, ZkReply
from cluster.zk.topics import decode_state, encode_state
from cluster.zk.znode import Znode

if TYPE_CHECKING:
    from cluster.sim.process import Process
    from cluster.sim.world import World

CATCHING_UP_MS: Final = 60
LAGGING_MS: Final = 400


def watch_isr(world: World, leader: BrokerId, partition: TopicPartition) -> None:
    """Let the leader look at its followers in a while."""
    process = world.processes.get(leader)
    if process is not None:
        delay_ms = world.between(1, CATCHING_UP_MS)
        adjust = lambda: adjust_isr(world, process, partition)  # noqa: E731
        world.after(delay_ms, lambda: process.deliver(adjust))


def watch_all_isrs(world: World) -> None:
    """Let all leaders look at their followers, some time after one has gone or come back."""

    def watch() -> None:
        for process in world.processes.values():
            for partition in process.broker.roles:
                watch_isr(world, process.broker_id, partition)

    world.after(LAGGING_MS, watch)


def adjust_isr(world: World, process: Process, partition: TopicPartition) -> None:
    """Write the ISR of a partition that *process* leads, when it should be another."""
    leader = process.broker_id
    role = process.broker.roles.get(partition)
    if role is None or role.state.leader != leader or not process.is_registered:
        return
    if partition in process.adjusting:
        # There will be another look when the write that is under way is over.
        return
    isr = tuple(
        replica
        for replica in role.replicas
        if replica == leader or follows(world, replica, partition, role)
    )
    if set(isr) == set(role.state.isr):
        return
    wanted = role.state._replace(isr=isr)
    path = paths.state(partition.topic, partition.partition)
    notification = f"{paths.isr_change_prefix()}{world.next_sequence():010d}"
    request = Multi(
        (
            SetData(path, encode_state(wanted), role.state.zk_version),
            Create(notification, encode_isr_change(PartitionList(partitions=(partition,)))),
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
        if stored is not None and stored.zk_version == role.state.zk_version:
            finish(None)
            return
        is_landed = stored is not None and is_same_decision(stored, wanted)
        finish(stored if is_landed else None, is_outdated=not is_landed)

    def finish(state: PartitionState | None, *, is_outdated: bool = False) -> None:
        """Where a newer order has come in the meantime, it knows better; where one must come,
        wait for it.
        """
        process.adjusting.discard(partition)
        is_current = process.broker.roles.get(partition) is role
        if state is not None and is_current:
            process.broker.roles[partition] = role._replace(state=state)
        if not (is_current and is_outdated):
            watch_isr(world, leader, partition)

    process.adjusting.add(partition)
    author = Author(leader, "leader")
    world.ask(process, (request,), author, on_written)


def follows(world: World, replica: BrokerId, partition: TopicPartition, role: Role) -> bool:
    """Whether the replica's broker is there and follows this very leadership."""
    process = world.processes[replica]
    if not process.is_up or process.is_frozen:
        return False
    own = process.broker.roles.get(partition)
    return own is not None and (own.state.leader, own.state.leader_epoch) == (
        role.state.leader,
        role.state.leader_epoch,
    )
