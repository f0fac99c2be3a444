"""What a simulation has found, as values."""

from dataclasses import dataclass
from typing import NamedTuple

from cluster.model.ids import BrokerId, TopicPartition


class Stages(NamedTuple):
    """A number before, at its highest, and after all of it."""

    before: int
    peak: int
    after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerStages:
    """A broker's replicas and leaders; the bytes are None where no sizes are known.

    One that fails keeps its replicas, and leads none.
    """

    broker: BrokerId
    rack: str | None
    state: str
    replicas: Stages
    leaders: Stages
    size_bytes: Stages | None


class Change(NamedTuple):
    """A partition's leader, None for none, and its ISR before and after."""

    partition: TopicPartition
    leader_before: BrokerId | None
    leader_after: BrokerId | None
    isr_before: tuple[BrokerId, ...]
    isr_after: tuple[BrokerId, ...]
    min_isr: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulationReport:
    """The partitions that *offline* lists lose their last leader, those of *under_min_isr* come
    under it and keep a leader; *unclean* get a leader that may lack records.  *moved* get another
    leader, without those; *online* get one that had none, *still_offline* had and have none.
    Of *shrunk*, whatever else happens to them, the ISR is smaller.

    *scenario* has a sentence for each thing that happens; *left_out* is what was not simulated.
    """

    scenario: tuple[str, ...]
    partition_count: int
    offline: tuple[Change, ...]
    under_min_isr: tuple[Change, ...]
    unclean: tuple[Change, ...]
    moved: tuple[Change, ...]
    online: tuple[Change, ...]
    shrunk: tuple[Change, ...]
    still_offline: tuple[TopicPartition, ...]
    brokers: tuple[BrokerStages, ...]
    moved_replicas: int
    moved_bytes: int | None
    left_out: tuple[str, ...] = ()
