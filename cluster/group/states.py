"""The states of a group, their order, and the requests that each refuses.

Source: Kafka's GroupState and GroupCoordinator.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from cluster.model.error_codes import ErrorCode


class GroupState(StrEnum):
    """Named as DescribeGroups and ListGroups show them."""

    EMPTY = "Empty"
    """No members: a group of the past, or one that only keeps offsets."""
    PREPARING_REBALANCE = "PreparingRebalance"
    """Waits until all members have joined, or the rebalance timeout has passed."""
    COMPLETING_REBALANCE = "CompletingRebalance"
    """A new generation, which waits for the leader's assignment."""
    STABLE = "Stable"
    """Every member can have its assignment."""
    DEAD = "Dead"
    """Deleted, or unloaded: code that still has a reference must not use the group."""


VALID_PREVIOUS: Final[Mapping[GroupState, frozenset[GroupState]]] = {
    GroupState.EMPTY: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.PREPARING_REBALANCE: frozenset(
        {GroupState.EMPTY, GroupState.STABLE, GroupState.COMPLETING_REBALANCE}
    ),
    GroupState.COMPLETING_REBALANCE: frozenset({GroupState.PREPARING_REBALANCE}),
    GroupState.STABLE: frozenset({GroupState.COMPLETING_REBALANCE}),
    GroupState.DEAD: frozenset(GroupState),
}
"""For each state, those after which a group may enter it."""

HEARTBEAT: Final[Mapping[GroupState, ErrorCode]] = {
    GroupState.EMPTY: ErrorCode.UNKNOWN_MEMBER_ID,
    GroupState.PREPARING_REBALANCE: ErrorCode.REBALANCE_IN_PROGRESS,
    GroupState.COMPLETING_REBALANCE: ErrorCode.NONE,
    GroupState.STABLE: ErrorCode.NONE,
    GroupState.DEAD: ErrorCode.COORDINATOR_NOT_AVAILABLE,
}
"""The answer to a heartbeat of a member of the current generation."""

SYNC: Final[Mapping[GroupState, ErrorCode]] = {
    GroupState.EMPTY: ErrorCode.UNKNOWN_MEMBER_ID,
    GroupState.PREPARING_REBALANCE: ErrorCode.REBALANCE_IN_PROGRESS,
    GroupState.COMPLETING_REBALANCE: ErrorCode.NONE,
    GroupState.STABLE: ErrorCode.NONE,
    GroupState.DEAD: ErrorCode.COORDINATOR_NOT_AVAILABLE,
}
"""Why a member of the current generation gets no assignment now."""

COMMIT: Final[Mapping[GroupState, ErrorCode]] = {
    GroupState.EMPTY: ErrorCode.NONE,
    GroupState.PREPARING_REBALANCE: ErrorCode.NONE,
    GroupState.COMPLETING_REBALANCE: ErrorCode.REBALANCE_IN_PROGRESS,
    GroupState.STABLE: ErrorCode.NONE,
    GroupState.DEAD: ErrorCode.COORDINATOR_NOT_AVAILABLE,
}
"""Why offsets that a member of the current generation commits are refused."""

DELETE: Final[Mapping[GroupState, ErrorCode]] = {
    GroupState.EMPTY: ErrorCode.NONE,
    GroupState.PREPARING_REBALANCE: ErrorCode.NON_EMPTY_GROUP,
    GroupState.COMPLETING_REBALANCE: ErrorCode.NON_EMPTY_GROUP,
    GroupState.STABLE: ErrorCode.NON_EMPTY_GROUP,
    GroupState.DEAD: ErrorCode.GROUP_ID_NOT_FOUND,
}
"""Why a group is not deleted."""

assert VALID_PREVIOUS.keys() == set(GroupState)
assert all(one.keys() == set(GroupState) for one in (HEARTBEAT, SYNC, COMMIT, DELETE))
