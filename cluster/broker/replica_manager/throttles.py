"""The throttles of a broker's replication, and the configs that set them.

The rates are the broker's (`leader.replication.throttled.rate`, and the follower's); each topic
names the throttled replicas (`….throttled.replicas`).  Both change while brokers run: that is how a
reassignment is slowed down, and how the throttle is removed.

Source: Kafka's QuotaFactory and ConfigHandler.
"""

from typing import Final

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import (
    FOLLOWER_RATE,
    LEADER_RATE,
    LOG_DIR_RATE,
)
from cluster.broker.configs.topic_configs import EffectiveTopicConfigs
from cluster.model.ids import BrokerId
from cluster.replication.throttle import NO_RATE, ReplicationThrottle, throttled_partitions

NOBODY: Final = ""


class Throttles:
    """*leader* bounds what is sent to followers, *follower* what is fetched from leaders; and
    *log_dirs* what is copied from one log directory to another, of whatever topic."""

    __slots__ = ("follower", "leader", "log_dirs")

    def __init__(self) -> None:
        self.leader = ReplicationThrottle()
        self.follower = ReplicationThrottle()
        self.log_dirs = ReplicationThrottle()

    def set_rates(self, configs: BrokerConfigs) -> None:
        """Apply the broker's current rates."""
        self.leader.rate = int(configs.text(LEADER_RATE) or NO_RATE)
        self.follower.rate = int(configs.text(FOLLOWER_RATE) or NO_RATE)
        self.log_dirs.rate = int(configs.text(LOG_DIR_RATE) or NO_RATE)

    def set_replicas(self, topic: str, broker_id: BrokerId, configs: EffectiveTopicConfigs) -> None:
        """Throttle the replicas of *broker_id* that the configs of *topic* name."""
        for throttle, text in (
            (self.leader, configs.throttled_leaders),
            (self.follower, configs.throttled_followers),
        ):
            if text == NOBODY:
                throttle.release(topic)
            else:
                throttle.throttle(topic, throttled_partitions(text, broker_id))
