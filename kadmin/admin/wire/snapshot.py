"""A snapshot of the cluster, read from its brokers.

The same value that `kadmin.admin.zookeeper.snapshot` reads from ZooKeeper.  It lacks what brokers
do not return: epochs and times of registrations and of the controller, and topics that no
controller has processed yet.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from kafka.errors import (
    AuthorizationError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
    for_code,
)
from kafka.protocol.admin import ListPartitionReassignmentsRequest

from cluster.model import fault as subjects
from cluster.model.broker import UNKNOWN_FORMAT, BrokerRegistration, Endpoint
from cluster.model.config_entity import NO_OVERRIDES, ConfigOverrides, topic_entity
from cluster.model.controller import Controller, Quorum
from cluster.model.fault import Fault
from cluster.model.ids import UNKNOWN_CONTROLLER_EPOCH, BrokerId, LeaderEpoch, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, TopicSnapshot
from cluster.model.topic import PartitionAssignment, PartitionState, TopicAssignment
from cluster.model.topic_config_specs import MIN_ISR
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_text
from kadmin.admin.wire.api_versions import read_api_versions
from kadmin.admin.wire.connection import SILENCES, NoController, WireConnection, plain
from kadmin.admin.wire.describe_configs import read_brokers, read_topic_configs
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.admin.wire.outcomes import words_of
from kadmin.admin.wire.quorum import (
    MIGRATES,
    one_on_kraft,
    read_eligible_leaders,
    read_features,
    read_fenced_brokers,
    read_quorum,
)
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.api_versions import BrokerApis
from kadmin.plan.topic_refusals import check_topic_name, is_glob

MIGRATION_MODE: Final = "zookeeper.metadata.migration.enable"


def read_snapshot(
    connection: WireConnection,
    selection: TopicSelection | None,
    *,
    with_configs: bool = False,
    ongoing: Mapping[TopicPartition, PartitionAssignment] | None = None,
    broker: BrokerId | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> ClusterSnapshot:
    """Read brokers, controller, and the topics of *selection* with their states; None for none.

    *broker* is asked if it answers, else any is; none where *metadata* of a moment ago is given.

    A broker's endpoint is the one of the listener that was asked, by the name of its protocol.
    *with_configs* topics have their configs, too; a `min.insync.replicas` that is not set on the
    topic is among the brokers' defaults then.  *ongoing* is what `read_reassignments` returned a
    moment before: for a partition under reassignment, metadata has all replicas alike.

    Raises:
        KafkaError: a broker's error, which `connect_brokers` translates.
    """
    metadata = metadata or connection.metadata(names_to_ask(selection), broker)
    protocol = connection.settings.protocol
    brokers = sorted(
        (registration(broker, protocol) for broker in metadata["brokers"]),
        key=lambda broker: broker.broker_id,
    )
    faults: list[Fault] = []
    topics = {topic.name: topic for topic in known_topics(visible(metadata["topics"], faults))}
    names = [] if selection is None else selection.select(topics)
    topics = {name: with_reassignments(topics[name], ongoing or {}) for name in names}
    defaults = NO_OVERRIDES
    if with_configs and topics:
        topics, defaults = with_topic_configs(connection, topics, faults)
    snapshot = ClusterSnapshot(
        brokers={broker.broker_id: broker for broker in brokers},
        topics=topics,
        broker_defaults=defaults,
    )
    if connection.is_on_kraft:
        quorum = read_quorum(connection, faults)
        snapshot = replace(
            snapshot,
            controller=None if quorum is None else leader_of(quorum),
            quorum=quorum,
            features=read_features(connection),
            fenced=read_fenced_brokers(connection),
            eligible=read_eligible_leaders(connection, without_isr(topics.values())),
        )
    else:
        snapshot = replace(snapshot, controller=controller_of(metadata))
    return replace(snapshot, faults=tuple(faults))


def without_isr(topics: Iterable[TopicSnapshot]) -> Iterator[str]:
    """Return the topics that have a partition without any ISR."""
    return (topic.name for topic in topics if not all(state.isr for state in topic.states.values()))


def with_owner(connection: WireConnection, snapshot: ClusterSnapshot) -> ClusterSnapshot:
    """Return *snapshot* with the owner of a cluster in migration, where the broker that answered is
    over ZooKeeper: while a KRaft controller owns the cluster, such brokers name any broker.

    A broker on KRaft is asked for the quorum; where there is none yet, the controller is unknown.
    """
    if connection.is_on_kraft or connection.broker_version < MIGRATES or not snapshot.brokers:
        return snapshot
    brokers = list(snapshot.brokers)
    with connection.budget.sharing():
        apis = read_api_versions(connection, brokers)
    if one_on_kraft(apis) is not None:
        return with_quorum(connection, snapshot, apis)
    with connection.budget.sharing():
        described = read_brokers(connection, list(map(str, brokers)), denied=[], silent={})
    values = {each.name: each.value for configs in described.values() for each in configs}
    if values.get(MIGRATION_MODE) != "true":
        return snapshot
    why = "brokers in migration mode name any broker where KRaft owns the cluster: ask ZooKeeper"
    unknown = subjects.unavailable(subjects.CONTROLLER, "who the controller is", why)
    return replace(snapshot, controller=None, faults=(*snapshot.faults, unknown))


def with_quorum(
    connection: WireConnection, snapshot: ClusterSnapshot, apis: BrokerApis
) -> ClusterSnapshot:
    """Return *snapshot* with the quorum, where the broker that answered is over ZooKeeper and, by
    their *apis*, another one is on KRaft."""
    on_kraft = one_on_kraft(apis)
    if connection.is_on_kraft or on_kraft is None:
        return snapshot
    faults = list(snapshot.faults)
    quorum = read_quorum(connection, faults, on_kraft)
    controller = None if quorum is None else leader_of(quorum)
    return replace(snapshot, controller=controller, quorum=quorum, faults=tuple(faults))


def controller_of(metadata: Mapping[str, Any]) -> Controller | None:
    """Return the controller from a broker's *metadata*; None during an election."""
    number = metadata.get("controller_id")
    return None if number is None or number < 0 else Controller(broker_id=BrokerId(number))


