"""What each fence of a group coordinator is good for: without it some story ends badly, and how."""

from collections.abc import Callable
from typing import Any, Final

import pytest

from cluster.group import (
    committing,
    core,
    joining,
    ownership,
    serving,
    static_members,
    syncing,
)
from cluster.group.context import Context, StoredAssignment
from cluster.group.events import Elected, Loaded
from cluster.group.group import Group
from cluster.group.member import Member
from cluster.group.offsets import NOWHERE, GroupOffsets, Values
from cluster.group.requests import SyncGroup
from cluster.group.states import GroupState
from cluster.model.error_codes import ErrorCode
from tests.sim.groups.log import ALL_FENCES, LogFences
from tests.sim.groups.violation import Kind, Violation
from tests.sim.groups.world import violation_of

STORIES_MAX: Final = 10
"""Whatever the commit: one of so many has to miss each fence."""

Patch = pytest.MonkeyPatch


def any_generation(patch: Patch) -> None:
    """Members of an older generation are served as those of the current one."""

    def error(group: Group, member_id: str, instance_id: str | None, generation: int) -> ErrorCode:
        return group.error_of(member_id, instance_id)

    patch.setattr(Group, "error_in_generation", error)


def any_committer(patch: Patch) -> None:
    """Offsets are taken from everybody."""
    patch.setattr(committing, "commit", committing.store)


def assignments_before_the_log(patch: Patch) -> None:
    """Members get assignments that the log does not have yet."""
    store = syncing.store_assignment

    def store_and_answer(context: Context, group: Group, request: SyncGroup) -> None:
        store(context, group, request)
        assignments = {one: request.assignments.get(one, b"") for one in group.members}
        syncing.on_stored(context, StoredAssignment(group, group.generation, assignments))

    patch.setattr(syncing, "store_assignment", store_and_answer)


def assignments_again(patch: Patch) -> None:
    """A leader that syncs again has its new assignment stored behind the first, as in Kafka."""
    store = syncing.store_assignment

    def store_each(context: Context, group: Group, request: SyncGroup) -> None:
        store(context, group, request)
        group.is_storing_assignment = False

    patch.setattr(syncing, "store_assignment", store_each)


def any_outcome(patch: Patch) -> None:
    """The outcome of an assignment of an earlier generation counts for this one."""

    def is_current(waiting: StoredAssignment) -> bool:
        return waiting.group.state is GroupState.COMPLETING_REBALANCE

    patch.setattr(syncing, "is_current", is_current)


def any_load(patch: Patch) -> None:
    """A load that was begun in an earlier epoch ends that of this one."""

    def finish(context: Context, event: Loaded) -> None:
        partition = context.partitions.get(event.partition)
        if partition is not None:
            event = event._replace(leader_epoch=partition.leader_epoch)
        ownership.finish_loading(context, event)

    patch.setattr(core, "finish_loading", finish)


def groups_stay(patch: Patch) -> None:
    """A broker that is elected again keeps what it knew, whoever has led in between."""

    def elect(context: Context, event: Elected) -> None:
        partition = context.partitions.get(event.partition)
        if partition is not None and not partition.is_loading:
            partition.leader_epoch = event.leader_epoch
        else:
            ownership.elect(context, event)

    patch.setattr(core, "elect", elect)
    patch.setattr(core, "resign", lambda context, event: None)


def loading_groups_serve(patch: Patch) -> None:
    """Requests are served before the log has been read."""

    def refuse(context: Context, group_id: str, *, allows_empty: bool) -> ErrorCode:
        is_led = context.partition(group_id) is not None
        return ErrorCode.NONE if is_led else ErrorCode.NOT_COORDINATOR

    patch.setattr(serving, "refuse_status", refuse)
    patch.setattr(core, "refuse_status", refuse)


