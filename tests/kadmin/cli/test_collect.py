"""`kadmin collect`, as an operator uses it, over directories that stand for brokers."""

import errno
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from kadmin.errors import ExitCode
from kadmin.jobs.collect import CollectArgument, Copying, Progress, planned
from kadmin.jobs.collection import JOURNAL, LOG_DIR, CollectedFile, note
from kadmin.jobs.collection_store import DirectoryStore
from kadmin.jobs.verify.collected import Unreadable
from kadmin.local.server_properties import BrokerMember
from kadmin.local.state import LocalCluster, clusters_directory, write_state
from kadmin.local.zookeeper_config import Member
from tests.cluster.storage.batches import batch
from tests.support.checkout import CHECKOUT
from tests.support.cli import KadminRun, kadmin

DEMO: Final = CHECKOUT / "scripts" / "demo-replicas"
DIRS: Final = tuple(
    word for number in (1, 2, 3) for word in ("--log-dir", f"{number}={DEMO}/broker-{number}")
)
LINE: Final = (
    "[2026-11-20 03:12:00,000] TRACE [Controller id=1 epoch=3] Changed partition orders-0 state"
    " from NewPartition to OnlinePartition (state.change.logger)\n"
)


def manifest(directory: Path) -> dict[str, Any]:
    told = json.loads((directory / "manifest.json").read_text())
    return {each["path"]: each for each in told["files"]}


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    directory = tmp_path / "logs"
    directory.mkdir()
    for name in ("state-change.log", "controller.log.2026-11-20-03", "gc.log"):
        (directory / name).write_text(LINE)
    return directory


def test_what_is_collected_is_what_other_commands_take(tmp_path: Path, logs: Path) -> None:
    target = tmp_path / "incident"

    run = kadmin("collect", str(target), *DIRS, "--logs", f"1={logs}")
    merged = kadmin("merge-logs", str(target), "--master", "none")
    verified = kadmin("verify-replicas", str(target), "--output", "json")
    of_sources = kadmin("verify-replicas", *DIRS, "--output", "json")

    assert ExitCode.DONE == run.exit_code, run
    assert "broker 1: log dir: 7 files, 1.8 KiB" == run.stdout.splitlines()[0]
    assert "broker 1: logs: 2 files" in run.stdout
    files = manifest(target)
    assert 23 == len(files)
    for path, told in files.items():
        content = (target / path).read_bytes()
        assert content == Path(told["source"]).read_bytes()
        assert (len(content), 0) == (told["size_bytes"], told["cut_bytes"])
        assert hashlib.sha256(content).hexdigest() == told["sha256"]
    assert LINE == merged.stdout
    assert ExitCode.FOUND == verified.exit_code
    assert verdicts(of_sources) == verdicts(verified)


def verdicts(run: KadminRun) -> list[tuple[str, str, int | None]]:
    return [
        (each["topic"], each["verdict"], each["first_divergent_offset"])
        for each in json.loads(run.stdout)["partitions"]
    ]


def checked(target: Path, *words: str) -> KadminRun:
    return kadmin("collect", str(target), "--check", *words)


def test_a_collection_is_checked_by_its_manifest(tmp_path: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS)

    run = checked(target)
    assert (ExitCode.DONE, "21 files, 5.4 KiB: all as in the manifest\n") == (
        run.exit_code,
        run.stdout,
    )

    one, two, three, *_ = sorted(path for path in manifest(target) if path.endswith(".log"))
    content = bytearray((target / one).read_bytes())
    content[-1] ^= 1
    (target / one).write_bytes(content)
    (target / two).write_bytes(content[:-1])
    (target / three).unlink()
    stray = (target / one).with_name("00000000000000000099.log")
    stray.touch()
    run = checked(target, "--output", "json")

    assert ExitCode.FOUND == run.exit_code
    assert {
        one: "checksum",
        two: "size",
        three: "missing",
        str(stray.relative_to(target)): "unknown",
    } == {each["path"]: each["kind"] for each in json.loads(run.stdout)["differences"]}
    assert f"{two}: size: it has {len(content) - 1:,} bytes" in checked(target).stdout
    assert "4 differences" in checked(target).stdout


