"""What a supervisor wants done, what it learns in return, and what it reports.

Each effect is answered once, and the next follows the answer.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.supervision.progress import RunProgress
from kadmin.plan.supervision.run import MoveRun
from kadmin.plan.supervision.view import View


@dataclass(frozen=True, slots=True)
class Look:
    """Read the journal, then the cluster; all that is written next is fenced by what was read.
    Answered by `Seen`."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Replace the journal that was read by *run*.  Answered by a `Done` or `Conflicted`."""

    run: MoveRun


@dataclass(frozen=True, slots=True)
class Slow:
    """Set the throttle of *run* for all its partitions.  Answered by a `Done`, which names the
    brokers where it is not set, or `Conflicted`."""

    run: MoveRun


@dataclass(frozen=True, slots=True)
class PutBack:
    """Restore the throttles of before.  Answered by a `Done`, which names the brokers where they
    stay, or `Conflicted` as long as something moves for which they may be meant."""


@dataclass(frozen=True, slots=True)
class Ask:
    """Have the controller move partitions to *targets*.  Answered by `Asked` or `Conflicted`."""

    targets: Mapping[TopicPartition, tuple[BrokerId, ...]]


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Have the controller give the moves of *origins* up, which were the replicas of before.
    Answered by `Asked` or `Conflicted`."""

    origins: Mapping[TopicPartition, tuple[BrokerId, ...]]


@dataclass(frozen=True, slots=True)
class Pause:
    """Go on in *ms*.  Answered by a `Done`."""

    ms: int


@dataclass(frozen=True, slots=True)
class Report:
    """Show *notice* to the operator.  Answered by a `Done`."""

    notice: "Notice"


Effect: TypeAlias = Look | Keep | Slow | PutBack | Ask | GiveUp | Pause | Report


@dataclass(frozen=True, slots=True)
class Seen:
    """*run* is None where the journal is gone."""

    run: MoveRun | None
    view: View


@dataclass(frozen=True, slots=True)
class Done:
    """It is done, but for *silent* brokers, which do not answer."""

    silent: frozenset[BrokerId] = frozenset()


@dataclass(frozen=True, slots=True)
class Conflicted:
    """Nothing was written, or not all of it: it is not any more what was read."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The controller was asked, and refuses *refused*, with its reasons; not for those that are
    *held*, of which it is known that it would refuse them now."""

    refused: Mapping[TopicPartition, str]
    held: Mapping[TopicPartition, str] = field(default_factory=dict)


Answer: TypeAlias = Seen | Done | Conflicted | Asked


@dataclass(frozen=True, slots=True)
class Begun:
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class GivenUp:
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class Arrived:
    partitions: tuple[TopicPartition, ...]


@dataclass(frozen=True, slots=True)
class Refused:
    reasons: Mapping[TopicPartition, str]


@dataclass(frozen=True, slots=True)
class Throttled:
    """The throttle is *rate* bytes per s now, because of *reason*; None for restored."""

    rate: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Advanced:
    """How far the run is; once an interval."""

    progress: RunProgress


@dataclass(frozen=True, slots=True)
class Ended:
    """The run has ended; a preferred election would give *to_elect* other leaders."""

    run: MoveRun
    to_elect: tuple[TopicPartition, ...] = ()


Notice: TypeAlias = Begun | GivenUp | Arrived | Refused | Throttled | Advanced | Ended
