"""Metrics of brokers and topics, by the names of danielqsj's kafka_exporter."""

from collections.abc import Iterator, Mapping

from cluster.model.address import host_and_port
from cluster.model.broker import BrokerRegistration
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from kadmin.plan.groups.lag import Logs
from kadmin.render.exposition.text import NO_LABELS, Family, labels
from kadmin.reports.exported import Exported


def cluster_families(exported: Exported) -> Iterator[Family]:
    brokers = exported.brokers
    yield Family(
        "kafka_brokers", "Brokers that other brokers know as live.", {NO_LABELS: len(brokers)}
    )
    yield Family(
        "kafka_broker_info",
        "Always 1: the address of a broker.",
        {labels(id=each, address=address(broker)): 1 for each, broker in brokers.items()},
    )
    yield Family(
        "kafka_topic_partitions",
        "Partitions of a topic.",
        {
            labels(topic=topic.name): len(topic.assignment.partitions)
            for topic in exported.topics.values()
        },
    )
    texts = {
        TopicPartition(topic.name, number): labels(topic=topic.name, partition=number)
        for topic in exported.topics.values()
        for number in topic.assignment.partitions
    }
    yield from offset_families(exported.logs, texts)
    yield from state_families(exported, texts)


def address(broker: BrokerRegistration) -> str:
    """The one that was asked for: of the listener by which the brokers were read."""
    endpoint = broker.endpoints[0]
    return host_and_port(endpoint.host, endpoint.port)


def offset_families(logs: Logs, texts: Mapping[TopicPartition, str]) -> Iterator[Family]:
    """A partition of which no leader returned an offset has none here."""
    yield Family(
        "kafka_topic_partition_current_offset",
        "The end of a partition: the offset of the next record, as consumers see it.",
        {text: logs.ends[each] for each, text in texts.items() if each in logs.ends},
    )
    yield Family(
        "kafka_topic_partition_oldest_offset",
        "The start of a partition: the offset of its oldest record.",
        {text: logs.starts[each] for each, text in texts.items() if each in logs.starts},
    )


def state_families(exported: Exported, texts: Mapping[TopicPartition, str]) -> Iterator[Family]:
    leaders: dict[str, float] = {}
    counts: dict[str, float] = {}
    in_sync: dict[str, float] = {}
    preferred: dict[str, float] = {}
    lacking: dict[str, float] = {}
    for each, text in texts.items():
        topic = exported.topics[each.topic]
        replicas = topic.assignment.partitions[each.partition].replicas
        state: PartitionState | None = topic.states.get(each.partition)
        leader: BrokerId = NO_LEADER if state is None else state.leader
        isr = () if state is None else state.isr
        if leader != NO_LEADER:
            leaders[text] = leader
        counts[text] = len(replicas)
        in_sync[text] = len(isr)
        preferred[text] = int(bool(replicas) and leader == replicas[0])
        lacking[text] = int(len(isr) < len(replicas))
    name = "kafka_topic_partition"
    yield Family(f"{name}_leader", "The id of the leader; none without one.", leaders)
    yield Family(f"{name}_replicas", "Replicas of a partition.", counts)
    yield Family(f"{name}_in_sync_replica", "Replicas in the ISR of a partition.", in_sync)
    yield Family(
        f"{name}_leader_is_preferred", "1 where the preferred replica leads, else 0.", preferred
    )
    yield Family(
        f"{name}_under_replicated_partition",
        "1 where a replica is not in the ISR, else 0.",
        lacking,
    )