def test_a_collection_that_is_not_whole_is_told_by_the_check(tmp_path: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS[:2], "--log-dir", f"2={tmp_path}/none")

    lacking = checked(target)
    (target / JOURNAL).touch()
    unfinished = checked(target)

    assert ExitCode.UNREACHABLE == lacking.exit_code == unfinished.exit_code
    assert f"left out when it was collected: {tmp_path}/none" in lacking.stdout
    assert "it is not finished" in unfinished.stdout
    assert ExitCode.USAGE == checked(target, "--max-rate", "7").exit_code
    nowhere = checked(tmp_path / "none")
    assert ExitCode.FAILED == nowhere.exit_code
    assert "there is no such directory" in nowhere.stderr
    assert not (tmp_path / "none").exists()


def test_files_that_a_cut_manifest_does_not_name_are_told(tmp_path: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS)
    path = target / "manifest.json"
    told = json.loads(path.read_text())
    lost = [each["path"] for each in told["files"] if each["broker"] == "3"]
    told["files"] = [each for each in told["files"] if each["broker"] != "3"]
    path.write_text(json.dumps(told))
    (target / "extra.txt").touch()
    (target / "snapshot.json").touch()

    run = checked(target, "--output", "json")
    verified = kadmin("verify-replicas", str(target), "--topic", "equal")

    assert ExitCode.FOUND == run.exit_code
    found = {each["path"]: each["kind"] for each in json.loads(run.stdout)["differences"]}
    assert dict.fromkeys([*lost, "extra.txt"], "unknown") == found
    assert f"warning: {target}/broker-3/data: the manifest does not name it" in verified.stderr


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ({}, "'files' is missing"),
        ({"files": None, "missing": []}, "'files' is no list"),
        ({"files": [7], "missing": []}, "files[0] is no object"),
        ({"files": [{"path": "a"}], "missing": []}, "'broker' of files[0] is missing"),
        ({"files": []}, "'missing' is missing"),
        ({"files": [], "missing": [{"label": 1}]}, "'label' of missing[0] is no text"),
        ({"files": [], "missing": [], "topics": 7}, "'topics' is no list of topics"),
        ({"files": [], "missing": [], "topics": ["a", 7]}, "'topics' is no list of topics"),
        ({"files": [], "missing": [], "topics": [""]}, "'topics' is no list of topics"),
    ],
)
def test_a_damaged_manifest_is_told_by_its_field(
    tmp_path: Path, body: dict[str, Any], reason: str
) -> None:
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": "kadmin.collection/1", **body}))

    run = checked(tmp_path)

    assert ExitCode.FAILED == run.exit_code
    assert f"its manifest cannot be read: {reason}\n" in run.stderr
    assert "hint: carry the manifest here again" in run.stderr


def test_a_second_run_copies_only_what_has_changed(tmp_path: Path, logs: Path) -> None:
    target = tmp_path / "incident"
    command = ("collect", str(target), *DIRS, "--logs", f"1={logs}")
    kadmin(*command)
    before = {path: (target / path).stat().st_ino for path in manifest(target)}
    changed = logs / "state-change.log"
    changed.write_text(LINE * 2)

    run = kadmin(*command)

    assert ExitCode.DONE == run.exit_code
    assert [f"broker-1/logs{changed}"] == [
        path for path, inode in before.items() if (target / path).stat().st_ino != inode
    ]
    assert LINE * 2 == (target / f"broker-1/logs{changed}").read_text()