def leader_of(quorum: Quorum) -> Controller:
    return Controller(broker_id=quorum.leader_id, kraft_controller_epoch=quorum.leader_epoch)


def read_topics(
    connection: WireConnection,
    selection: TopicSelection,
    leave_out: Callable[[Fault], None] | None = None,
) -> ClusterSnapshot:
    """Return a snapshot with the topics of *selection*, which has to match some.

    *leave_out* takes those that may not be read, beside others that may.

    Raises:
        NoSuchTopic: a name or a pattern that matches nothing.
        TopicAuthorizationFailedError: one may not be read, and none may be left out.
        KafkaError: as `read_snapshot`.
    """
    snapshot = read_snapshot(connection, selection)
    for fault in snapshot.faults:
        if leave_out is None:
            raise TopicAuthorizationFailedError(str(fault))
        leave_out(fault)
    known = [*snapshot.topics, *(fault.subject.name for fault in snapshot.faults)]
    if selection.missing(known):
        # Metadata by name lacks the other topics, which the hint needs.
        described = known_topics(connection.metadata(None)["topics"])
        selection.require([*known, *(topic.name for topic in described)])
    return snapshot


def names_to_ask(selection: TopicSelection | None) -> Sequence[str] | None:
    """Return the topics to ask a broker for: by name where these are known, else all of them."""
    if selection is None:
        return []
    if not selection.wanted or selection.is_regex or any(map(is_glob, selection.wanted)):
        return None
    return selection.wanted


def visible(topics: Iterable[Mapping[str, Any]], faults: list[Fault]) -> list[Mapping[str, Any]]:
    """Return those of *topics* that may be read; topics asked for by name that may not be read are
    added to the *faults*."""
    found: list[Mapping[str, Any]] = []
    denied: list[Mapping[str, Any]] = []
    for topic in topics:
        is_denied = topic["error_code"] == TopicAuthorizationFailedError.errno
        (denied if is_denied else found).append(topic)
    if not found and denied:
        return denied
    for topic in denied:
        name = topic["name"]
        faults.append(subjects.hidden(subjects.topic(name), f"topic '{name}'"))
    return found


def with_topic_configs(
    connection: WireConnection, topics: Mapping[str, TopicSnapshot], faults: list[Fault]
) -> tuple[dict[str, TopicSnapshot], ConfigOverrides]:
    """Return *topics* with configs, and the brokers' default; deleted topics are left out.

    Where configs may not be read, or no broker returns them, the topics stay without them, which is
    added to the *faults* as one; those that brokers cannot read are faults of their own.
    """
    denied: list[str] = []
    failed: dict[str, str] = {}
    whose = f"topic '{next(iter(topics))}'" if len(topics) == 1 else f"{len(topics)} topics"
    try:
        # Brokers read them in ZooKeeper, which may have no majority.
        with connection.budget.sharing():
            configs = read_topic_configs(connection, list(topics), denied, failed)
    except (BrokersUnreachable, *SILENCES) as error:
        reason = error.reason if isinstance(error, BrokersUnreachable) else plain(error)
        faults.append(subjects.unavailable(subjects.CONFIGS, f"the configs of {whose}", reason))
        return dict(topics), NO_OVERRIDES
    detailed = {name: topics[name] for name in (*denied, *failed)}
    for name, reason in failed.items():
        subject = subjects.config(topic_entity(name))
        faults.append(subjects.unavailable(subject, f"the configs of topic '{name}'", reason))
    if denied:
        whose = f"topic '{denied[0]}'" if len(denied) == 1 else f"{len(denied)} topics"
        faults.append(subjects.hidden(subjects.CONFIGS, f"the configs of {whose}"))
    defaults = NO_OVERRIDES
    for name, of_topic in configs.items():
        detailed[name] = replace(topics[name], config=ConfigOverrides(values=of_topic.overrides))
        if MIN_ISR in of_topic.inherited:
            defaults = ConfigOverrides(values={MIN_ISR: of_topic.inherited[MIN_ISR]})
    return dict(sorted(detailed.items())), defaults


