"""What does the controller do when brokers come, go, or want to go?

Source: Kafka's KafkaController, from onBrokerStartup to doControlledShutdown.
"""

from collections.abc import Iterable, Mapping

from cluster.controller import deletion, partitions, replicas
from cluster.controller.asking import Procedure, ask
from cluster.controller.asks import BrokersRead, ReadBrokers
from cluster.controller.batch import OrderBatch
from cluster.controller.effects import OpenChannel, Reply
from cluster.controller.election import Strategy
from cluster.controller.events import ShutdownRequested
from cluster.controller.replica_states import Replica
from cluster.controller.tenure import Tenure
from cluster.model.broker import BrokerRegistration
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerEpoch, BrokerId, TopicPartition


def refresh_brokers(tenure: Tenure) -> Procedure[None]:
    """Read who is registered, and deal with each difference.

    A broker that is there again under another epoch was away in between: it has failed and started,
    even if nobody saw it missing.
    """
    context = tenure.context
    answer = yield from ask(ReadBrokers(), BrokersRead)
    seen, known = answer.brokers, context.brokers
    new = [broker_id for broker_id in seen if broker_id not in known]
    dead = [broker_id for broker_id in known if broker_id not in seen]
    both = [broker_id for broker_id in seen if broker_id in known]
    bounced = [b for b in both if seen[b].broker_epoch != known[b].broker_epoch]
    modified = [b for b in both if b not in bounced and seen[b] != known[b]]
    if new or dead or bounced or modified:
        tenure.note(f"brokers new={new} dead={dead} bounced={bounced} modified={modified}")
    for broker_id in bounced + dead:
        tenure.effects.append(tenure.channels.close(broker_id))
    for broker_id in new + bounced:
        tenure.effects.append(tenure.channels.open(seen[broker_id]))
    if new:
        _add(tenure, seen, new)
        yield from _on_started(tenure, new)
    if bounced:
        _remove(tenure, bounced)
        yield from _on_failed(tenure, bounced)
        _add(tenure, seen, bounced)
        yield from _on_started(tenure, bounced)
    if dead:
        _remove(tenure, dead)
        yield from _on_failed(tenure, dead)
    if modified:
        _add(tenure, seen, modified)
        tenure.effects += (OpenChannel(seen[broker_id]) for broker_id in modified)
        _tell_all_who_is_alive(tenure)


def _add(
    tenure: Tenure, seen: Mapping[BrokerId, BrokerRegistration], broker_ids: Iterable[BrokerId]
) -> None:
    tenure.context.brokers |= {broker_id: seen[broker_id] for broker_id in broker_ids}


def _remove(tenure: Tenure, broker_ids: Iterable[BrokerId]) -> None:
    context = tenure.context
    for broker_id in broker_ids:
        del context.brokers[broker_id]
        context.shutting_down.pop(broker_id, None)
        context.offline_replicas.pop(broker_id, None)


def _on_started(tenure: Tenure, started: list[BrokerId]) -> Procedure[None]:
    """Tell the others first, then tell the new ones everything; their replicas begin last.

    A broker that is told to follow must know where its leader is.
    """
    context = tenure.context
    batch = OrderBatch(tenure)
    batch.add_update_metadata(broker for broker in context.brokers if broker not in started)
    batch.send()
    batch.add_update_metadata(started, context.states)
    batch.send()
    replicas.bring_online(tenure, _replicas_on(tenure, started))
    yield from partitions.bring_leaderless_online(tenure)
    yield from deletion.on_brokers_started(tenure, started)


def _on_failed(tenure: Tenure, failed: list[BrokerId]) -> Procedure[None]:
    lost = _replicas_on(tenure, failed)
    yield from on_replicas_offline(tenure, lost)
    doomed = [replica for replica in lost if tenure.context.is_to_be_deleted(replica.partition)]
    yield from deletion.on_replicas_gone(tenure, doomed)
    yield from deletion.on_brokers_gone(tenure, failed)