def test_a_run_that_was_killed_is_gone_on_with(tmp_path: Path) -> None:
    """Its journal may end within a line, and a file have only begun."""
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS)
    files = [CollectedFile(**each) for each in manifest(target).values()]
    kept, lost = files[:10], files[10]
    (target / "manifest.json").unlink()
    with DirectoryStore(target).noted(JOURNAL) as journal:
        for each in kept:
            note(journal, each)
    with (target / JOURNAL).open("a") as cut_off:
        cut_off.write('{"path": "brok')
    (target / lost.path).rename(target / f"{lost.path}.part")
    inodes = {each.path: (target / each.path).stat().st_ino for each in kept}

    run = kadmin("collect", str(target), *DIRS)

    assert ExitCode.DONE == run.exit_code
    assert {each.path for each in files} == set(manifest(target))
    assert inodes == {path: (target / path).stat().st_ino for path in inodes}
    assert (target / lost.path).exists()
    assert not (target / JOURNAL).exists()


def test_a_run_that_was_killed_before_its_first_file_is_gone_on_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def end(*_: object) -> None:
        (target / "snapshot.json").write_text("{")
        raise KeyboardInterrupt

    target = tmp_path / "incident"
    with monkeypatch.context() as patched:
        patched.setattr("kadmin.app.collecting.save_cluster", end)
        kadmin("collect", str(target), *DIRS)
    assert not (target / "manifest.json").exists()

    run = kadmin("collect", str(target), *DIRS)

    assert ExitCode.DONE == run.exit_code, run
    assert 21 == len(manifest(target))


def test_what_a_collection_lacks_is_told_where_it_is_verified(tmp_path: Path) -> None:
    """Two replicas that are equal prove nothing of the third."""
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS[2:], "--log-dir", "4=/nowhere", "--topic", "payments")

    lacking = kadmin("verify-replicas", str(target))
    kadmin("collect", str(target), *DIRS[2:], "--topic", "payments")
    whole = kadmin("verify-replicas", str(target))
    (target / JOURNAL).touch()
    unfinished = kadmin("verify-replicas", str(target))

    assert ExitCode.UNREACHABLE == lacking.exit_code
    assert "/nowhere: No such file or directory (when it was collected)\n" in lacking.stderr
    assert ExitCode.DONE == whole.exit_code, whole
    assert ExitCode.UNREACHABLE == unfinished.exit_code
    assert f"{target}: the collection is not finished: " in unfinished.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("broker", "x"),
        ("broker", "9999999999"),
        ("root", None),
        ("path", "../x"),
        ("root", "/etc"),
        ("size_bytes", "x"),
    ],
)
def test_a_garbled_manifest_is_no_collection(tmp_path: Path, field: str, value: object) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS)
    told = json.loads((target / "manifest.json").read_text())
    told["files"][3][field] = value
    (target / "manifest.json").write_text(json.dumps(told))

    verified = kadmin("verify-replicas", str(target))
    again = kadmin("collect", str(target), *DIRS)

    assert ExitCode.FAILED == verified.exit_code
    assert "is no collection: its manifest cannot be read" in verified.stderr
    assert ExitCode.REFUSED == again.exit_code


def test_what_is_no_file_is_left_out_and_waits_for_nobody(tmp_path: Path) -> None:
    replica = tmp_path / "data" / "orders-0"
    replica.mkdir(parents=True)
    (replica / f"{0:020}.log").write_text("")
    os.mkfifo(replica / f"{9:020}.log")
    (replica / ("n" * 255)).write_text("")

    run = kadmin("collect", str(tmp_path / "c"), "--log-dir", f"1={replica.parent}")

    assert ExitCode.UNREACHABLE == run.exit_code, run
    assert f"left out: {replica}/{9:020}.log: it is no file\n" in run.stderr
    assert f"left out: {replica}/{'n' * 255}: File name too long\n" in run.stderr
    assert [f"{0:020}.log"] == [Path(path).name for path in manifest(tmp_path / "c")]


