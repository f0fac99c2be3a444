"""The active controller: the state of a broker while it is the controller, dropped on resignation.

Combines the controller context, the channels to the brokers, the fences and the wanted effects.
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
    """How often the leaders are checked, and the percentage of the partitions preferring a broker
    that others may lead before the preferred leaders are elected.
    """

    interval_ms: int
    imbalance_percentage: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ControllerConfig:
    """The part of the broker's configuration that the controller uses.

    *may_delete_topics* is `delete.topic.enable`.  *gives_topic_ids*: topics without an id get one,
    as from 2.8 on.  *writes_traces*: the TRACE lines of state-change.log are written too.
    *leader_rebalance* is None without `auto.leader.rebalance.enable`.  Without *publishes_metadata*
    brokers get no UpdateMetadata: a simulation has no clients, and with many brokers these are
    nearly all of its orders.

    *partitions_in_a_turn*: how many of the partitions of new topics get their first leaders, and of
    deleted ones lose their logs, before other work has its turn.
    """

    broker_id: BrokerId
    may_delete_topics: bool = True
    gives_topic_ids: bool = True
    writes_traces: bool = False
    leader_rebalance: LeaderRebalance | None = None
    publishes_metadata: bool = True
    partitions_in_a_turn: int = 500


class ControllerMoved(Exception):
    """A write met its fence, or a newer controller epoch was seen: this controller has been
    replaced.
    """


class ControllerEpochFell(Exception):
    """A broker knows a later controller epoch than this one's, and there is no other controller:
    `/controller_epoch` was restored or written by hand.
    """


@dataclass(slots=True)
class ActiveController:
    """One controller epoch, from the election to the resignation.

    *effects* is what the shell still has to carry out.  The core owns the list, so that the effects
    of procedures and of the core keep their order.
    """

    config: ControllerConfig
    client: Client
    epoch: ControllerEpochNode
    channels: Channels
    new_topic_id: Callable[[], str]
    effects: list[Effect]
    context: ControllerContext = field(default_factory=ControllerContext)
    rebalance_at_ms: int | None = None
    """When preferred leadership is checked next; None while a check waits in the queue."""
    unclean_election_count: int = 0
    """Elections of leaders outside of the ISR that the metrics have not counted yet."""

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
        """Write a line of state-change.log; TRACE lines only where the configuration wants them."""
        self.effects.append(LogStateChange(line))

    def note(self, text: str, level: Level = Level.INFO) -> None:
        """Write a line of controller.log."""
        self.effects.append(Log(level, f"controller={self.config.broker_id} {text}"))