def _replicas_on(tenure: Tenure, broker_ids: Iterable[BrokerId]) -> tuple[Replica, ...]:
    return tuple(
        Replica(broker_id, partition)
        for broker_id in broker_ids
        for partition in tenure.context.hosted_on(broker_id)
    )


def on_replicas_offline(tenure: Tenure, lost: tuple[Replica, ...]) -> Procedure[None]:
    """Find other leaders for what was led by these replicas, and take them out of their ISRs.

    Nothing is done about topics that are to be deleted: on a broker that has lost a log, the answer
    to the order to delete it says what became of that.
    """
    context = tenure.context
    kept = [replica for replica in lost if not context.is_to_be_deleted(replica.partition)]
    leaderless = dict.fromkeys(
        partition for broker_id, partition in kept if context.leader_of(partition) == broker_id
    )
    partitions.take_offline(tenure, leaderless)
    yield from partitions.bring_leaderless_online(tenure)
    yield from replicas.take_offline(tenure, kept)
    if not leaderless:
        # Where there was something to elect, everybody has been told with it.
        _tell_all_who_is_alive(tenure)


def _tell_all_who_is_alive(tenure: Tenure) -> None:
    batch = OrderBatch(tenure)
    batch.add_update_metadata(tenure.context.brokers)
    batch.send()


def shut_down(tenure: Tenure, request: ShutdownRequested) -> Procedure[None]:
    """Move what the broker leads to others; it asks again until nothing remains.

    Partitions with one replica stay where they are: they go offline when the broker does.
    """
    context, broker_id = tenure.context, request.broker_id
    registered = context.brokers.get(broker_id)
    if registered is None:
        _reply(tenure, request, ErrorCode.BROKER_NOT_AVAILABLE)
        return
    if request.broker_epoch != -1 and request.broker_epoch < registered.broker_epoch:
        _reply(tenure, request, ErrorCode.STALE_BROKER_EPOCH)
        return
    context.shutting_down[broker_id] = None
    tenure.note(f"broker={broker_id} shuts down")
    hosted = [
        partition for partition in context.hosted_on(broker_id) if _can_move(tenure, partition)
    ]
    led = [partition for partition in hosted if context.leader_of(partition) == broker_id]
    followed = [partition for partition in hosted if context.leader_of(partition) != broker_id]
    yield from partitions.bring_online(tenure, led, Strategy.CONTROLLED_SHUTDOWN)
    batch = OrderBatch(tenure)
    for partition in followed:
        batch.add_stop_replica(broker_id, partition, is_deleted=False)
    batch.send()
    yield from replicas.take_offline(
        tenure, [Replica(broker_id, partition) for partition in followed]
    )
    remaining = [partition for partition in hosted if context.leader_of(partition) == broker_id]
    _reply(tenure, request, ErrorCode.NONE, remaining)


def refusal_of(tenure: Tenure | None, broker_id: BrokerId, broker_epoch: BrokerEpoch) -> ErrorCode:
    """Why a broker is not listened to that claims to be registered with *broker_epoch*, or NONE.

    *tenure* is None where this is not the controller.
    """
    if tenure is None:
        return ErrorCode.NOT_CONTROLLER
    registered = tenure.context.brokers.get(broker_id)
    if registered is None:
        return ErrorCode.BROKER_ID_NOT_REGISTERED
    if registered.broker_epoch != broker_epoch:
        return ErrorCode.STALE_BROKER_EPOCH
    return ErrorCode.NONE


def _can_move(tenure: Tenure, partition: TopicPartition) -> bool:
    context = tenure.context
    return (
        len(context.assignments[partition].replicas) > 1
        and partition in context.states
        and not context.is_to_be_deleted(partition)
    )


def _reply(
    tenure: Tenure,
    request: ShutdownRequested,
    error: ErrorCode,
    remaining: Iterable[TopicPartition] = (),
) -> None:
    tenure.effects.append(Reply(request=request.request, error=error, remaining=tuple(remaining)))
