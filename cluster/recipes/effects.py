"""The effects of a contender for leadership: requests to send, and what became of it."""

from dataclasses import dataclass
from typing import TypeAlias

from cluster.recipes.attempt import MixedElection
from cluster.recipes.lease import Lease, Loss
from cluster.zk.requests import ZkRequest
from cluster.zk.steps import Refusal


@dataclass(frozen=True, slots=True)
class Send:
    """Send *requests* in the present session only, in their order, and report the replies."""

    number: int
    requests: tuple[ZkRequest, ...]


@dataclass(frozen=True, slots=True)
class Elected:
    lease: Lease


@dataclass(frozen=True, slots=True)
class Renewed:
    """The lease of the same leadership, which goes on for longer."""

    lease: Lease


@dataclass(frozen=True, slots=True)
class Deposed:
    """*lease* is the last one: until it is over, no other contender leads."""

    lease: Lease
    loss: Loss


@dataclass(frozen=True, slots=True)
class Left:
    """Nothing of this contender is left in ZooKeeper, or in sessions that are live."""


@dataclass(frozen=True, slots=True)
class Failed:
    """It cannot contend; nothing of it is left, as far as ZooKeeper allows that."""

    error: Refusal | MixedElection


Effect: TypeAlias = Send | Elected | Renewed | Deposed | Left | Failed
