"""The groups of a partition, from the records in its log.

A new leader of the partition takes the records in their order, as many at a time as it likes, and
gives the result to its coordinator.  Of each key the last value counts, a tombstone removes it.
Offsets of a transaction wait for the marker that ends it.

Source: Kafka's GroupMetadataManager.doLoadGroupsAndOffsets.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from cluster.group.group import Group
from cluster.group.offsets import LoggedOffsets
from cluster.model.group_records import (
    GroupMetadataKey,
    GroupMetadataValue,
    GroupRecord,
    OffsetCommitKey,
    OffsetCommitValue,
    shared_partitions,
)

Offsets: TypeAlias = defaultdict[str, LoggedOffsets]
"""By group."""


class Replay:
    """The state after the records so far; the reader leaves out records with an unknown key."""

    __slots__ = ("_groups", "_offsets", "_transactional")

    def __init__(self) -> None:
        self._groups: dict[str, GroupMetadataValue] = {}
        self._offsets: Offsets = defaultdict(LoggedOffsets)
        self._transactional: dict[int, Offsets] = {}
        """By producer."""

    def take(
        self, base_offset: int, records: Iterable[GroupRecord], producer_id: int | None = None
    ) -> None:
        """Take the records of the batch at *base_offset*, in the transaction of *producer_id*."""
        offsets = self._offsets
        if producer_id is not None:
            offsets = self._transactional.setdefault(producer_id, defaultdict(LoggedOffsets))
        for key, value in records:
            if isinstance(key, OffsetCommitKey):
                group, topic, index = key
                partition = shared_partitions(topic)[index]
                if value is None:
                    offsets[group].remove(partition)
                else:
                    assert isinstance(value, OffsetCommitValue), value
                    offsets[group].put(base_offset, partition, value)
            else:
                self._take_group(key, value)

    def _take_group(self, key: GroupMetadataKey, value: object) -> None:
        if value is None:
            self._groups.pop(key.group, None)
        else:
            assert isinstance(value, GroupMetadataValue), value
            self._groups[key.group] = value

    def end_transaction(self, producer_id: int, *, is_commit: bool) -> None:
        """Take a marker: commit or forget what the producer's transaction has."""
        held = self._transactional.pop(producer_id, None)
        if held is not None and is_commit:
            for group_id, offsets in held.items():
                self._offsets[group_id].add_all(offsets)

    def groups(self, partition: int, wall_ms: int) -> Mapping[str, Group]:
        """Return the groups with their offsets, in *partition* of `__consumer_offsets`.

        Takes the offsets out: call it once.
        """
        groups = {
            group_id: Group.loaded(group_id, partition, stored)
            for group_id, stored in self._groups.items()
        }

        def group_of(group_id: str) -> Group:
            if group_id not in groups:
                # It keeps offsets only.
                groups[group_id] = Group(group_id, partition, wall_ms)
            return groups[group_id]

        for group_id, offsets in self._offsets.items():
            if offsets:
                group_of(group_id).offsets.load(offsets)
        for producer_id, by_group in self._transactional.items():
            for group_id, offsets in by_group.items():
                if offsets:
                    group_of(group_id).offsets.load_transactional(producer_id, offsets)
        return groups