def test_a_disk_that_cannot_be_read_is_none_that_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replica = tmp_path / "data" / "orders-0"
    replica.mkdir(parents=True)
    for offset in (0, 9):
        (replica / f"{offset:020}.log").write_text("x" * (offset + 1))
    pread = os.pread

    def read(descriptor: int, size: int, position: int) -> bytes:
        if os.fstat(descriptor).st_size == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return pread(descriptor, size, position)

    monkeypatch.setattr(os, "pread", read)
    monkeypatch.chdir(tmp_path)

    run = kadmin("collect", "orders", "--log-dir", f"1={replica.parent}")

    assert ExitCode.UNREACHABLE == run.exit_code, run
    assert f"left out: {replica}/{0:020}.log: Input/output error\n" in run.stderr
    assert [f"{9:020}.log"] == [Path(path).name for path in manifest(Path("orders"))]


def test_links_are_followed_to_what_is_collected_and_not_in_circles(tmp_path: Path) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    for replica in (data / "orders-0", other / "clicks-0", other / "users-0"):
        replica.mkdir(parents=True)
        (replica / f"{0:020}.log").write_text("")
    for directory in (data, other):
        (directory / "meta.properties").write_text("")
    (data / "clicks-0").symlink_to(other / "clicks-0")
    (data / "disk").symlink_to(other)
    (data / "circle").symlink_to(data)
    (data / "elsewhere").symlink_to(tmp_path)

    files = planned([CollectArgument("1", LOG_DIR, data)], lambda _: True, print)

    assert [
        "meta.properties",
        f"clicks-0/{0:020}.log",
        "disk/meta.properties",
        f"disk/users-0/{0:020}.log",
        f"orders-0/{0:020}.log",
    ] == [str(file.source.relative_to(data)) for file in files]


def test_only_the_topics_that_are_named_are_collected(tmp_path: Path) -> None:
    run = kadmin("collect", str(tmp_path / "one"), *DIRS, "--topic", "orders")
    unknown = kadmin("collect", str(tmp_path / "two"), *DIRS, "--topic", "nothing")

    assert ExitCode.DONE == run.exit_code
    names = {Path(path).parent.name for path in manifest(tmp_path / "one")}
    assert {"orders-0", "broker-1", "broker-2", "broker-3"} == names
    assert ExitCode.FAILED == unknown.exit_code
    assert "there is no topic 'nothing'" in unknown.stderr


def topics_of(directory: Path) -> Any:
    return json.loads((directory / "manifest.json").read_text())["topics"]


def test_topics_that_were_left_out_on_purpose_are_not_missed(tmp_path: Path, logs: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS, "--topic", "pay*")

    one = kadmin("verify-replicas", str(target))
    kadmin("collect", str(target), *DIRS, "--topic", "users")
    kadmin("collect", str(target), "--logs", f"1={logs}")
    two = topics_of(target)
    shutil.rmtree(next(target.glob("broker-3/**/payments-0")))
    lost = kadmin("verify-replicas", str(target))

    # The checkpoints name orders, too.
    assert "checkpointed" not in one.stderr
    assert ["payments-0: equal"] == [
        line.partition(",")[0] for line in one.stdout.splitlines() if not line.startswith(" ")
    ]
    assert ["pay*", "users"] == two
    assert "payments-0: unreadable" in lost.stdout
    assert "orders" not in lost.stdout + lost.stderr
    kadmin("collect", str(target), *DIRS)
    assert [] == topics_of(target)


def test_what_another_broker_has_was_not_left_out_on_purpose(tmp_path: Path) -> None:
    """Else it would be unreplicated, which is a proof."""
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS[:2], "--topic", "payments")

    run = kadmin(
        *("verify-replicas", str(target), *DIRS[2:4], "--brokers", "1,2"),
        *("--output", "csv"),
    )

    assert ExitCode.UNREACHABLE == run.exit_code
    rows = [line.split(",") for line in run.stdout.splitlines()[1:]]
    assert {("orders", "unreadable"), ("users", "unreadable"), ("payments", "equal")} == {
        (row[0], row[2]) for row in rows
    }


def test_logs_alone_say_nothing_of_topics(tmp_path: Path, logs: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), "--logs", f"1={logs}")
    before = topics_of(target)

    kadmin("collect", str(target), *DIRS, "--topic", "users")

    assert before is None
    assert ["users"] == topics_of(target)


