import json
import shutil
import signal
import socket
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from kadmin.cli.cluster.command import cluster
from kadmin.jvm.process import Process, read_pid_file, start, start_of
from kadmin.local.ports import free_ports
from kadmin.local.state import locked
from kadmin.local.zookeeper import wait_until_serving
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin, offered
from tests.support.waiting import OUTER_LIMIT_S, wait_until
from tests.support.zookeeper import client_of

pytestmark = [
    pytest.mark.zk,
    pytest.mark.usefixtures("clean_machine"),
    # In one process, which starts what most of them share.
    pytest.mark.xdist_group("cluster"),
]


@pytest.fixture
def local(shared_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a cluster `local` that serves: what a test does to it, the next mends."""
    monkeypatch.setenv("XDG_DATA_HOME", str(shared_machine))
    done("cluster", "up")
    return shared_machine / "kadmin" / "clusters" / "local"


def clusters(home: Path) -> Path:
    return home / "data" / "kadmin" / "clusters"


def found(*arguments: str) -> Any:
    """What `cluster status` says in JSON, whatever its exit code."""
    return json.loads(kadmin("cluster", "status", *arguments, "--output", "json").stdout)


def kill_zookeeper(home: Path, server_id: int, name: str = "local") -> None:
    running = read_pid_file(clusters(home) / name / f"zookeeper-{server_id}" / "pid")
    assert running is not None
    running.kill()


def test_up_makes_a_serving_cluster_and_the_current_one_and_destroy_leaves_nothing(
    home: Path,
) -> None:
    up = kadmin("cluster", "up")
    status = found()
    listing = kadmin("cluster", "list")
    configured = done("config", "list")
    mode = stat.S_IMODE((clusters(home) / "local").stat().st_mode)
    refused = kadmin("cluster", "destroy")
    (server,) = status["servers"]
    kept = start_of(server["pid"])
    destroyed = kadmin("cluster", "destroy", "--yes")
    gone = kadmin("cluster", "status")

    assert up.exit_code == 0, up
    assert "made the cluster 'local'" in up.stderr
    assert "started zookeeper 1" in up.stderr
    assert "next: 'kadmin cluster up --name local --brokers 3', or start brokers" in up.stderr
    assert up.stderr.endswith("then 'kadmin topics --list'\n")
    assert f"zookeeper_connect=127.0.0.1:{server['port']}\n" == up.stdout
    assert "kadmin.cluster.status/1" == status["schema"]
    assert ("local", "serving") == (status["name"], status["state"])
    assert ("serving", "standalone", 1) == (server["state"], server["mode"], server["id"])
    assert up.stdout.strip().endswith(status["zookeeper_connect"])
    assert f"local  serving      {status['zookeeper_connect']}\n" == listing.stdout
    assert "* local" in configured
    assert 0o700 == mode

    assert (6, True) == (refused.exit_code, kept is not None)
    assert 0 == destroyed.exit_code, destroyed
    assert start_of(server["pid"]) is None
    assert [] == [path.name for path in clusters(home).iterdir() if path.name[0] != "."]
    assert "" == done("config", "list")
    assert 1 == gone.exit_code
    assert "there is no cluster 'local' on this machine (known: none)" in gone.stderr
    assert "hint: 'kadmin cluster list' lists all there are\n" in gone.stderr


def test_the_global_option_cluster_names_the_one_that_is_meant() -> None:
    for arguments in (("status", "--cluster", "prod"), ("kill-broker", "1", "--cluster", "prod")):
        outcome = kadmin("cluster", *arguments)
        assert "there is no cluster 'prod' on this machine" in outcome.stderr
    assert "no cluster 'prod'" in kadmin("--cluster", "prod", "cluster", "down").stderr
    assert "no cluster 'local'" in kadmin("cluster", "status").stderr


def test_two_names_for_the_cluster_that_is_meant_are_refused() -> None:
    for arguments in (
        ("--cluster", "prod", "cluster", "down", "--name", "local"),
        ("cluster", "down", "--name", "local", "--cluster", "prod"),
        ("cluster", "down", "--cluster", "prod", "--name", "local"),
    ):
        outcome = kadmin(*arguments)
        assert outcome.exit_code == 2
        assert "--name local and --cluster prod are not the same cluster" in outcome.stderr


def test_the_current_cluster_is_meant_where_none_is_named_but_never_removed() -> None:
    unused = kadmin("cluster", "up", "--name", "other", "--no-use")
    configured = done("config", "list")
    unnamed = kadmin("cluster", "status")
    done("cluster", "up", "--name", "other")
    done("config", "add", "prod", "--zookeeper", "zk1:2181")

    status = done("cluster", "status")
    destroyed = kadmin("cluster", "destroy", "--yes")
    done("config", "use", "prod")
    elsewhere = kadmin("cluster", "status")
    done("config", "use", "other")
    down = kadmin("cluster", "down")

    assert "" == configured
    assert "--zookeeper 127.0.0.1:" in unused.stderr
    assert "there is no cluster 'local'" in unnamed.stderr
    assert "other: serving" == status.splitlines()[0]
    assert "there is no cluster 'local' on this machine" in destroyed.stderr
    assert "there is no cluster 'local' on this machine" in elsewhere.stderr
    assert "stopped zookeeper 1 of 'other'" in down.stderr


@pytest.mark.usefixtures("local")
def test_started_twice_it_says_so_and_succeeds() -> None:
    before = found()

    again = kadmin("cluster", "up")

    assert again.exit_code == 0
    assert "the cluster 'local' is up already" in again.stderr
    assert before == found()


def test_down_keeps_data_ports_and_name_and_up_brings_them_back(local: Path) -> None:
    connect = found()["zookeeper_connect"]
    with client_of(connect) as client:
        client.create("/kept", b"1")

    down = kadmin("cluster", "down")
    stopped = kadmin("cluster", "status")
    again = kadmin("cluster", "down")
    with socket.create_server(("127.0.0.1", int(connect.rpartition(":")[2]))):
        taken = kadmin("cluster", "up")
    version_2 = local / "zookeeper-1" / "data" / "version-2"
    version_2.rename(local / "aside")
    version_2.touch()
    broken = kadmin("cluster", "up")
    version_2.unlink()
    (local / "aside").rename(version_2)
    up = kadmin("cluster", "up")

    assert "stopped zookeeper 1 of 'local'" in down.stderr
    assert (4, "local: stopped") == (stopped.exit_code, stopped.stdout.splitlines()[0])
    assert "hint: kadmin cluster up --name local" in stopped.stderr
    assert (0, "nothing of 'local' was running\n") == (again.exit_code, again.stderr)
    # A port that was taken meanwhile, and a server that cannot start, with the end of its log.
    assert 1 == taken.exit_code
    assert f"port {connect.rpartition(':')[2]} of 127.0.0.1: address already in use" in taken.stderr
    assert 1 == broken.exit_code
    assert "zookeeper 1 ended before it served; the end of its log:\n  " in broken.stderr
    assert "version-2" in broken.stderr
    assert f"hint: see the whole log: less {local}" in broken.stderr

    assert (0, f"zookeeper_connect={connect}\n") == (up.exit_code, up.stdout)
    with client_of(connect) as client:
        assert b"1" == client.get("/kept")[0]


def test_a_mistyped_cluster_is_not_made_by_the_hint(home: Path) -> None:
    (clusters(home) / "staging").mkdir(parents=True)

    for command in cluster.commands:
        if command in ("list", "up"):
            continue
        given = ["1"] * cluster.commands[command].params[0].required
        given += ["--yes"] if command == "destroy" else []
        near = kadmin("cluster", command, *given, "--name", "stagin")
        far = kadmin("cluster", command, *given, "--name", "other")
        assert (1, near.stderr.splitlines()[-1]) == (
            near.exit_code,
            "hint: did you mean 'staging'? 'kadmin cluster list' lists all there are",
        )
        assert "(known: staging)" in far.stderr
        assert far.stderr.splitlines()[-1] == "hint: 'kadmin cluster list' lists all there are"


@pytest.mark.parametrize("command", ["status", "down", "destroy"])
def test_a_cluster_that_does_not_exist_is_named(command: str) -> None:
    run = kadmin("cluster", command, "--name", "none", *(["--yes"] * (command == "destroy")))

    assert 1 == run.exit_code
    assert "there is no cluster 'none'" in run.stderr


@pytest.mark.parametrize("name", ["../up", "-x", ".hidden", "a b", "", "a/b"])
def test_a_name_that_cannot_be_a_directory_is_wrong_usage(name: str) -> None:
    assert 2 == kadmin("cluster", "status", f"--name={name}").exit_code


def test_list_without_clusters_says_how_to_make_one() -> None:
    run = kadmin("cluster", "list")

    assert (0, "") == (run.exit_code, run.stdout)
    assert "kadmin cluster up" in run.stderr


@pytest.mark.parametrize(("address", "local"), [("0.0.0.0", "127.0.0.1"), ("::1", "[::1]")])
def test_given_address_port_and_directory_are_kept_to_and_others_files_stay(
    address: str, local: str, tmp_path: Path, home: Path
) -> None:
    (port,) = free_ports(1, address)
    directory = tmp_path / "with space & ümlaut"

    up = kadmin("cluster", "up", "--bind", address, "--port", str(port), "--dir", str(directory))
    status = found()
    (directory / "thesis.txt").write_text("years of work")
    destroyed = kadmin("cluster", "destroy", "--yes")

    assert (0, f"zookeeper_connect={local}:{port}\n") == (up.exit_code, up.stdout), up
    assert ("warning: it listens on 0.0.0.0" in up.stderr) == (address == "0.0.0.0")
    assert ("serving", str(directory)) == (status["state"], status["directory"])
    assert 0 == destroyed.exit_code, destroyed
    assert "thesis.txt" in destroyed.stderr
    assert ["thesis.txt"] == [path.name for path in directory.iterdir()]
    assert not (clusters(home) / "local").is_symlink()


def test_a_directory_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")

    run = kadmin("cluster", "up", "--dir", str(tmp_path))

    assert 6 == run.exit_code
    assert "thesis.txt" in run.stderr
    assert ["thesis.txt"] == [path.name for path in tmp_path.iterdir()]


def test_destroy_refuses_a_directory_that_is_not_ours(home: Path) -> None:
    strange = clusters(home) / "local"
    strange.mkdir(parents=True)
    (strange / "thesis.txt").write_text("years of work")

    run = kadmin("cluster", "destroy", "--yes")

    assert 6 == run.exit_code
    assert (strange / "thesis.txt").exists()


@pytest.mark.usefixtures("local")
def test_what_differs_from_an_existing_cluster_is_refused_with_its_values(tmp_path: Path) -> None:
    port = found()["servers"][0]["port"]

    run = kadmin(
        *("cluster", "up", "--zookeepers", "3", "--port", "2181"),
        *("--bind", "0.0.0.0", "--dir", str(tmp_path)),
    )

    assert 6 == run.exit_code
    assert "exists with 1 ZooKeeper, its directory " in run.stderr
    assert f"port {port}, address 127.0.0.1" in run.stderr


def test_a_blocked_port_is_an_error_and_makes_nothing(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        run = kadmin("cluster", "up", "--port", str(port))

    assert 1 == run.exit_code
    assert f"cannot listen on port {port} of 127.0.0.1: address already in use" in run.stderr
    assert f"hint: see who does: ss -ltnp 'sport = :{port}'" in run.stderr
    assert not (clusters(home) / "local").exists()


@pytest.mark.parametrize("address", ["192.0.2.1", "no address"])
def test_an_address_of_another_machine_is_wrong_usage(address: str) -> None:
    run = kadmin("cluster", "up", "--bind", address)

    assert 2 == run.exit_code
    assert f"cannot listen on {address}" in run.stderr


def test_a_command_waits_for_another_and_gives_up_after_the_timeout() -> None:
    with locked("local", timeout_s=1):
        run = kadmin("cluster", "up", "--timeout", "100ms")

    assert 3 == run.exit_code
    assert "another command is changing the cluster 'local'" in run.stderr
    assert "hint: see how far it is: kadmin cluster status --name local" in run.stderr


def test_what_the_disk_refuses_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    run = kadmin("cluster", "up", "--dir", str(tmp_path / "file" / "below"))

    assert 1 == run.exit_code
    assert f"cannot write the cluster 'local': {tmp_path}/file" in run.stderr


def test_a_broken_state_file_is_named_and_hurts_no_other_cluster(local: Path) -> None:
    broken = local.parent / "broken"
    broken.mkdir()
    for content in (b"", b"{", b'{"schema": "kadmin.local.cluster/9"}', b"\xff"):
        (broken / "cluster.json").write_bytes(content)

        status = kadmin("cluster", "status", "--name", "broken")
        listing = kadmin("cluster", "list")

        assert 1 == status.exit_code, content
        assert f"cannot understand {broken}/cluster.json" in status.stderr, content
        assert 0 == listing.exit_code, content
        assert ["broken  broken", "local   serving"] == [
            line[:15].rstrip() for line in listing.stdout.splitlines()
        ], content
    shutil.rmtree(broken)


@pytest.mark.usefixtures("local")
def test_an_entry_of_the_configuration_that_somebody_refined_is_kept() -> None:
    connect = found()["zookeeper_connect"]
    done("config", "add", "local", "--zookeeper", f"{connect}/kafka", "--force")

    done("cluster", "up")

    assert f"{connect}/kafka" in done("config", "list")


@pytest.mark.usefixtures("local")
def test_a_foreign_cluster_of_that_name_in_the_configuration_is_kept() -> None:
    done("config", "add", "local", "--zookeeper", "zk.example:2181", "--force")

    run = kadmin("cluster", "up")

    assert 6 == run.exit_code
    assert f"zookeeper_connect={found()['zookeeper_connect']}" in run.stdout
    assert "zk.example:2181" in done("config", "list")


@pytest.mark.faults
def test_of_three_one_or_two_are_killed_or_a_down_and_up_mends_it(home: Path) -> None:
    # One of three: the others serve.
    connect = done("cluster", "up", "--zookeepers", "3").strip().partition("=")[2]
    with client_of(connect) as client:
        client.create("/before")
    servers = found()["servers"]
    leader = next(server["id"] for server in servers if server["mode"] == "leader")

    kill_zookeeper(home, leader)

    with client_of(connect) as client:
        client.create("/during")
    wait_until(lambda: found()["state"] == "degraded", what="a new leader")
    status = kadmin("cluster", "status")
    mended = kadmin("cluster", "up")
    with client_of(connect) as client:
        children = set(client.get_children("/"))
    assert ["follower", "follower", "leader"] == sorted(server["mode"] for server in servers)
    assert 4 == status.exit_code
    assert f"zookeeper {leader}: dead port=" in status.stdout
    assert 0 == mended.exit_code
    assert f"started zookeeper {leader} again" in mended.stderr
    assert "serving" == found()["state"]
    assert {"before", "during"} <= children

    # Two of three: nobody serves.
    kill_zookeeper(home, 1)
    kill_zookeeper(home, 3)

    status = kadmin("cluster", "status")
    mended = kadmin("cluster", "up")

    assert 4 == status.exit_code
    assert "local: not serving" == status.stdout.splitlines()[0]
    assert 0 == mended.exit_code
    assert "started zookeepers 1, 3 again" in mended.stderr

    # One by one, by the commands for that.
    steps = (
        (("pause", "1"), 0, "paused zookeeper 1 of 'local'", "zookeeper 1: paused port="),
        (("pause", "1"), 0, "zookeeper 1 of 'local' was paused already", "zookeeper 1: paused "),
        (("start", "1"), 6, "kadmin: zookeeper 1 is paused", ""),
        (("resume", "1"), 0, "resumed zookeeper 1 of 'local'", "zookeeper 1: "),
        (("resume", "1"), 0, "zookeeper 1 of 'local' was not paused", "zookeeper 1: "),
        (("start", "1"), 0, "zookeeper 1 of 'local' is up already", "zookeeper 1: serving mode="),
        (("stop", "2"), 0, "stopped zookeeper 2 of 'local'", "zookeeper 2: stopped port="),
        (("stop", "2"), 0, "zookeeper 2 of 'local' was not running", "zookeeper 2: stopped "),
        (("pause", "2"), 1, "kadmin: zookeeper 2 is not running", ""),
        (("kill", "3"), 0, "warning: 1 of 3 ZooKeepers of 'local' run", "zookeeper 3: dead port="),
        (("kill", "1"), 0, "warning: 0 of 3 ZooKeepers of 'local' run", "zookeeper 1: dead port="),
        (
            ("start", "3"),
            3,
            "kadmin: zookeeper 3 of 'local' is started, but does not serve yet",
            "",
        ),
        (("start", "1"), 0, "started zookeeper 1 of 'local'", "zookeeper 1: serving mode="),
        (("start", "3"), 0, "zookeeper 3 of 'local' is up already", "zookeeper 3: serving mode="),
        (("start", "2"), 0, "started zookeeper 2 of 'local'", "zookeeper 2: serving mode="),
        (("kill", "4"), 1, "kadmin: there is no zookeeper 4 in the cluster 'local' (known: 1", ""),
    )
    for (verb, server), code, said, line in steps:
        run = kadmin("cluster", f"{verb}-zookeeper", server)

        assert (code, True) == (run.exit_code, run.stderr.startswith(said)), (verb, run)
        assert run.stdout.startswith(line), (verb, run)
    done("cluster", "pause-zookeeper", "2")
    assert ["1", "2", "3"] == offered("local-zookeepers", "--name", "local")
    assert "resumed zookeeper 2\n" in kadmin("cluster", "up").stderr
    assert "serving" == found()["state"]

    # The command that is to end all three.
    before = servers_running_in(clusters(home))
    sign = clusters(home) / "local" / "zookeeper-3" / "ending"
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "cluster", "down"],
        cwd=CHECKOUT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as interrupted:
        # An empty mark is one that is being written: nobody has asked that server to end yet.
        while not (sign.exists() and sign.read_text()):
            assert interrupted.poll() is None
        interrupted.kill()

    up = kadmin("cluster", "up")

    assert 0 == up.exit_code, up
    after = servers_running_in(clusters(home))
    assert (3, 3) == (len(before), len(after))
    # Those that were ending may answer for a while: none of them is taken for one that serves.
    assert not before & after
    assert "serving" == found()["state"]
    assert after == {server["pid"] for server in found()["servers"]}


@pytest.mark.faults
def test_a_pid_file_that_now_names_another_process_kills_nobody(home: Path) -> None:
    done("cluster", "up")
    kill_zookeeper(home, 1)
    pid_file = clusters(home) / "local" / "zookeeper-1" / "pid"
    with subprocess.Popen(["sleep", "900"]) as stranger:
        try:
            pid_file.write_text(f"{stranger.pid} {pid_file.read_text().split()[1]}\n")

            dead = found()["servers"][0]["state"]
            down = kadmin("cluster", "down")
            destroyed = kadmin("cluster", "destroy", "--yes")

            assert stranger.poll() is None
        finally:
            stranger.kill()
    assert "dead" == dead
    assert "nothing of 'local' was running\n" == down.stderr
    assert 0 == destroyed.exit_code


@pytest.mark.faults
def test_two_ups_at_once_make_one_cluster() -> None:
    command = [sys.executable, "-m", "kadmin", "cluster", "up"]
    with (
        subprocess.Popen(command, cwd=CHECKOUT, stdout=-1, stderr=-1, text=True) as first,
        subprocess.Popen(command, cwd=CHECKOUT, stdout=-1, stderr=-1, text=True) as second,
    ):
        outcomes = [process.communicate(timeout=OUTER_LIMIT_S) for process in (first, second)]

    assert [0, 0] == [first.returncode, second.returncode], outcomes
    assert outcomes[0][0] == outcomes[1][0] == f"zookeeper_connect={found()['zookeeper_connect']}\n"
    notes = sorted(stderr.splitlines()[0][:11] for _, stderr in outcomes)
    assert ["made the cl", "the cluster"] == notes


@pytest.mark.faults
@pytest.mark.parametrize(
    ("moment", "count"), [("cluster.json", "1"), ("zookeeper-1/pid", "1"), ("zookeeper-2/pid", "3")]
)
def test_an_up_that_was_killed_is_settled_by_the_next(moment: str, count: str, home: Path) -> None:
    sign = clusters(home) / "local" / moment
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "cluster", "up", "--zookeepers", count],
        cwd=CHECKOUT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as interrupted:
        while not sign.exists():
            assert interrupted.poll() is None
        interrupted.kill()

    up = kadmin("cluster", "up", "--zookeepers", count)

    assert 0 == up.exit_code, up
    assert "serving" == found()["state"]
    noted = {server["pid"] for server in found()["servers"]}
    assert noted == servers_running_in(clusters(home))


@pytest.mark.faults
def test_one_that_was_asked_to_end_and_still_serves_is_started_anew(local: Path) -> None:
    """As a down leaves it that was killed between the mark and the signal."""
    before = servers_running_in(local)
    shutil.copy(local / "zookeeper-1" / "pid", local / "zookeeper-1" / "ending")

    up = kadmin("cluster", "up")

    assert 0 == up.exit_code, up
    assert "zookeeper 1" in up.stderr
    (after,) = servers_running_in(local)
    assert after not in before
    assert "serving" == found()["state"]
    # The mark has gone with the process that it was about.
    assert 0 == kadmin("cluster", "up").exit_code
    assert {after} == servers_running_in(local)


@pytest.mark.faults
def test_one_that_stands_still_is_started_anew(
    local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = silent_server(local)
    # That one is waited for first, and then the new one.
    limits_s = iter((0.1, OUTER_LIMIT_S))
    monkeypatch.setattr(
        "kadmin.local.clusters.wait_until_serving",
        lambda servers, _: wait_until_serving(servers, next(limits_s)),
    )

    up = kadmin("cluster", "up")

    assert 0 == up.exit_code, up
    (after,) = servers_running_in(local)
    assert before.pid != after


@pytest.mark.faults
def test_an_up_interrupted_by_ctrl_c_says_so_and_is_settled_by_the_next(home: Path) -> None:
    sign = clusters(home) / "local" / "zookeeper-1" / "pid"
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "cluster", "up"],
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        text=True,
    ) as interrupted:
        while not sign.exists():
            assert interrupted.poll() is None
        interrupted.send_signal(signal.SIGINT)
        _, stderr = interrupted.communicate(timeout=OUTER_LIMIT_S)

    assert 130 == interrupted.returncode
    assert "kadmin: interrupted\n" == stderr
    assert 0 == kadmin("cluster", "up").exit_code
    noted = {server["pid"] for server in found()["servers"]}
    assert noted == servers_running_in(clusters(home))


@pytest.mark.faults
def test_what_an_up_left_that_was_killed_can_be_destroyed(home: Path, tmp_path: Path) -> None:
    directory = tmp_path / "elsewhere"
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "cluster", "up", "--dir", str(directory)], cwd=CHECKOUT
    ) as interrupted:
        while not directory.exists():
            assert interrupted.poll() is None
        interrupted.kill()

    assert 0 == kadmin("cluster", "up", "--dir", str(directory)).exit_code
    assert 0 == kadmin("cluster", "destroy", "--yes").exit_code

    assert set() == servers_running_in(directory)
    assert not directory.exists()


def servers_running_in(directory: Path) -> set[int]:
    """The ids of all processes whose working directory is *directory* or lies below it."""
    found = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                works_in = (process / "cwd").readlink()
            except OSError:
                continue
            if works_in.is_relative_to(directory):
                found.add(int(process.name))
    return found


def silent_server(directory: Path) -> Process:
    """A process in the place of the only server of the cluster in *directory*: it runs, and never
    answers."""
    home = directory / "zookeeper-1"
    done("cluster", "kill-zookeeper", "1")
    return start(
        ["/bin/sleep", "900"],
        pid_file=home / "pid",
        log_file=home / "server.log",
        directory=home,
    )


@pytest.mark.faults
def test_one_that_does_not_answer_is_told_and_can_be_brought_down(local: Path) -> None:
    running = silent_server(local)

    status = kadmin("cluster", "status")
    started = kadmin("cluster", "start-zookeeper", "1", "--timeout", "200ms")
    late = kadmin("cluster", "up", "--timeout", "200ms")
    down = kadmin("cluster", "down")

    assert status.exit_code in (3, 4)
    assert (1, 1) == (late.exit_code, started.exit_code)
    assert "zookeeper 1 does not serve after 0.2 s" in late.stderr
    assert "zookeeper 1 does not serve after 0.2 s" in started.stderr
    assert 0 == down.exit_code
    assert not running.is_alive


@pytest.mark.faults
def test_a_paused_server_is_told_and_can_be_brought_down(local: Path) -> None:
    running = read_pid_file(local / "zookeeper-1" / "pid")
    assert isinstance(running, Process)
    done("cluster", "pause-zookeeper", "1")

    status = kadmin("cluster", "status")
    down = kadmin("cluster", "down")

    assert 4 == status.exit_code
    assert "zookeeper 1: paused" in status.stdout
    assert 0 == down.exit_code
    assert not running.is_alive


def test_lines_that_were_added_to_a_zookeepers_file_stay(local: Path) -> None:
    file = local / "zookeeper-1" / "zoo.cfg"
    with file.open("a") as config:
        config.write("snapCount=5000\n")
    done("cluster", "stop-zookeeper", "1")

    started = kadmin("cluster", "start-zookeeper", "1")

    assert f"zookeeper 1 keeps from {file}: snapCount\n" in started.stderr
    assert file.read_text().endswith("snapCount=5000\n")