def one_pending_commit(patch: Patch) -> None:
    """Of a partition only the last commit is pending, as in Kafka."""

    def begin(offsets: Any, append_id: int, values: Values) -> None:
        offsets._pending = {
            earlier: {one: value for one, value in pending.items() if one not in values}
            for earlier, pending in offsets._pending.items()
        }
        offsets._pending[append_id] = values

    patch.setattr(GroupOffsets, "begin", begin)


def last_answer_counts(patch: Patch) -> None:
    """The commit that is answered last counts, wherever it is in the log."""

    def complete(offsets: Any, append_id: int, log_offset: int) -> None:
        committed = offsets._committed
        committed._latest = NOWHERE
        committed._log_offsets = dict.fromkeys(committed.values, NOWHERE)
        committed.add(log_offset, offsets._pending.pop(append_id, {}))

    patch.setattr(GroupOffsets, "complete", complete)


def silent_unload(patch: Patch) -> None:
    """Whoever waits at a coordinator that is replaced goes on waiting."""
    patch.setattr(ownership, "refuse_waiting", lambda *_: None)


def silent_replacement(patch: Patch) -> None:
    """A JoinGroup that another one of its member has replaced goes on waiting, as in Kafka."""

    def await_join(context: Context, group: Group, member: Member, request_id: int) -> None:
        group.end_joining(member)
        group.begin_joining(member, request_id)

    for module in (joining, static_members):
        patch.setattr(module, "await_join", await_join)


def first_metadata_stay(patch: Patch) -> None:
    """The leader is given what each member said when it joined first."""

    def update(group: Group, member: Member, *rest: Any) -> None:
        """Keep what is known."""

    patch.setattr(Group, "update", update)


def violation_from(first: int, fences: LogFences = ALL_FENCES) -> Violation | None:
    """The first violation in the stories from *first* on: most before it had nothing to stop."""
    violations = (violation_of(seed, fences) for seed in range(first, first + STORIES_MAX))
    return next((one for one in violations if one is not None), None)


LOST, STUCK = {Kind.LOST_COMMIT}, {Kind.STUCK, Kind.NOT_STABLE, Kind.ASSERTION}
TWO = {Kind.TWO_ASSIGNMENTS, Kind.TWO_OWNERS, Kind.TWO_LEADERS}
INTRUDERS = {Kind.OLD_GENERATION, Kind.UNKNOWN_MEMBER}


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("take_out", "first", "kinds"),
    [
        (any_generation, 8, INTRUDERS | TWO),
        (any_committer, 2, INTRUDERS),
        (assignments_before_the_log, 1, TWO),
        (assignments_again, 251, TWO),
        (any_outcome, 59, TWO | {Kind.ERROR}),
        (any_load, 116, LOST | INTRUDERS),
        (groups_stay, 0, LOST | INTRUDERS | TWO),
        (loading_groups_serve, 0, LOST | INTRUDERS | TWO),
        (one_pending_commit, 3, LOST),
        (last_answer_counts, 4, LOST),
        (silent_unload, 0, STUCK),
        (silent_replacement, 3, STUCK),
        (first_metadata_stay, 0, TWO),
    ],
)
def test_without_this_fence_some_story_ends_badly(
    monkeypatch: Patch, take_out: Callable[[Patch], None], first: int, kinds: set[Kind]
) -> None:
    take_out(monkeypatch)

    found = violation_from(first)

    assert found is not None
    assert found.kind in kinds, found


@pytest.mark.slow
@pytest.mark.sim
@pytest.mark.parametrize(
    ("fences", "first", "kinds"),
    [
        (LogFences(checks_epochs=False), 42, INTRUDERS | TWO | LOST),
        (LogFences(waits_for_replicas=False), 1, TWO | LOST),
        (LogFences(loads_replicated=False), 211, TWO),
    ],
)
def test_without_this_fence_of_the_log_some_story_ends_badly(
    fences: LogFences, first: int, kinds: set[Kind]
) -> None:
    found = violation_from(first, fences)

    assert found is not None
    assert found.kind in kinds, found
