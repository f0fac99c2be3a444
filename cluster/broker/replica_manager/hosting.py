"""The start of hosting a partition: its log, the topic's id beside it, and its replica."""

from contextlib import suppress
from dataclasses import dataclass

from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.log_dir_moves import LogDirMoves
from cluster.broker.replica_manager.partitions import HostedPartition, Partitions
from cluster.formats.errors import CorruptFileError
from cluster.model.ids import TopicPartition
from cluster.model.topic_id import NO_TOPIC_ID, topic_id_bytes, topic_id_text
from cluster.replication.replica import IsrRules, Replica
from cluster.storage.directories.properties import read_topic_id, write_topic_id
from cluster.storage.log.partition_log import PartitionLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Hosting:
    """Creates the partitions of this broker, and knows the ids of their topics."""

    ports: Ports
    partitions: Partitions
    isr_rules: IsrRules
    log_dir_moves: LogDirMoves

    def is_offline(self, partition: TopicPartition) -> bool:
        """Return whether its log is in a directory that has failed."""
        log = self.ports.logs.log(partition)
        return log is not None and log.is_offline

    def has_failed(self, directory: str) -> bool:
        """Return whether that log directory has failed."""
        return any(
            one.path == directory and one.health.failure for one in self.ports.logs.directories
        )

    def topic_id(self, partition: TopicPartition) -> bytes:
        """Return the id that its topic has in memory or on disk; NO_TOPIC_ID without one.

        Raises:
            KafkaStorageError: the log directory fails.
        """
        hosted = self.partitions.find(partition)
        if hosted is not None:
            return hosted.topic_id
        log = self.ports.logs.log(partition)
        if log is None:
            return NO_TOPIC_ID
        try:
            return self._stored_topic_id(log)
        except (CorruptFileError, ValueError) as error:
            # Without a readable id the log may be another topic's of the same name: as Kafka, trust
            # the controller.
            self.ports.journal.warning(f"{log.directory}: no topic id can be read: {error}")
            return NO_TOPIC_ID

    def take_topic_id(self, hosted: HostedPartition, topic_id: bytes) -> None:
        """Set the topic id of a partition that has none.

        Raises:
            KafkaStorageError: the log directory fails.
        """
        self._write_topic_id(hosted.log, topic_id)
        self.partitions.learn_id(hosted, topic_id)

    def host(
        self,
        partition: TopicPartition,
        topic_id: bytes,
        configs: EffectiveTopicConfigs,
        *,
        is_new: bool,
    ) -> HostedPartition:
        """Host *partition*, with an empty log where there is none.

        Raises:
            KafkaStorageError: its directory is offline, or no directory is left to make it in.
        """
        log = self._log_of(partition, topic_id, configs, is_new)
        directory = self.ports.logs.directory_of(partition)
        assert directory is not None
        replica = Replica(
            self.ports.registration.broker_id,
            directory.high_watermark(partition),
            configs.min_isr,
            self.isr_rules,
        )
        hosted = HostedPartition(partition, replica, log, topic_id)
        hosted.assert_committed()
        self.partitions.add(hosted)
        self.log_dir_moves.resume(hosted)
        return hosted

    def _log_of(
        self,
        partition: TopicPartition,
        topic_id: bytes,
        configs: EffectiveTopicConfigs,
        is_new: bool,
    ) -> PartitionLog:
        logs = self.ports.logs
        is_there = logs.log(partition) is not None
        log = logs.get_or_create(
            partition,
            configs.log,
            None if topic_id == NO_TOPIC_ID else topic_id_text(topic_id),
            self.ports.clock.now_ms(),
            is_new=is_new,
        )
        if not is_there:
            # It was begun with its id.
            return log
        stored_id = NO_TOPIC_ID
        # What cannot be read was said when the order was looked at.
        with suppress(CorruptFileError, ValueError):
            stored_id = self._stored_topic_id(log)
        if stored_id != topic_id and topic_id != NO_TOPIC_ID:
            self._write_topic_id(log, topic_id)
        return log

    def _stored_topic_id(self, log: PartitionLog) -> bytes:
        with log.health.guard():
            text = read_topic_id(self.ports.files, log.directory)
        return NO_TOPIC_ID if text is None else topic_id_bytes(text)

    def _write_topic_id(self, log: PartitionLog, topic_id: bytes) -> None:
        with log.health.guard():
            write_topic_id(self.ports.files, log.directory, topic_id_text(topic_id))
