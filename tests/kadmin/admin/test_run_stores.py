"""The journals of supervised runs, in ZooKeeper and in files: who keeps what, who supervises?"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import pytest

from cluster.model.outcome import Committed
from cluster.zk.requests import Create
from kadmin.admin import ports
from kadmin.admin.ports import Fence
from kadmin.admin.wire import run_store as files
from kadmin.admin.zookeeper import run_store as znodes
from kadmin.admin.zookeeper.connection import connect
from kadmin.admin.zookeeper.transaction import commit
from kadmin.errors import RefusedError
from kadmin.plan.supervision.run import Goal, MoveRun, RunState
from kadmin.settings.resolve import ZooKeeperSettings
from tests.kadmin.cli.reassign.runs.plans import plan_of, planned
from tests.support.expiry import expire_owner
from tests.support.waiting import wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

Opening: TypeAlias = Callable[[], ports.RunStore]

PLAN = plan_of(*(planned(f"t-{number}", "1 -> 2") for number in range(40)))


def run_of(number: int, state: RunState = RunState.PLANNED) -> MoveRun:
    return MoveRun(
        run_id=f"20261128-{number:06}-abcd",
        plan=PLAN,
        by="me@here",
        began_at_ms=number,
        state=state,
        ended_at_ms=number if state.is_final else None,
    )


@pytest.fixture(params=["znodes", "files"])
def open_store(
    request: pytest.FixtureRequest, chroot: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Opening]:
    """A function that opens the same journals for one process more."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    # The plan in several pieces, and few runs to prune.
    monkeypatch.setattr(znodes, "PIECE_BYTES", 100)
    for module in (znodes, files):
        monkeypatch.setattr(module, "KEPT_MAX", 2)
    with ExitStack() as stack:

        def opened() -> ports.RunStore:
            if request.param == "files":
                return files.FileRuns("cluster/1")
            settings = ZooKeeperSettings(connect=chroot, timeout_s=5)
            return znodes.ZooKeeperRuns(stack.enter_context(connect(settings)))

        yield opened


def test_what_one_keeps_another_reads_and_a_late_write_is_refused(open_store: Opening) -> None:
    one, two = open_store(), open_store()

    assert isinstance(one.create(run_of(1)), Committed)
    mine, other = one.read(run_of(1).run_id), two.read(run_of(1).run_id)
    assert mine is not None
    assert other is not None
    assert mine == other == replace(run_of(1), zk_version=mine.zk_version)

    assert isinstance(two.write(replace(other, goal=Goal.CANCEL)), Committed)
    assert not isinstance(one.write(replace(mine, epoch=7)), Committed)
    kept = one.read(mine.run_id)
    assert kept is not None
    assert (Goal.CANCEL, 0) == (kept.goal, kept.epoch)


def test_a_run_of_another_cluster_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file that was copied into the wrong directory."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    store = files.FileRuns("here")
    run = replace(run_of(1), plan=replace(PLAN, cluster_id="elsewhere"))
    store.create(run)

    with pytest.raises(files.RunUnreadable, match="it is of the cluster elsewhere"):
        store.read(run.run_id)


def test_one_supervisor_has_the_lease_at_a_time(open_store: Opening) -> None:
    one, two = open_store(), open_store()

    assert "one" == one.claim("one")
    assert "one" == two.claim("two") == two.supervisor()
    assert "one" == one.claim("one"), "it may be claimed again"
    two.release()
    assert "one" != two.claim("one"), "of the same name, as after another session"
    assert () == two.lease_fence()
    assert not two.holds_lease()
    two.release()
    assert "one" == one.supervisor()
    one.release()
    assert two.supervisor() is None
    assert "two" == two.claim("two") == one.supervisor()
    two.release()


