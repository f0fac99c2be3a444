"""Topic configs, applied to the logs and replicas of the partitions that this broker has.

A topic's overrides stand in ZooKeeper, and are known here from when the broker has a partition of
it; what they do not set, the broker's own configs do.
Source: Kafka's TopicConfigHandler.
"""

from collections.abc import Iterable, Mapping

from cluster.broker.configs.topic_configs import (
    EffectiveTopicConfigs,
    throttle_problems,
)
from cluster.broker.ports import Ports
from cluster.broker.replica_manager.partitions import Partitions
from cluster.broker.replica_manager.throttles import Throttles
from cluster.coordination.client_requests import TopicOverrides
from cluster.model.api_error import ApiError
from cluster.storage.errors import InvalidLogConfig


class TopicConfigHandler:
    """The overrides of the topics that this broker has partitions of."""

    __slots__ = ("_damaged", "_overrides", "_partitions", "_ports", "_throttles")

    def __init__(self, ports: Ports, partitions: Partitions, throttles: Throttles) -> None:
        self._ports = ports
        self._partitions = partitions
        self._throttles = throttles
        self._overrides: dict[str, Mapping[str, str]] = {}
        self._damaged: dict[str, ApiError] = {}
        """Of the topics that were learned last, those whose overrides cannot be read."""

    def learn(self, overrides: TopicOverrides) -> None:
        """Note the overrides of topics of which this broker is about to have partitions.

        What is known of topics that it has none of any more is forgotten.
        """
        hosted = self._partitions.of_topic
        self._overrides = {topic: own for topic, own in self._overrides.items() if hosted(topic)}
        self._damaged.clear()
        for topic, own in overrides.items():
            if isinstance(own, ApiError):
                self._damaged[topic] = own
            else:
                self._overrides[topic] = own
                self._tell_of_throttles(topic, own)

    def change(self, topic: str, overrides: Mapping[str, str]) -> None:
        """Apply *overrides* of *topic* from now on, or keep the old ones if these are invalid."""
        if self._damaged.pop(topic, None) is None and topic not in self._overrides:
            return
        self._overrides[topic] = overrides
        self._tell_of_throttles(topic, overrides)
        if self._partitions.of_topic(topic) and self._apply_all((topic,)):
            self._ports.journal.info(f"topic {topic} has new configs: {dict(overrides)}")

    def _tell_of_throttles(self, topic: str, overrides: Mapping[str, str]) -> None:
        for problem in throttle_problems(overrides).values():
            self._ports.journal.error(f"topic {topic}: no replica is held back: {problem}")

    def configs_of(self, topic: str) -> EffectiveTopicConfigs:
        """Return the configs of a topic as they are known now.

        Raises:
            InvalidLogConfig: its overrides are damaged, or cannot be served.
        """
        if topic in self._damaged:
            raise InvalidLogConfig([str(self._damaged[topic].message)])
        return self._parse(self._overrides.get(topic, {}))

    def settle(self, topics: Iterable[str]) -> None:
        """Apply the current configs of *topics*.

        What has changed while their partitions were taken over, or since their logs were opened,
        holds for them, too.
        """
        self._apply_all(topic for topic in topics if topic in self._overrides)

    def defaults_changed(self) -> None:
        """Apply the broker's own current configs, as far as topics do not override them."""
        self._apply_all(self._overrides)

    def _apply_all(self, topics: Iterable[str]) -> bool:
        """Apply the configs of *topics*; False when one of them stays as it was."""
        plain: EffectiveTopicConfigs | None = None
        all_are_applied = True
        for topic in topics:
            overrides = self._overrides[topic]
            try:
                # Most topics override nothing: their configs are the same, and parsed once.
                configs = plain if plain is not None and not overrides else self._parse(overrides)
            except InvalidLogConfig as error:
                self._ports.journal.error(f"topic {topic} keeps its configs: {error}")
                all_are_applied = False
                continue
            if not overrides:
                plain = configs
            self._apply(topic, configs)
        return all_are_applied

    def _parse(self, overrides: Mapping[str, str]) -> EffectiveTopicConfigs:
        defaults = self._ports.settings.topic_defaults
        return EffectiveTopicConfigs.parse(defaults, overrides)

    def _apply(self, topic: str, configs: EffectiveTopicConfigs) -> None:
        self._throttles.set_replicas(topic, self._ports.registration.broker_id, configs)
        for hosted in self._partitions.of_topic(topic):
            if hosted.log.config != configs.log:
                hosted.log.reconfigure(configs.log)
            hosted.replica.set_min_isr(configs.min_isr)
            hosted.replica.recount(self._ports.clock.now_ms())
