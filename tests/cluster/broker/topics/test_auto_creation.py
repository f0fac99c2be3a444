"""Is the offsets topic created as its configs say, and is a lack of brokers told once?"""

from types import SimpleNamespace
from typing import Any

from cluster.broker.metadata_cache import LiveBroker, MetadataCache
from cluster.broker.ports import ApiSettings, GroupSettings
from cluster.broker.topics.auto_creation import AutoCreation
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import OFFSETS_TOPIC, BrokerId
from tests.sim.ports import SimJournal

ONE = BrokerId(1)


def creating(**settings: Any) -> tuple[AutoCreation, list[Any], SimJournal]:
    """What creates, what it has created, and what it says."""
    cache = MetadataCache()
    cache.update(ONE, [LiveBroker(ONE, {}, None)], ())
    created: list[Any] = []
    journal = SimJournal()
    ports: Any = SimpleNamespace(
        settings=ApiSettings(**settings),
        random_stream=SimpleNamespace(below=lambda bound: 0, unique_id=lambda: b"\1" * 16),
        store=SimpleNamespace(create_topic=lambda *args: created.append(args)),
        journal=journal,
    )
    return AutoCreation(ports, cache), created, journal


def test_clients_and_coordinators_create_the_offsets_topic_alike() -> None:
    groups = GroupSettings(partition_count=3, replication_factor=1, segment_size=1000)
    for_client, by_client, _ = creating(groups=groups)
    for_group, by_group, _ = creating(groups=groups, auto_creates_topics=False)

    assert ErrorCode.LEADER_NOT_AVAILABLE is for_client.ask_for(OFFSETS_TOPIC, is_allowed=True)
    assert for_group.creates_offsets_topic()
    assert for_group.creates_offsets_topic()

    ((topic, _, layout, configs, _),) = by_group
    assert (topic, layout, configs) == (by_client[0][0], *by_client[0][2:4])
    assert (OFFSETS_TOPIC, 3, "1000") == (topic, len(layout), configs["segment.bytes"])


def test_a_lack_of_brokers_is_told_once() -> None:
    creation, created, journal = creating()

    for _ in range(3):
        assert not creation.creates_offsets_topic()

    assert [] == created
    assert 1 == len(journal.warnings)
