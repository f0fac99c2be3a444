"""`kadmin lead`: a command runs only while it leads."""

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kazoo.client import KazooClient
from kazoo.security import make_digest_acl

from cluster.recipes.latch import LeaderLatch
from kadmin.errors import ExitCode
from tests.support.cli import done, kadmin, running_kadmin
from tests.support.expiry import expire_owner
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = pytest.mark.zk

PATH = "/elections/nightly"


@pytest.fixture
def client(chroot: str) -> Iterator[KazooClient]:
    with client_of(chroot) as client:
        yield client


def words(chroot: str, *options: str) -> list[str]:
    return ["lead", PATH, "--zookeeper", chroot, *options]


def contenders(client: Any) -> list[str]:
    """The znodes of the election, those that lead first."""
    if client.exists(PATH) is None:
        return []
    names = sorted(client.get_children(PATH), key=lambda name: name[-10:])
    return [f"{PATH}/{name}" for name in names if name != "epoch"]


def is_written(path: Path) -> bool:
    return path.exists() and path.read_text().endswith("\n")


def waiting_script(tmp_path: Path) -> str:
    """A command that notes that it runs, and then waits for a signal."""
    os.mkfifo(tmp_path / "fifo")
    return f"echo $KADMIN_LEADER_EPOCH > {tmp_path}/epoch; read never < {tmp_path}/fifo"


@pytest.mark.parametrize("options", [(), ("--unfair",)])
def test_the_command_has_its_epoch_and_its_status_is_kadmins(
    chroot: str, client: Any, tmp_path: Path, options: tuple[str, ...]
) -> None:
    script = f"echo $KADMIN_LEADER_EPOCH $KADMIN_LEADER_PATH >> {tmp_path}/out; exit 7"
    for _ in range(2):
        run = kadmin(*words(chroot, *options), "--", "sh", "-c", script)
        assert 7 == run.exit_code, run

    lines = [line.split() for line in (tmp_path / "out").read_text().splitlines()]
    assert [PATH, PATH] == [path for _, path in lines]
    first, second = (int(epoch) for epoch, _ in lines)
    assert first < second
    assert [] == contenders(client)


def test_a_command_that_is_missing_has_a_shells_status(chroot: str) -> None:
    run = kadmin(*words(chroot, "--wait", "1e14"), "--", "/no/such/command")

    assert 127 == run.exit_code, run


def test_a_signal_goes_to_the_command_and_the_znode_is_removed(
    chroot: str, client: Any, tmp_path: Path
) -> None:
    script = f"trap 'exit 9' TERM; {waiting_script(tmp_path)}"
    with running_kadmin(*words(chroot), "--", "sh", "-c", script) as process:
        wait_until(lambda: is_written(tmp_path / "epoch"), what="the command")
        process.send_signal(signal.SIGTERM)
        wait_until(lambda: process.poll() is not None, what="its end")

    assert 9 == process.returncode
    assert [] == contenders(client)


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGTERM, -signal.SIGTERM), (signal.SIGINT, 130)]
)
def test_a_signal_ends_one_that_waits_and_its_znode_goes(
    chroot: str, client: Any, number: signal.Signals, status: int
) -> None:
    with LeaderLatch(client, PATH) as latch:
        assert latch.acquire(OUTER_LIMIT_S) is not None
        with running_kadmin(*words(chroot), "--", "true") as process:
            wait_until(lambda: len(contenders(client)) == 2, what="the second in the queue")
            process.send_signal(number)
            wait_until(lambda: process.poll() is not None, what="its end")

        assert status == process.returncode
        assert 1 == len(contenders(client))


def test_the_command_ends_when_the_znode_is_removed(
    chroot: str, client: Any, tmp_path: Path
) -> None:
    # Not asked to end, which may take until the lease is over: the next one leads already.
    script = f"trap 'echo > {tmp_path}/asked' TERM; {waiting_script(tmp_path)}"
    with running_kadmin(*words(chroot), "--", "sh", "-c", script) as process:
        wait_until(lambda: is_written(tmp_path / "epoch"), what="the command")
        (node,) = contenders(client)
        client.delete(node)
        _, stderr = process.communicate()

    assert not (tmp_path / "asked").exists()
    assert ExitCode.FAILED == process.returncode
    assert f"the leadership of {PATH} was lost, and 'sh' was ended" in stderr.decode()
    assert "its znode was removed" in stderr.decode()


def test_after_a_loss_it_leads_again_if_it_is_to(chroot: str, client: Any, tmp_path: Path) -> None:
    script = f"echo $KADMIN_LEADER_EPOCH >> {tmp_path}/epoch; read never < {tmp_path}/fifo"
    os.mkfifo(tmp_path / "fifo")

    def epochs() -> list[int]:
        text = (tmp_path / "epoch").read_text() if is_written(tmp_path / "epoch") else ""
        return [int(line) for line in text.splitlines()]

    with running_kadmin(*words(chroot, "--requeue"), "--", "sh", "-c", script) as process:
        wait_until(lambda: len(epochs()) == 1, what="the command")
        (node,) = contenders(client)
        expire_owner(client, chroot, node)
        wait_until(lambda: len(epochs()) == 2, what="the command again")
        process.send_signal(signal.SIGTERM)
        _, stderr = process.communicate()

    assert 128 + signal.SIGTERM == process.returncode
    assert "contending again" in stderr.decode()
    first, second = epochs()
    assert first < second


