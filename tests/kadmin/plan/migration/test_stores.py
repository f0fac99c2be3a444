"""Facts of ZooKeeper and of the metadata log of KRaft, and how they differ."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from cluster.formats.metadata_records import MetadataRecord, decoded
from cluster.formats.records import Record
from cluster.model.acl import AclEntry, ResourceAcls, ResourcePattern, ResourceType
from cluster.model.cluster import ProducerIdBlock
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.ids import BrokerId
from cluster.model.token import DelegationToken
from cluster.model.topic_id import topic_id_bytes, topic_id_text
from cluster.wire.messages.metadata_records import (
    AbortTransactionRecord,
    AccessControlEntryRecord,
    BeginTransactionRecord,
    ClientQuotaRecord,
    ConfigRecord,
    DelegationTokenRecord,
    EndTransactionRecord,
    EntityData,
    NoOpRecord,
    PartitionChangeRecord,
    PartitionRecord,
    ProducerIdsRecord,
    RemoveAccessControlEntryRecord,
    RemoveDelegationTokenRecord,
    RemoveTopicRecord,
    RemoveUserScramCredentialRecord,
    TopicRecord,
    UserScramCredentialRecord,
)
from kadmin.plan.migration.store_diff import StoreReport, differences, store_report
from kadmin.plan.migration.stores import Fact, Facts, MetadataImage, facts_of_zookeeper
from tests.cluster.formats.metadata_records import value_of
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.migration.evidence import calm, migration, with_snapshot

ID = bytes(range(16))
RULE_ID = bytes(15) + b"\1"


def image_of(*messages: tuple[Any, ...]) -> MetadataImage:
    image = MetadataImage()
    for offset, message in enumerate(messages):
        record = decoded(Record(offset, 0, None, value_of(message, 0)))
        assert isinstance(record, MetadataRecord)
        image.replay(offset, record)
    return image


def partition(number: int, replicas: Sequence[int], leader: int) -> PartitionRecord:
    return PartitionRecord(
        number, ID, replicas, replicas, leader=leader, leader_epoch=0, partition_epoch=0
    )


TOPIC = (TopicRecord("t", ID), partition(0, [0, 1], 0), partition(1, [1, 0], 1))


def facts_of_topic() -> Facts:
    """Return what ZooKeeper has of `calm`, with the id that TOPIC has."""
    facts = facts_of_zookeeper(calm())
    return {**facts, Fact("topic t", "id"): image_of(*TOPIC).facts()[Fact("topic t", "id")]}


def test_a_copied_topic_is_equal_in_both() -> None:
    assert set() == differences(facts_of_topic(), image_of(*TOPIC).facts())


@pytest.mark.parametrize(
    ("text", "value"),
    [(" 8 ", 8.0), ("8d", 8.0), ("0x1p3", 8.0), ("-0x1p9999", -math.inf), ("NaN", math.nan)],
)
def test_quotas_are_equal_by_their_value(text: str, value: float) -> None:
    ann = ConfigEntity(Entity(EntityKind.USERS, "ann"))
    configs = {ann: ConfigOverrides(values={"request_percentage": text})}
    record = ClientQuotaRecord([EntityData("user", "ann")], "request_percentage", value)

    copied = facts_of_zookeeper(calm(configs=configs)).items() - facts_of_zookeeper(calm()).items()

    assert image_of(record).facts() == dict(copied)


@pytest.mark.parametrize("text", ["padded", "with other last bits"])
def test_a_topic_id_that_kafka_reads_as_the_same_is_equal(text: str) -> None:
    canonical = topic_id_text(ID)
    last = chr(ord(canonical[-1]) + 1)
    written = {"padded": f"{canonical}==", "with other last bits": f"{canonical[:-1]}{last}"}[text]
    snapshot = calm().snapshot
    named = replace(snapshot.topics["t"].assignment, topic_id=written)
    topics = {"t": replace(snapshot.topics["t"], assignment=named)}

    facts = facts_of_zookeeper(calm(snapshot=replace(snapshot, topics=topics)))

    assert canonical == facts[Fact("topic t", "id")]


def test_ids_are_those_of_the_log() -> None:
    assert ID == topic_id_bytes(image_of(*TOPIC).facts()[Fact("topic t", "id")])


@pytest.mark.parametrize(
    ("message", "thing", "expected"),
    [
        (
            PartitionChangeRecord(0, ID, isr=[1], leader=1),
            "partition t-0",
            {"isr", "leader", "leader_epoch"},
        ),
        (PartitionChangeRecord(0, ID, isr=[]), "partition t-0", {"isr"}),
        (PartitionChangeRecord(0, ID, leader=0), "partition t-0", {"leader_epoch"}),
        (PartitionChangeRecord(1, ID, adding_replicas=[2]), "partition t-1", {"adding_replicas"}),
        (ConfigRecord(2, "t", "retention.ms", "1"), "topic t", {"config retention.ms"}),
        (
            ConfigRecord(4, "", "log.cleaner.threads", "2"),
            "default brokers",
            {"config log.cleaner.threads"},
        ),
        (
            ClientQuotaRecord(
                [EntityData("user", "ann"), EntityData("client-id", None)],
                "producer_byte_rate",
                1.0,
            ),
            "user 'ann', default client-id",
            {"quota producer_byte_rate"},
        ),
        (
            UserScramCredentialRecord("ann", 1, b"s", b"k", b"v", 4096),
            "user 'ann'",
            {"SCRAM-SHA-256"},
        ),
        (
            AccessControlEntryRecord(RULE_ID, 2, "t", 3, "User:ann", "*", 3, 3),
            "TOPIC 't' (LITERAL)",
            {"ACL Allow Read User:ann *"},
        ),
        (ProducerIdsRecord(0, -1, 2000), "producer ids", {"next"}),
        (
            DelegationTokenRecord("User:a", "User:a", [], 1, 3, 2, "x"),
            "token x",
            {"owner", "requester", "renewers", "expires", "maximum"},
        ),
        (NoOpRecord(), "", set()),
    ],
)
def test_each_change_of_the_log_is_a_difference(
    message: tuple[Any, ...], thing: str, expected: set[str]
) -> None:
    found = differences(facts_of_topic(), image_of(*TOPIC, message).facts())

    assert {(thing, name) for name in expected} == {
        (each.fact.thing, each.fact.name) for each in found
    }


@pytest.mark.parametrize(
    ("made", "removed"),
    [
        ((ConfigRecord(2, "t", "a", "1"),), ConfigRecord(2, "t", "a", None)),
        (
            (ClientQuotaRecord([EntityData("ip", "::1")], "a", 1.0),),
            ClientQuotaRecord([EntityData("ip", "::1")], "a", 0.0, True),
        ),
        (
            (UserScramCredentialRecord("ann", 2, b"s", b"k", b"v", 4096),),
            RemoveUserScramCredentialRecord("ann", 2),
        ),
        (
            (AccessControlEntryRecord(RULE_ID, 2, "t", 4, "User:a", "*", 3, 2),),
            RemoveAccessControlEntryRecord(RULE_ID),
        ),
        (
            (DelegationTokenRecord("User:a", "User:a", [], 1, 3, 2, "x"),),
            RemoveDelegationTokenRecord("x"),
        ),
        ((BeginTransactionRecord("copy"), *TOPIC), AbortTransactionRecord("why")),
        ((*TOPIC, ConfigRecord(2, "t", "a", "1")), RemoveTopicRecord(ID)),
    ],
)
def test_what_is_removed_is_gone(
    made: tuple[tuple[Any, ...], ...], removed: tuple[Any, ...]
) -> None:
    assert {} == image_of(*made, removed).facts()


def test_a_transaction_counts_from_its_end() -> None:
    begun = (BeginTransactionRecord("copy"), *TOPIC)

    assert {} == image_of(*begun).facts()
    assert image_of(*TOPIC).facts() == image_of(*begun, EndTransactionRecord()).facts()


def test_everything_else_in_zookeeper_has_its_counterpart() -> None:
    ann = Entity(EntityKind.USERS, "ann")
    resource = ResourcePattern(ResourceType.TOPIC, "t")
    credential = "salt=cw==,stored_key=aw==,server_key=dg==,iterations=4096"
    evidence = with_snapshot(
        cluster(brokers("0"), topic("gone", "0", marked=True)),
        configs={
            ConfigEntity(ann): ConfigOverrides(values={"SCRAM-SHA-256": credential}),
            ConfigEntity(ann, Entity(EntityKind.CLIENTS, None)): ConfigOverrides(
                values={"producer_byte_rate": "1"}
            ),
            ConfigEntity(Entity(EntityKind.BROKERS, "0")): ConfigOverrides(
                values={"ssl.keystore.password": "encoded:text"}
            ),
        },
        acls={
            resource: ResourceAcls(
                entries=(
                    AclEntry(
                        principal="User:ann", permission_type="Allow", operation="Read", host="*"
                    ),
                )
            )
        },
        tokens=(
            DelegationToken(
                token_id="x",
                owner="User:a",
                requester="User:b",
                renewers=("User:d", "User:c"),
                issue_timestamp_ms=1,
                expiry_timestamp_ms=2,
                max_timestamp_ms=3,
            ),
        ),
        producer_ids=ProducerIdBlock(broker_id=BrokerId(0), first=1000, last=1999),
    )
    image = image_of(
        UserScramCredentialRecord("ann", 1, b"s", b"k", b"v", 4096),
        ClientQuotaRecord(
            [EntityData("client-id", None), EntityData("user", "ann")], "producer_byte_rate", 1.0
        ),
        ConfigRecord(4, "0", "ssl.keystore.password", "plain"),
        AccessControlEntryRecord(RULE_ID, 2, "t", 3, "User:ann", "*", 3, 3),
        DelegationTokenRecord("User:a", "User:b", ["User:c", "User:d"], 1, 3, 2, "x"),
        ProducerIdsRecord(0, -1, 2000),
    )

    assert image.facts() == facts_of_zookeeper(evidence)


def test_a_block_that_kraft_has_written_is_the_next_one() -> None:
    evidence = calm(producer_ids=ProducerIdBlock(broker_id=BrokerId(-1), first=2000, last=2999))

    assert "2000" == facts_of_zookeeper(evidence)[Fact("producer ids", "next")]


def test_a_difference_in_one_look_of_two_is_of_a_write_under_way() -> None:
    equal, more = image_of(*TOPIC), image_of(*TOPIC, ProducerIdsRecord(0, -1, 2000))
    zookeeper = facts_of_topic()

    def judged(*images: MetadataImage) -> StoreReport:
        looks = [(zookeeper, each.facts()) for each in images]
        return store_report(looks, images[-1], migration(2), ())

    writing, lasting, calmed = judged(equal, more), judged(more, more), judged(more, equal)

    assert (0, 1, False) == (len(writing.differences), writing.in_flight, writing.is_equal)
    assert (1, 0, True) == (len(lasting.differences), lasting.in_flight, lasting.is_behind)
    assert (True, False) == (calmed.is_equal, calmed.is_behind)


@pytest.mark.parametrize(("written", "is_behind"), [(2, False), (3, True)])
def test_a_log_that_ends_before_what_zookeeper_has_is_behind(
    written: int, *, is_behind: bool
) -> None:
    image = image_of(*TOPIC)
    image.end_offset = 3

    report = store_report([({}, {})], image, migration(written), ())

    assert is_behind == report.is_log_behind
