"""The metadata quorum of a cluster on KRaft, and what only such a cluster has.

Metadata names any broker as the controller there, which takes what is for it and hands it on.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

from kafka.errors import AuthorizationError, for_code
from kafka.protocol.admin import (
    DescribeClusterRequest,
    DescribeQuorumRequest,
    DescribeTopicPartitionsRequest,
)
from kafka.protocol.metadata import ApiVersionsRequest

from cluster.model import fault as subjects
from cluster.model.address import host_and_port
from cluster.model.controller import Feature, Quorum, QuorumReplica
from cluster.model.fault import Fault
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.snapshot import EligibleLeaders
from kadmin.admin.wire.connection import NO_QUORUM, SILENCES, TIMEOUTS, WireConnection, plain
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.plan.api_versions import BrokerApis

METADATA_LOG: Final = "__cluster_metadata"
WHAT: Final = "who the controller is"
SOFTWARE: Final = {"client_software_name": "kadmin", "client_software_version": "1"}
"""Brokers refuse a request without."""
MIGRATES: Final = (3, 4)
"""The first release whose brokers can migrate, in part before the others."""
WITH_FENCED_BROKERS: Final = 2
"""The version of DescribeCluster, since Kafka 4.0."""


def one_on_kraft(apis: BrokerApis) -> BrokerId | None:
    """Return a broker that has a metadata quorum, by the *apis* of each: in a migration some are on
    KRaft, and the others name any broker as the controller."""
    return next((each for each in apis if DescribeQuorumRequest.API_KEY in apis[each]), None)


def read_quorum(
    connection: WireConnection, faults: list[Fault], broker: BrokerId | None = None
) -> Quorum | None:
    """Return the quorum, or None while it has no leader, as *broker* knows it, or any where none is
    named; an answer without it is added to *faults*."""
    topic = DescribeQuorumRequest.TopicData
    part = topic.PartitionData(partition_index=0)
    request = DescribeQuorumRequest(topics=[topic(topic_name=METADATA_LOG, partitions=[part])])
    if broker is not None:
        # kafka-python would take it for unknown to all, as to the first broker.
        request.API_VERSION = 1
    try:
        with connection.budget.sharing():
            answer = connection.ask(request, broker, is_forwarded=True)
        codes = [answer.error_code, *(part.error_code for part in answer.topics[0].partitions)]
        for code in codes:
            if code != 0:
                raise for_code(code)(WHAT)
    except AuthorizationError:
        faults.append(subjects.hidden(subjects.CONTROLLER, WHAT))
        return None
    except (BrokersUnreachable, *SILENCES) as error:
        if isinstance(error, TIMEOUTS):
            reason = NO_QUORUM
        else:
            reason = error.reason if isinstance(error, BrokersUnreachable) else plain(error)
        faults.append(subjects.unavailable(subjects.CONTROLLER, WHAT, reason))
        return None
    [quorum] = answer.topics[0].partitions
    return None if quorum.leader_id == NO_LEADER else quorum_of(quorum, answer.nodes or ())


def quorum_of(quorum: Any, nodes: Any) -> Quorum:
    """Return what an answer has of the *quorum*; *nodes* have addresses from version 2 on."""
    endpoints = {
        node.node_id: tuple(
            f"{each.name}://{host_and_port(each.host, each.port)}" for each in node.listeners
        )
        for node in nodes
    }

    def replicas(states: Any, *, is_voter: bool) -> Iterator[QuorumReplica]:
        for state in sorted(states, key=lambda state: int(state.replica_id)):
            yield QuorumReplica(
                node_id=BrokerId(state.replica_id),
                is_voter=is_voter,
                log_end_offset=state.log_end_offset,
                last_fetch_ms=known_ms(state.last_fetch_timestamp),
                last_caught_up_ms=known_ms(state.last_caught_up_timestamp),
                endpoints=endpoints.get(state.replica_id, ()),
            )

    return Quorum(
        leader_id=BrokerId(quorum.leader_id),
        leader_epoch=quorum.leader_epoch,
        high_watermark=quorum.high_watermark,
        replicas=(
            *replicas(quorum.current_voters, is_voter=True),
            *replicas(quorum.observers, is_voter=False),
        ),
    )


def known_ms(timestamp: int | None) -> int | None:
    return None if timestamp is None or timestamp < 0 else timestamp


def read_fenced_brokers(connection: WireConnection) -> frozenset[BrokerId]:
    """Return the brokers that are registered and not live: empty where brokers do not list them,
    which they do from Kafka 4.0 on, or do not answer."""
    version = connection.version_of(DescribeClusterRequest)
    if version is None or version < WITH_FENCED_BROKERS:
        return frozenset()
    try:
        with connection.budget.sharing():
            answer = connection.ask(DescribeClusterRequest(include_fenced_brokers=True))
    except (BrokersUnreachable, *SILENCES):
        return frozenset()
    brokers = answer.brokers if answer.error_code == 0 else ()
    return frozenset(BrokerId(each.broker_id) for each in brokers if each.is_fenced)


def read_eligible_leaders(
    connection: WireConnection, topics: Iterable[str]
) -> dict[TopicPartition, EligibleLeaders]:
    """Return the eligible leaders of the partitions of *topics*: empty where brokers do not list
    them, which they do on KRaft from Kafka 3.9 on, or do not answer."""
    names = sorted(topics)
    found: dict[TopicPartition, EligibleLeaders] = {}
    if not (names and connection.serves(DescribeTopicPartitionsRequest)):
        return found
    asked = [DescribeTopicPartitionsRequest.TopicRequest(name=name) for name in names]
    cursor = None
    try:
        with connection.budget.sharing():
            while True:
                answer = connection.ask(DescribeTopicPartitionsRequest(topics=asked, cursor=cursor))
                for topic in answer.topics:
                    for part in topic.partitions:
                        partition = TopicPartition(topic.name, part.partition_index)
                        found[partition] = EligibleLeaders(
                            tuple(map(BrokerId, part.eligible_leader_replicas or ())),
                            tuple(map(BrokerId, part.last_known_elr or ())),
                        )
                last = answer.next_cursor
                if last is None:
                    return found
                cursor = DescribeTopicPartitionsRequest.Cursor(
                    topic_name=last.topic_name, partition_index=last.partition_index
                )
    except (BrokersUnreachable, *SILENCES):
        return found


def read_features(connection: WireConnection) -> tuple[Feature, ...]:
    """Return the features that the broker which answers supports, by name; none where none
    answers.

    One that is at level 0 is not among the finalized ones, as Kafka's brokers list them.
    """
    try:
        with connection.budget.sharing():
            answer = connection.ask(ApiVersionsRequest(**SOFTWARE))
    except (BrokersUnreachable, *SILENCES):
        return ()
    levels = {each.name: each.max_version_level for each in answer.finalized_features or ()}
    return tuple(
        Feature(
            name=each.name,
            level=levels.get(each.name, 0),
            supported_min=each.min_version,
            supported_max=each.max_version,
        )
        for each in sorted(answer.supported_features or (), key=lambda each: str(each.name))
    )