def test_what_an_older_kadmin_collected_is_of_all_topics(tmp_path: Path) -> None:
    target = tmp_path / "incident"
    kadmin("collect", str(target), *DIRS[:4], "--topic", "users")
    told = json.loads((target / "manifest.json").read_text())
    del told["topics"]
    (target / "manifest.json").write_text(json.dumps(told))

    run = kadmin("verify-replicas", str(target))

    assert "warning: broker 1 has checkpointed orders-0, and no directory of it" in run.stderr


def test_what_cannot_be_read_is_named_and_left_out(tmp_path: Path) -> None:
    target = tmp_path / "incident"

    run = kadmin("collect", str(target), *DIRS, "--log-dir", "4=/nowhere", "--logs", f"5={DEMO}")

    assert ExitCode.UNREACHABLE == run.exit_code
    reasons = [
        ("/nowhere", "No such file or directory"),
        (str(DEMO), "there is nothing to collect of broker 5 in it"),
    ]
    for label, reason in reasons:
        assert f"warning: left out: {label}: {reason}\n" in run.stderr
    told = json.loads((target / "manifest.json").read_text())
    assert [{"label": label, "reason": reason} for label, reason in reasons] == told["missing"]
    assert 21 == len(told["files"])


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("there",), ExitCode.USAGE, "no log directory is named, nor a cluster of this machine"),
        (("there", "--log-dir", "x"), ExitCode.USAGE, "'x' is no broker's id with a path"),
        ((".", *DIRS), ExitCode.REFUSED, "is not empty, and no collection"),
        (("file/below", *DIRS), ExitCode.FAILED, "cannot write file/below: Not a directory"),
        (("there", "--log-dir", "1=/nowhere", "--topic", "x"), ExitCode.FAILED, "no topic 'x'"),
        (("new/c", "--log-dir", "1=."), ExitCode.USAGE, "new/c is below ., and would be collected"),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_reason(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    code: ExitCode,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")

    run = kadmin("collect", *arguments)

    assert code == run.exit_code, run
    assert said in run.stderr
    assert run.stderr.count("\n") <= 3


@pytest.mark.parametrize(
    "arguments",
    [
        (*DIRS, "--topic", "nothing"),
        ("--wire", "--bootstrap-server", "127.0.0.1:1", "--timeout", "1"),
        ("--wire", "--topic", "x"),
    ],
)
@pytest.mark.parametrize("has_run", [False, True])
def test_what_is_refused_leaves_what_was_there(
    tmp_path: Path, arguments: tuple[str, ...], has_run: bool
) -> None:
    place = tmp_path / "new" / "collected"
    if has_run:
        assert ExitCode.DONE == kadmin("collect", str(place), *DIRS).exit_code
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}

    assert 0 != kadmin("collect", str(place), *arguments).exit_code

    assert before == {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}


def test_a_directory_without_a_collection_is_not_verified(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "nothing").mkdir()

    empty = kadmin("verify-replicas", str(tmp_path / "nothing"))
    damaged = kadmin("verify-replicas", str(tmp_path))

    assert ExitCode.FAILED == empty.exit_code == damaged.exit_code
    assert "is no collection: there is no manifest.json in it" in empty.stderr
    assert "is no collection: its manifest cannot be read: its schema is not" in damaged.stderr