def test_a_lease_that_nobody_has_is_nobody_s(chroot: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the queue has znodes of the same supervisor alone, or none."""
    monkeypatch.setattr(znodes, "CLAIM_S", 0.0)
    settings = ZooKeeperSettings(connect=chroot, timeout_s=5)
    with connect(settings) as old, connect(settings) as new, client_of(chroot) as client:
        one, again = znodes.ZooKeeperRuns(old), znodes.ZooKeeperRuns(new)
        found = set(iter(lambda: one.claim("one"), "one"))
        found |= {again.claim("one"), again.claim("one")}
        assert one.lease is not None
        client.delete(one.lease.node)
        found |= set(iter(lambda: again.claim("one"), "one"))

        assert found == {None}
        assert "one" == again.claim("one") == one.supervisor()


def test_a_plan_that_unpacks_to_more_than_any_has_is_refused(
    chroot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(znodes, "SIZE_MAX", 100)
    with connect(ZooKeeperSettings(connect=chroot, timeout_s=5)) as connection:
        znodes.ZooKeeperRuns(connection).create(run_of(1))

        with pytest.raises(RefusedError, match="cut off, or has more than 100 bytes"):
            znodes.ZooKeeperRuns(connection).read(run_of(1).run_id)


def test_of_two_runs_that_begin_at_the_same_moment_one_is_refused(open_store: Opening) -> None:
    one, two = open_store(), open_store()

    assert isinstance(one.create(run_of(1)), Committed)
    assert not isinstance(two.create(run_of(2)), Committed)
    assert [run_of(1).run_id] == one.run_ids()


def test_who_waits_takes_over_from_one_whose_session_is_over_and_fences_it_off(
    chroot: str,
) -> None:
    settings = ZooKeeperSettings(connect=chroot, timeout_s=5)
    with connect(settings) as old, connect(settings) as new, client_of(chroot) as client:
        one, two = znodes.ZooKeeperRuns(old), znodes.ZooKeeperRuns(new)
        one.create(run_of(1))
        mine, other = one.read(run_of(1).run_id), two.read(run_of(1).run_id)
        assert mine is not None
        assert other is not None
        claimed = [one.claim("one"), two.claim("two")]
        assert one.lease is not None
        node, fence = one.lease.node, one.lease_fence()
        expire_owner(client, chroot, node)
        wait_until(lambda: two.claim("two") == "two", what="the lease")

        assert ["one", "one"] == claimed
        assert not one.holds_lease()
        assert two.holds_lease()
        late = Fence(mark=None, run=ports.KeptRun(mine.run_id, mine.zk_version, fence))
        assert not isinstance(commit(new, late, [Create("/late")]), Committed)
        assert isinstance(two.write(other), Committed)
        one.release()
        two.release()


def test_of_runs_that_have_ended_the_last_are_kept(open_store: Opening) -> None:
    store = open_store()
    store.create(run_of(0, RunState.FAILED))
    for number in range(1, 3):
        store.create(run_of(number, RunState.DONE))
    first = store.read(run_of(0).run_id)
    assert first is not None
    store.write(replace(first, state=RunState.PLANNED, ended_at_ms=None))
    refused = store.create(run_of(3))
    unfinished = store.read(run_of(0).run_id)
    assert unfinished is not None
    store.write(replace(unfinished, state=RunState.FAILED, ended_at_ms=9))
    for number in range(3, 6):
        store.create(run_of(number, RunState.DONE))

    store.create(run_of(6))

    left = [int(run_id.split("-")[1]) for run_id in store.run_ids()]
    assert not isinstance(refused, Committed)
    assert "planned" == unfinished.state, "one that has not ended stays"
    assert [4, 5, 6] == left[-3:]
    assert {0, 1, 2}.isdisjoint(left)
    for run_id in store.run_ids():
        assert store.read(run_id) is not None


def test_what_is_not_there_is_none(open_store: Opening) -> None:
    store = open_store()

    assert [] == list(store.run_ids())
    assert store.read("nothing") is None
    assert store.supervisor() is None
