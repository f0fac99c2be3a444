"""The active controller: what a broker has while it is the controller, and loses when it resigns.

Ties together what it knows, the channels to the brokers, its fences, and the effects that it wants.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from cluster.controller.channel import Channels
from cluster.controller.context import ControllerContext
from cluster.controller.effects import Effect, Log, LogStateChange
from cluster.coordination.client import Client
from cluster.coordination.transaction import Fence
from cluster.model.controller import ControllerEpochNode
from cluster.model.ids import BrokerId, ControllerEpoch, ZkVersion
from cluster.statechange.controller import ControllerTag
from cluster.statechange.line import Level, StateChangeLine


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderRebalance:
    """How often leaders are looked at, and how many percent of the partitions that prefer a broker
    may be led by others before something is done about it.
    """

    interval_ms: int
    imbalance_percentage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """What the controller takes from its broker's configuration.

    *may_delete_topics* is `delete.topic.enable`.  *gives_topic_ids*: topics that have no id get
    one, as from 2.8 on.  *writes_traces*: the TRACE lines of state-change.log are wanted too.
    *leader_rebalance* is None without `auto.leader.rebalance.enable`.
    """

    broker_id: BrokerId
    may_delete_topics: bool = True
    gives_topic_ids: bool = True
    writes_traces: bool = False
    leader_rebalance: LeaderRebalance | None = None


class ControllerMoved(Exception):
    """A write was fenced off, or a newer controller's epoch was seen: this one is over."""


@dataclass(slots=True)
class ActiveController:
    """One controller epoch, from the election to the resignation.

    *effects* is what the shell still has to do; the list is the core's own, so that what procedures
    and core want done keeps its order.
    """

    config: ControllerConfig
    client: Client
    epoch: ControllerEpochNode
    channels: Channels
    new_topic_id: Callable[[], str]
    effects: list[Effect]
    context: ControllerContext = field(default_factory=ControllerContext)
    rebalance_at_ms: int | None = None
    """When it is looked next whether preferred leaders lead; None while it waits for its turn."""

    @classmethod
    def begin(
        cls,
        config: ControllerConfig,
        client: Client,
        epoch: ControllerEpochNode,
        correlation_ids: Iterator[int],
        new_topic_id: Callable[[], str],
        effects: list[Effect],
    ) -> "ActiveController":
        return cls(config, client, epoch, Channels(correlation_ids), new_topic_id, effects)

    @property
    def controller_epoch(self) -> ControllerEpoch:
        return self.epoch.epoch

    @property
    def epoch_zk_version(self) -> ZkVersion:
        return self.epoch.epoch_zk_version

    @property
    def fence(self) -> Fence:
        return Fence(self.epoch_zk_version)

    @property
    def tag(self) -> ControllerTag:
        return ControllerTag(self.config.broker_id, self.epoch.epoch)

    def log(self, line: StateChangeLine) -> None:
        """Write a line of state-change.log; TRACE lines are made only where they are wanted."""
        self.effects.append(LogStateChange(line))

    def note(self, text: str, level: Level = Level.INFO) -> None:
        """Say something in controller.log."""
        self.effects.append(Log(level, f"controller={self.config.broker_id} {text}"))