def test_the_embedded_cluster_that_is_meant_is_collected(
    tmp_path: Path, home: Path, logs: Path
) -> None:
    """With its servers down, which costs no more than what they would have told."""
    cluster = LocalCluster(
        name="dev",
        directory=clusters_directory() / "dev",
        address="127.0.0.1",
        members=(Member(id=1, port=1, quorum_port=2, election_port=3),),
        broker_members=tuple(BrokerMember(id=number, port=number) for number in (1, 2)),
    )
    for broker in cluster.brokers:
        broker.directory.mkdir(parents=True)
        (broker.directory / "data").symlink_to(DEMO / f"broker-{broker.member.id}")
        broker.logs_directory.symlink_to(logs)
    write_state(cluster)
    kadmin("config", "add", "dev", "--zookeeper", "127.0.0.1:1")

    run = kadmin("collect", str(tmp_path / "c"), "--cluster", "dev", "--timeout", "500ms")

    assert ExitCode.UNREACHABLE == run.exit_code, run
    assert [
        "broker 1: log dir: 7 files, 1.8 KiB",
        "broker 1: logs: 2 files, 300 B",
        "broker 2: log dir: 7 files, 1.8 KiB",
        "broker 2: logs: 2 files, 300 B",
    ] == run.stdout.splitlines()
    assert "warning: left out: dev: cannot reach ZooKeeper" in run.stderr


class Writer:
    """A broker that goes on writing while it is copied."""

    def __init__(self, write: Callable[[], None]) -> None:
        self.write = write
        self.missing: list[Unreadable] = []

    def report(self, progress: Progress) -> None:
        self.write()

    def tell(self, missing: Unreadable) -> None:
        self.missing.append(missing)


def copied(source: Path, target: Path, write: Callable[[], None]) -> CollectedFile:
    files = planned([CollectArgument("1", LOG_DIR, source)], lambda _: True, print)
    (file,) = Copying(DirectoryStore(target), Writer(write), rate_max=None).run(files, {})
    return file


@pytest.mark.parametrize("is_written", [True, False])
def test_a_batch_that_is_being_written_is_left_out_and_that_of_a_dead_broker_is_not(
    tmp_path: Path, is_written: bool
) -> None:
    whole, torn = bytes(batch(5, base_offset=0)), bytes(batch(4, base_offset=5))[:70]
    log = tmp_path / "data" / "orders-0" / f"{0:020}.log"
    log.parent.mkdir(parents=True)
    log.write_bytes(whole + torn)

    def write() -> None:
        if is_written:
            log.write_bytes(whole + bytes(batch(4, base_offset=5)))

    file = copied(log.parents[1], tmp_path / "c", write)

    expected = whole if is_written else whole + torn
    assert expected == (tmp_path / "c" / file.path).read_bytes()
    assert hashlib.sha256(expected).hexdigest() == file.sha256
    assert (len(expected), 70 if is_written else 0) == (file.size_bytes, file.cut_bytes)


def test_checkpoints_come_before_segments_and_indexes_before_their_logs(tmp_path: Path) -> None:
    replica = tmp_path / "orders-0"
    replica.mkdir()
    for name in (f"{0:020}.log", f"{0:020}.index", f"{9:020}.log", f"{9:020}.timeindex", "x.lock"):
        (replica / name).write_text("")
    (tmp_path / "replication-offset-checkpoint").write_text("0\n0\n")

    files = planned([CollectArgument("1", LOG_DIR, tmp_path)], lambda _: True, print)

    assert [
        ("replication-offset-checkpoint", False),
        (f"{0:020}.index", False),
        (f"{9:020}.timeindex", False),
        (f"{0:020}.log", False),
        (f"{9:020}.log", True),
    ] == [(file.source.name, file.is_active) for file in files]


def test_zeros_take_no_room(tmp_path: Path) -> None:
    index = tmp_path / "orders-0" / f"{0:020}.index"
    index.parent.mkdir()
    index.write_bytes(b"entry" + bytes(10 * 1024**2))

    file = copied(tmp_path, tmp_path.with_name("c"), lambda: None)

    there = tmp_path.with_name("c") / file.path
    assert index.read_bytes() == there.read_bytes()
    assert os.stat(there).st_blocks * 512 < 2 * 1024**2


def test_a_rate_is_kept(tmp_path: Path) -> None:
    begun_s = time.monotonic()

    run = kadmin("collect", str(tmp_path / "c"), *DIRS[:2], "--max-rate", "10000")

    assert ExitCode.DONE == run.exit_code
    assert 0.15 < time.monotonic() - begun_s