def with_reassignments(
    topic: TopicSnapshot, ongoing: Mapping[TopicPartition, PartitionAssignment]
) -> TopicSnapshot:
    """Return *topic* with the controller's assignment of those of its partitions that are
    *ongoing*."""
    found = {
        number: ongoing[partition]
        for number in topic.assignment.partitions
        if (partition := TopicPartition(topic.name, number)) in ongoing
    }
    if not found:
        return topic
    partitions = {**topic.assignment.partitions, **found}
    return replace(topic, assignment=replace(topic.assignment, partitions=partitions))


def ongoing_reassignments(
    connection: WireConnection,
) -> tuple[dict[TopicPartition, PartitionAssignment], tuple[Fault, ...]]:
    """Read as `read_reassignments` does, but return no partition and the fault if this user may not
    read them, the controller does not answer, or it is unknown."""
    what = "which replicas are added and removed"
    try:
        with connection.budget.sharing():
            return read_reassignments(connection), ()
    except AuthorizationError:
        return {}, (subjects.hidden(subjects.REASSIGNMENT, what),)
    except NoController:
        return {}, (subjects.unavailable(subjects.REASSIGNMENT, what, "there is no controller"),)
    except (BrokersUnreachable, *SILENCES) as error:
        reason = error.reason if isinstance(error, BrokersUnreachable) else plain(error)
        return {}, (subjects.unavailable(subjects.REASSIGNMENT, what, reason),)


def read_reassignments(
    connection: WireConnection,
) -> dict[TopicPartition, PartitionAssignment]:
    """Read all partitions that are being reassigned, in order, from the controller.

    To be read before a snapshot: a reassignment that ends in between is then shown as still
    running, and never as a settled assignment by mistake.  Brokers that do not serve that request
    start no reassignment by it either, and the result is empty.

    Raises:
        NoController: there is none now.
        KafkaError: the controller's error, which `connect_brokers` translates.
    """
    if not connection.serves(ListPartitionReassignmentsRequest):
        return {}
    answer = connection.ask_controller(
        ListPartitionReassignmentsRequest(topics=None, timeout_ms=connection.timeout_ms)
    )
    if answer.error_code != 0:
        raise for_code(answer.error_code)("reassignments")
    return {
        TopicPartition(topic.name, part.partition_index): PartitionAssignment(
            brokers_of(part.replicas),
            brokers_of(part.adding_replicas),
            brokers_of(part.removing_replicas),
        )
        for topic in sorted(answer.topics, key=lambda topic: topic.name)
        for part in sorted(topic.partitions, key=lambda part: part.partition_index)
    }


def registration(broker: Mapping[str, Any], protocol: str) -> BrokerRegistration:
    endpoint = Endpoint(
        listener=protocol, security_protocol=protocol, host=broker["host"], port=broker["port"]
    )
    return BrokerRegistration(
        broker_id=BrokerId(broker["node_id"]),
        endpoints=(endpoint,),
        version=UNKNOWN_FORMAT,
        host=endpoint.host,
        port=endpoint.port,
        rack=broker.get("rack"),
    )


def known_topics(topics: Iterable[Mapping[str, Any]]) -> Iterable[TopicSnapshot]:
    """Return the topics that the broker knows; it no longer knows one that is being deleted.

    Raises:
        IllegalTopicName: a name that was asked for is illegal in Kafka.
        KafkaError: the error of a topic, for example that it may not be read.
    """
    for topic in topics:
        code = topic["error_code"]
        if code == 0:
            yield topic_snapshot(topic)
        elif code != UnknownTopicOrPartitionError.errno:
            check_topic_name(topic["name"])
            raise for_code(code)(f"topic '{topic['name']}': {words_of(code)}")


def topic_snapshot(topic: Mapping[str, Any]) -> TopicSnapshot:
    partitions = sorted(topic["partitions"], key=lambda partition: partition["partition_index"])
    return TopicSnapshot(
        name=topic["name"],
        assignment=TopicAssignment(
            partitions={
                part["partition_index"]: PartitionAssignment(brokers_of(part["replica_nodes"]))
                for part in partitions
            },
            topic_id=id_text(topic.get("topic_id")),
        ),
        config=NO_OVERRIDES,
        states={
            part["partition_index"]: PartitionState(
                leader=BrokerId(part["leader_id"]),
                isr=brokers_of(part["isr_nodes"]),
                leader_epoch=LeaderEpoch(part.get("leader_epoch", -1)),
                controller_epoch=UNKNOWN_CONTROLLER_EPOCH,
            )
            for part in partitions
        },
    )


def brokers_of(numbers: Iterable[int]) -> tuple[BrokerId, ...]:
    return tuple(map(BrokerId, numbers))


def id_text(topic_id: str | None) -> str | None:
    """Return the id as znodes have it; None before 2.8."""
    if topic_id is None or UUID(topic_id).bytes == NO_TOPIC_ID:
        return None
    return topic_id_text(UUID(topic_id).bytes)