def test_the_command_ends_with_a_kadmin_that_is_killed(
    chroot: str, client: Any, tmp_path: Path
) -> None:
    script = f"trap 'echo ended > {tmp_path}/ended' TERM; {waiting_script(tmp_path)}"
    with running_kadmin(*words(chroot), "--", "sh", "-c", script) as process:
        wait_until(lambda: is_written(tmp_path / "epoch"), what="the command")
        process.kill()
        wait_until(lambda: is_written(tmp_path / "ended"), what="the end of the command")


def test_who_does_not_want_to_wait_is_refused(chroot: str, client: Any) -> None:
    with LeaderLatch(client, PATH) as latch:
        assert latch.acquire(OUTER_LIMIT_S) is not None
        run = kadmin(*words(chroot, "--wait", "0"), "--", "true")

    assert ExitCode.IN_PROGRESS == run.exit_code
    assert f"{PATH}: not elected within 0 s" in run.stderr
    assert f"'kadmin --zookeeper {chroot} lead {PATH} --status'" in run.stderr
    assert [] == contenders(client)


@pytest.mark.parametrize("is_fair", [True, False])
def test_status_shows_the_leader_and_the_queue(chroot: str, client: Any, is_fair: bool) -> None:
    with LeaderLatch(client, PATH, identity="one", is_fair=is_fair) as one:
        lease = one.acquire(OUTER_LIMIT_S)
        assert lease is not None
        with LeaderLatch(client, PATH, identity="two", is_fair=is_fair):
            if is_fair:
                wait_until(lambda: len(one.participants()) == 2, what="both in the queue")
            shown = json.loads(done(*words(chroot, "--status", "--output", "json")))
            text = done(*words(chroot, "--status"))

    assert (PATH, "fair" if is_fair else "unfair") == (shown["path"], shown["kind"])
    leader, *others = shown["participants"]
    assert ("leads", lease.epoch, lease.node) == (
        leader["state"],
        leader["epoch"],
        leader["znode"],
    )
    assert [("waits", None)] * is_fair == [(each["state"], each["epoch"]) for each in others]
    assert f"Epoch: {lease.epoch}" in text
    assert f"Znode: {lease.node}" in text


def test_status_without_a_leader_is_found(chroot: str, client: Any) -> None:
    client.ensure_path(PATH)
    run = kadmin(*words(chroot, "--status"))

    assert (ExitCode.FOUND, f"Path: {PATH}\tState: no leader\n") == (run.exit_code, run.stdout)


def test_status_of_no_election_says_so(chroot: str) -> None:
    run = kadmin(*words(chroot, "--status"))

    assert ExitCode.FAILED == run.exit_code
    assert f"there is no election at {PATH}" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (["/brokers/ids", "--", "true"], ExitCode.REFUSED, "/brokers/ids belongs to Kafka"),
        (["/zookeeper/x", "--", "true"], ExitCode.REFUSED, "/zookeeper/x belongs to Kafka"),
        (["nightly", "--", "true"], ExitCode.USAGE, "'nightly' is no path"),
        (["/nightly/", "--", "true"], ExitCode.USAGE, "'/nightly/' is no path"),
        (["/", "--status"], ExitCode.USAGE, "'/' is no path"),
        (["/a"], ExitCode.USAGE, "which command is to run"),
        (["/a", "--status", "--", "true"], ExitCode.USAGE, "--status runs no command"),
        (["/a", "--status", "--unfair"], ExitCode.USAGE, "--unfair does not go with --status"),
        (["/a", "--plain", "--", "true"], ExitCode.USAGE, "--plain does not go with"),
        (["/a", "--wait", "-1", "--", "true"], ExitCode.USAGE, "--wait"),
    ],
)
def test_what_cannot_be_meant_is_refused(
    chroot: str, arguments: list[str], code: ExitCode, text: str
) -> None:
    run = kadmin("lead", "--zookeeper", chroot, *arguments)

    assert code == run.exit_code, run
    assert text in run.stderr


def test_a_chroot_that_is_missing_is_named(chroot: str) -> None:
    run = kadmin("lead", PATH, "--zookeeper", f"{chroot}/missing", "--", "true")

    assert ExitCode.FAILED == run.exit_code
    assert "there is no /" in run.stderr


def test_an_acl_that_forbids_it_is_named(chroot: str, client: Any) -> None:
    client.create("/elections", acl=[make_digest_acl("ops", "secret", read=True)])
    run = kadmin(*words(chroot), "--", "true")

    assert ExitCode.FAILED == run.exit_code
    assert "denied access: " in run.stderr
    assert "NoAuth" in run.stderr


def test_one_path_has_one_kind_of_election(chroot: str, client: Any) -> None:
    with LeaderLatch(client, PATH) as latch:
        assert latch.acquire(OUTER_LIMIT_S) is not None
        run = kadmin(*words(chroot, "--unfair"), "--", "true")

    assert ExitCode.REFUSED == run.exit_code
    assert f"{PATH} has a fair election" in run.stderr
