"""Brokers of a cluster of this machine: real processes, with a real ZooKeeper."""

import json
import re
import shlex
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from cluster.model.ids import BrokerId
from cluster.zk import paths
from kadmin.jvm.process import Process, read_pid_file
from kadmin.local import clusters
from kadmin.local.broker_probe import answers
from kadmin.local.state import locked, read_cluster
from tests.support.checkout import CHECKOUT
from tests.support.cli import done, kadmin, offered
from tests.support.expiry import expire_owner
from tests.support.waiting import wait_until
from tests.support.watching import shown
from tests.support.zookeeper import SESSION_S, client_of

pytestmark = [
    pytest.mark.zk,
    pytest.mark.faults,
    pytest.mark.usefixtures("clean_machine"),
    # In one process, which starts what most of them share.
    pytest.mark.xdist_group("cluster"),
]

JOINING = '"is_joining": true'


@pytest.fixture
def local(home: Path) -> Path:
    """The directory of the cluster `local`."""
    return home / "data" / "kadmin" / "clusters" / "local"


@pytest.fixture
def two(shared_machine: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The directory of a cluster `local` with two brokers, which serve: what a test does to it, the
    next mends.  Only `forget` lets ZooKeeper notice that one has died."""
    monkeypatch.setenv("XDG_DATA_HOME", str(shared_machine))
    session = f"zookeeper.session.timeout.ms={SESSION_S * 1000}"
    done("cluster", "up", "--brokers", "2", "--set", session)
    return shared_machine / "kadmin" / "clusters" / "local"


def forget(*broker_ids: int) -> None:
    """Let ZooKeeper notice that brokers are dead."""
    connect = found()["zookeeper_connect"]
    with client_of(connect) as client:
        for broker_id in broker_ids:
            expire_owner(client, connect, paths.broker(BrokerId(broker_id)))


def found() -> Any:
    """What `cluster status` says in JSON, whatever its exit code."""
    return json.loads(kadmin("cluster", "status", "--output", "json").stdout)


def broker_states() -> list[str]:
    return [broker["state"] for broker in found()["brokers"]]


def process_of(local: Path, server: str) -> Process:
    running = read_pid_file(local / server / "pid")
    assert running is not None
    return running


def noted_pids() -> set[int]:
    status = found()
    return {server["pid"] for server in (*status["servers"], *status["brokers"])} - {None}


def pids_in(directory: Path) -> set[int]:
    """The ids of all processes whose working directory is *directory* or lies below it."""
    pids = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with suppress(OSError):
                if (process / "cwd").readlink().is_relative_to(directory):
                    pids.add(int(process.name))
    return pids


def killed_at(moment: Callable[[], bool], *arguments: str) -> None:
    """Run `kadmin cluster` with *arguments* in a process and kill it when *moment* has come."""
    with subprocess.Popen(
        [sys.executable, "-m", "kadmin", "cluster", *arguments],
        cwd=CHECKOUT,
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
    ) as interrupted:
        assert interrupted.stderr is not None
        while not moment():
            assert interrupted.poll() is None, interrupted.stderr.read()
        interrupted.kill()


def test_up_gives_brokers_that_serve_and_names_them_everywhere(local: Path) -> None:
    up = kadmin(
        *("cluster", "up", "--brokers", "2", "--racks", "a,b", "--set", "num.partitions=7"),
        *("--output", "json"),
    )
    status, body = found(), json.loads(up.stdout)
    (advice,) = re.findall(r"^next: kadmin (.+)$", up.stderr, re.MULTILINE)
    advised = kadmin(*shlex.split(advice))
    text = kadmin("cluster", "status").stdout
    with client_of(status["zookeeper_connect"]) as client:
        racks = [json.loads(client.get(f"/brokers/ids/{number}")[0])["rack"] for number in (1, 2)]

    assert 0 == up.exit_code, up
    assert (0, "Created topic orders.\n") == (advised.exit_code, advised.stdout), advised
    assert "started brokers 1, 2\n" in up.stderr
    ports = [broker["port"] for broker in status["brokers"]]
    bootstrap = ",".join(f"127.0.0.1:{port}" for port in ports)
    assert [1, 2] == [broker["id"] for broker in status["brokers"]]
    assert ["serving", "serving"] == broker_states()
    assert ("serving", bootstrap) == (status["state"], status["bootstrap_servers"])
    assert ([1, 2], bootstrap) == (body["started_brokers"], body["bootstrap_servers"])
    assert all(answers("127.0.0.1", port) for port in ports)
    assert (
        f'bootstrap_server = "{bootstrap}"'
        in (local.parents[3] / "config" / "kadmin" / "config.toml").read_text()
    )
    assert f"bootstrap_servers={bootstrap}\n" in text
    assert re.search(rf"^broker 2: serving rack=b port={ports[1]} pid=[0-9]+$", text, re.MULTILINE)
    assert ["a", "b"] == racks
    properties = (local / "broker-1" / "server.properties").read_text()
    assert "num.partitions=7\n" in properties
    assert "default.replication.factor=2\n" in properties
    assert "--replication-factor 2" in advice
    assert {"data", "logs", "server.properties"} <= {
        path.name for path in (local / "broker-2").iterdir()
    }


def test_one_broker_is_paused_resumed_stopped_killed_and_started(two: Path) -> None:
    pid = found()["brokers"][0]["pid"]
    steps = (
        ("pause", "paused broker 1 of 'local'", "broker 1: paused"),
        ("pause", "broker 1 of 'local' was paused already", "broker 1: paused"),
        ("resume", "resumed broker 1 of 'local'", "broker 1: "),
        ("resume", "broker 1 of 'local' was not paused", "broker 1: "),
        ("start", "broker 1 of 'local' is up already", "broker 1: serving"),
        ("stop", "stopped broker 1 of 'local'", "broker 1: stopped"),
        ("stop", "broker 1 of 'local' was not running", "broker 1: stopped"),
        ("start", "started broker 1 of 'local'", "broker 1: serving"),
        ("kill", "killed broker 1 of 'local'", "broker 1: dead"),
        ("kill", "broker 1 of 'local' was not running", "broker 1: dead"),
        ("start", "started broker 1 of 'local'", "broker 1: serving"),
    )

    for action, note, line in steps:
        run = kadmin("cluster", f"{action}-broker", "1")

        assert (0, f"{note}\n") == (run.exit_code, run.stderr), action
        assert run.stdout.startswith(line), run
        if action == "kill":
            forget(1)
    assert pid != found()["brokers"][0]["pid"]
    assert "Broker 1 has ended" in (two / "broker-1" / "logs" / "server.log").read_text()


def test_lines_that_were_added_to_a_brokers_file_stay_and_what_the_cluster_decides_is_refused(
    two: Path,
) -> None:
    file = two / "broker-1" / "server.properties"
    done("cluster", "stop-broker", "1")
    with file.open("a") as properties:
        properties.write("# mine\nnum.partitions=5\n")

    started = kadmin("cluster", "start-broker", "1")
    asked = ("--describe", "--broker", "1", "--all", "--bootstrap-server")
    described = done("configs", *asked, found()["bootstrap_servers"])
    done("cluster", "stop-broker", "1")
    kept = file.read_text()
    file.write_text(kept + "listeners=PLAINTEXT://127.0.0.1:1\n")
    refused = kadmin("cluster", "start-broker", "1")
    file.write_text(kept.replace("num.partitions=5\n", ""))
    again = kadmin("cluster", "up")

    assert f"broker 1 keeps from {file}: num.partitions\n" in started.stderr
    assert "num.partitions=5" in described
    assert kept.endswith("# mine\nnum.partitions=5\n")
    assert 6 == refused.exit_code
    assert f"{file}:{kept.count(chr(10)) + 1}: listeners cannot be changed" in refused.stderr
    assert (0, False) == (again.exit_code, "keeps from" in again.stderr)


def test_status_tells_what_a_killed_broker_lacks_and_does_not_wait_for_it(two: Path) -> None:
    new = ("--topic", "lacking", "--partitions", "2", "--replication-factor", "2")
    done("topics", "--create", *new)
    # With the topics of other tests, which have replicas on both brokers as well.
    count = found()["partitions"]["count"]
    whole = {"count": count, "unavailable": 0, "under_replicated": 0, "lacking": []}
    wait_until(lambda: found()["partitions"] == whole, what="replicas to follow")

    assert ["1", "2"] == offered("local-brokers", "--name", "local")
    done("cluster", "kill-broker", "1")
    forget(1)
    wait_until(lambda: found()["partitions"]["under_replicated"] == count, what="a smaller ISR")
    lacking = found()["partitions"]["lacking"]
    text = kadmin("cluster", "status").stdout

    assert [(0, 2, [2], {"1": None}), (1, 2, [2], {"1": None})] == [
        (each["partition"], each["leader"], each["isr"], each["lag"])
        for each in lacking
        if each["topic"] == "lacking"
    ]
    assert f"partitions: {count} unavailable=0 under_replicated={count}\n" in text
    assert re.search(r"^partition lacking-0: leader=2 .* isr=2 lag=1:\?$", text, re.MULTILINE)

    done("cluster", "kill-broker", "2")
    forget(2)
    process_of(two, "zookeeper-1").kill()

    assert found()["partitions"] is None
    assert "partition" not in kadmin("cluster", "status").stdout


@pytest.mark.usefixtures("two")
def test_status_tells_how_long_events_of_the_controller_waited_and_took() -> None:
    def events(controller: Any) -> dict[str, Any]:
        return {event["event"]: event for event in controller["events"]}

    def has_made_topics() -> bool:
        controller = found()["controller"]
        made = {"TopicChange", "LeaderAndIsrResponseReceived"}
        return controller is not None and made <= events(controller).keys()

    new = ("--topic", "eventful", "--partitions", "8", "--replication-factor", "2")
    done("topics", "--create", *new)
    wait_until(has_made_topics, what="the figures of the new topic")
    first = found()["controller"]
    short, long = kadmin("cluster", "status"), kadmin("cluster", "status", "--controller")
    told = json.loads(kadmin("controller", "--output", "json").stdout)

    assert (told["controller"], told["epoch"]) == (first["broker"], first["epoch"])
    assert events(first)["TopicChange"]["count"] >= 1
    # A topic is made in several round trips to ZooKeeper.
    assert events(first)["TopicChange"]["processing_ms"]["max"] >= 1
    for event in first["events"]:
        for spread in (event["queue_ms"], event["processing_ms"]):
            assert 0 <= spread["mean"] <= spread["max"]
            assert 0 <= spread["p99"] <= spread["max"]
    head = rf"^controller: broker {first['broker']} epoch={first['epoch']} events=\d+ queue_ms_max="
    assert re.search(head, short.stdout, re.MULTILINE)
    assert re.search(head, long.stdout, re.MULTILINE)
    assert "event TopicChange: " not in short.stdout
    assert re.search(
        r"^event TopicChange: count=\d+ queue_ms=[\d.]+ queue_ms_p99=[\d.]+ queue_ms_max=[\d.]+"
        r" processing_ms=[\d.]+ processing_ms_p99=[\d.]+ processing_ms_max=[\d.]+$",
        long.stdout,
        re.MULTILINE,
    )

    done("cluster", "kill-broker", str(first["broker"]))
    forget(first["broker"])
    wait_until(lambda: found()["controller"] is not None, what="another controller")
    second = found()["controller"]

    assert (3 - first["broker"], True) == (second["broker"], second["epoch"] > first["epoch"])
    # The one that is started has its predecessor's file until it has something to tell.
    done("cluster", "start-broker", str(first["broker"]))
    assert second["epoch"] <= found()["controller"]["epoch"]


@pytest.mark.usefixtures("two")
def test_what_cannot_be_done_to_a_broker_is_refused_with_a_way_out() -> None:
    done("cluster", "pause-broker", "1")
    done("cluster", "pause-broker", "2")
    paused = kadmin("cluster", "stop-broker", "1")
    paused_start = kadmin("cluster", "start-broker", "1")
    degraded = kadmin("cluster", "status")
    unknown = kadmin("cluster", "kill-broker", "7")
    logs = kadmin("cluster", "logs", "7")
    resumed = kadmin("cluster", "up")
    done("cluster", "stop-broker", "1")
    dead = kadmin("cluster", "pause-broker", "1")
    fewer = kadmin("cluster", "up", "--brokers", "0")

    assert (6, 6) == (paused.exit_code, paused_start.exit_code)
    assert "hint: kadmin cluster resume-broker 1 --name local\n" in paused.stderr
    assert (4, "local: not serving") == (degraded.exit_code, degraded.stdout.splitlines()[0])
    assert (1, 1) == (unknown.exit_code, logs.exit_code)
    assert "there is no broker 7 in the cluster 'local' (known: 1, 2)" in unknown.stderr
    assert "hint: 'kadmin cluster status --name local' shows its brokers\n" in unknown.stderr
    assert (0, True) == (resumed.exit_code, "resumed brokers 1, 2\n" in resumed.stderr)
    assert (1, "kadmin: broker 1 is not running") == (dead.exit_code, dead.stderr.splitlines()[0])
    assert "hint: kadmin cluster start-broker 1 --name local\n" in dead.stderr
    assert (6, True) == (fewer.exit_code, "exists with 2 brokers" in fewer.stderr)


def test_a_paused_broker_goes_down_in_good_order_and_no_broker_starts_without_zookeeper(
    two: Path,
) -> None:
    ports = [broker["port"] for broker in found()["brokers"]]
    done("cluster", "pause-broker", "2")

    down = kadmin("cluster", "down")
    stopped = found()
    alone = kadmin("cluster", "start-broker", "1")
    added = kadmin("cluster", "add-broker")
    has_third = (two / "broker-3").exists()
    (two / "broker-1" / "data" / "kept").touch()
    up = kadmin("cluster", "up")

    assert "stopped brokers 1, 2 and zookeeper 1 of 'local'; its data stays\n" == down.stderr
    assert ["stopped", "stopped"] == [broker["state"] for broker in stopped["brokers"]]
    assert "Broker 2 has ended" in (two / "broker-2" / "logs" / "server.log").read_text()
    assert (6, 6, False) == (alone.exit_code, added.exit_code, has_third)
    assert "no ZooKeeper of 'local' answers, and brokers need them" in added.stderr
    assert 0 == up.exit_code, up
    assert ports == [broker["port"] for broker in found()["brokers"]]
    assert (two / "broker-1" / "data" / "kept").exists()


def test_settings_of_brokers_change_when_they_start_again_and_wrong_ones_are_not_kept(
    local: Path,
) -> None:
    wrong = ("--set", "num.partitions=many", "--set", "log.retention.hours=x")
    known, unknown = ("--set", "num.partitions=3"), ("--set", "num.partitons=6")

    new = kadmin("cluster", "up", "--brokers", "2", *wrong)
    was_made = local.exists()
    up = kadmin("cluster", "up", "--brokers", "2", *known, *unknown)
    old = kadmin("cluster", "up", *wrong)
    again = kadmin("cluster", "up")

    # Values by which no broker starts are refused; of a key that none knows both say the same.
    assert (2, 2, False) == (new.exit_code, old.exit_code, was_made)
    for refused in (new, old):
        assert "--set num.partitions: Invalid value many for configuration" in refused.stderr
        assert "\n--set log.retention.hours: Invalid value x for configuration" in refused.stderr
    told = [line for line in up.stderr.splitlines() if line.startswith("warning:")]
    assert ["warning: brokers say: num.partitons is not honoured; is num.partitions meant?"] == told
    assert (0, 0, False) == (up.exit_code, again.exit_code, "warning" in again.stderr)

    changed = kadmin("cluster", "up", "--set", "num.partitions=4")
    unchanged = kadmin("cluster", "up")
    done("cluster", "stop-broker", "1")
    done("cluster", "start-broker", "1")
    half = kadmin("cluster", "up")

    text = "warning: brokers 1, 2 will have the new settings when started again"
    assert text in changed.stderr
    assert changed.stderr.count("warning:") == unchanged.stderr.count("warning:") == 1
    assert "warning: broker 2 will have the new settings when started again" in half.stderr


def test_a_broker_that_cannot_start_tells_why_in_its_own_words(two: Path) -> None:
    done("cluster", "stop-broker", "1")
    meta = two / "broker-1" / "data" / "meta.properties"
    its_own = meta.read_text()
    meta.write_text(its_own.replace("broker.id=1", "broker.id=9"))

    refused = kadmin("cluster", "start-broker", "1")
    states = broker_states()
    meta.write_text(its_own)
    up = kadmin("cluster", "up")

    assert (1, ["dead", "serving"]) == (refused.exit_code, states)
    assert "broker 1 ended before it served; its last words:\n" in refused.stderr
    assert f"log directory {two}/broker-1/data" in refused.stderr
    assert f"hint: see all of them: less {two}/broker-1/output.log\n" in refused.stderr
    assert (0, True) == (up.exit_code, "started broker 1 again\n" in up.stderr)


@pytest.mark.usefixtures("two")
def test_a_broker_whose_id_another_has_does_not_start_and_says_whose_it_is() -> None:
    """The other's registration, and an answer on this one's port, are not this one's service."""
    done("cluster", "stop-broker", "2")
    elsewhere = {"version": 5, "endpoints": ["PLAINTEXT://other:9092"], "host": "other"}
    other = elsewhere | {"port": 9092, "timestamp": "0", "jmx_port": -1, "features": {}}
    other |= {"listener_security_protocol_map": {"PLAINTEXT": "PLAINTEXT"}}
    with client_of(found()["zookeeper_connect"]) as client:
        client.create(paths.broker(BrokerId(2)), json.dumps(other).encode(), ephemeral=True)
        start = kadmin("cluster", "start-broker", "2")
        up = kadmin("cluster", "up")
        client.delete(paths.broker(BrokerId(2)))

    for refused in (start, up):
        assert 1 == refused.exit_code
        assert "broker 2 ended before it served; its last words:" in refused.stderr
        assert "another broker has this id: it is at PLAINTEXT://other:9092" in refused.stderr
        assert "started" not in refused.stderr.partition("last words")[0]


@pytest.mark.usefixtures("two")
def test_a_port_that_was_taken_meanwhile_is_named_and_given_back_it_serves() -> None:
    port = found()["brokers"][1]["port"]
    done("cluster", "kill-broker", "2")
    forget(2)

    with socket.create_server(("127.0.0.1", port)):
        start = kadmin("cluster", "start-broker", "2")
        up = kadmin("cluster", "up")
        states = broker_states()
    again = kadmin("cluster", "up")

    assert (1, 1) == (start.exit_code, up.exit_code)
    text = f"broker 2 cannot listen on port {port} of 127.0.0.1: address already in use"
    assert text in start.stderr
    assert text in up.stderr
    assert ["serving", "dead"] == states
    assert (0, "serving") == (again.exit_code, found()["state"])


def test_add_broker_goes_to_the_emptiest_rack_and_is_named_in_the_configuration(
    local: Path,
) -> None:
    done("cluster", "up", "--brokers", "1", "--racks", "a")
    (local / "broker-2").touch()

    refused = kadmin("cluster", "add-broker", "--rack", "b")
    (local / "broker-2").unlink()
    clashing = kadmin("cluster", "add-broker", "--rack", "c")
    other = kadmin("cluster", "add-broker", "--rack", "b")
    third = kadmin("cluster", "add-broker", "--output", "json")

    assert 1 == refused.exit_code
    assert f"cannot write the cluster 'local': {local}/broker-2" in refused.stderr
    assert 6 == clashing.exit_code
    assert "broker 2, which an earlier command began to add, has the rack b" in clashing.stderr
    assert "added broker 2 to 'local'\n" == other.stderr
    assert other.stdout.startswith("broker 2: serving rack=b port=")
    body = json.loads(third.stdout)
    assert ("kadmin.cluster.broker/1", "local") == (body["schema"], body["name"])
    assert (3, "serving", "a") == tuple(body["broker"][key] for key in ("id", "state", "rack"))
    assert body["bootstrap_servers"] == found()["bootstrap_servers"]
    assert (
        f'bootstrap_server = "{body["bootstrap_servers"]}"'
        in (local.parents[3] / "config" / "kadmin" / "config.toml").read_text()
    )


@pytest.mark.parametrize(("moment", "count"), [("cluster.json", 1), ("broker-1/pid", 2)])
def test_an_up_that_was_killed_is_settled_by_the_next(moment: str, count: int, local: Path) -> None:
    killed_at((local / moment).exists, "up", "--brokers", str(count))

    up = kadmin("cluster", "up")

    assert 0 == up.exit_code, up
    assert ("serving", ["serving"] * count) == (found()["state"], broker_states())
    assert noted_pids() == pids_in(local)


def test_an_add_broker_that_was_killed_is_finished_by_the_next(local: Path) -> None:
    done("cluster", "up")
    for count, (moment, next_command) in enumerate(
        (("cluster.json", "add-broker"), ("broker-2/pid", "add-broker"), ("broker-3/pid", "up")),
        start=1,
    ):
        killed_at(partial(is_joining, local, moment), "add-broker")

        finished = kadmin("cluster", next_command)

        assert 0 == finished.exit_code, finished
        is_added = f"added broker {count} to 'local'\n" == finished.stderr
        assert is_added == (next_command == "add-broker")
        assert ["serving"] * count == broker_states()
        assert JOINING not in state(local)
        assert noted_pids() == pids_in(local)


def is_joining(local: Path, moment: str) -> bool:
    return (local / moment).exists() and JOINING in state(local)


def state(local: Path) -> str:
    return (local / "cluster.json").read_text()


@pytest.mark.usefixtures("two")
def test_a_stop_that_was_killed_is_seen_to_its_end_before_a_start() -> None:
    cluster = read_cluster("local")
    assert cluster is not None
    pids = [broker["pid"] for broker in found()["brokers"]]
    for broker in cluster.brokers:
        # So far comes a 'down' that is killed then; paused, a broker surely has not ended yet.
        running = broker.process
        assert running is not None
        broker.pause()
        running.signal(signal.SIGTERM)
        broker.ending_file.write_text(f"{running.pid} {running.started}\n")

    start = kadmin("cluster", "start-broker", "1")
    up = kadmin("cluster", "up")

    assert (0, "started broker 1 of 'local'\n") == (start.exit_code, start.stderr)
    assert (0, True) == (up.exit_code, up.stderr.startswith("started broker 2\n")), up
    assert ["serving", "serving"] == broker_states()
    assert not set(pids) & {broker["pid"] for broker in found()["brokers"]}


def test_killed_servers_of_all_kinds_are_mended_by_up(two: Path) -> None:
    connect = found()["zookeeper_connect"]
    with client_of(connect) as client:
        cluster_id = client.get("/cluster/id")[0]
    process_of(two, "broker-2").kill()
    forget(2)
    process_of(two, "zookeeper-1").kill()

    status = kadmin("cluster", "status")
    up = kadmin("cluster", "up")

    assert (4, "local: not serving") == (status.exit_code, status.stdout.splitlines()[0])
    assert (0, ["serving", "serving"]) == (up.exit_code, broker_states())
    assert "started zookeeper 1 again\nstarted broker 2 again\n" in up.stderr
    with client_of(connect) as client:
        assert cluster_id == client.get("/cluster/id")[0]


def test_without_zookeeper_brokers_still_go_down_and_nothing_stays(
    local: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clusters, "STOP_GRACE_S", 0.5)
    done("cluster", "up", "--brokers", "1")
    process_of(local, "zookeeper-1").kill()
    process_of(local, "broker-1").signal(signal.SIGSTOP)

    destroyed = kadmin("cluster", "destroy", "--yes")

    assert (0, "removed the cluster 'local'\n") == (destroyed.exit_code, destroyed.stderr)
    assert set() == pids_in(local)
    assert not local.exists()


def test_logs_and_status_are_shown_while_a_broker_comes_to_its_end(local: Path) -> None:
    done("cluster", "up", "--brokers", "1")
    running = process_of(local, "broker-1")
    changes = local / "broker-1/logs/state-change.log"
    # The first order of a controller may come after the broker serves.
    wait_until(lambda: changes.read_text() != "", what="a state change")
    printed = kadmin("cluster", "logs", "1")
    state_changes = kadmin("cluster", "logs", "1", "--state-change")
    both = kadmin("cluster", "logs", "1", "--state-change", "--controller")
    # As if it had been asked to end before: it is not asked again, and goes on.
    noted = local / "broker-1" / "ending"
    noted.write_text(f"{running.pid} {running.started}\n")
    late = kadmin("cluster", "stop-broker", "1", "--timeout", "100ms")
    is_alive = running.is_alive
    noted.unlink()
    with (
        shown("cluster", "logs", "1", "-f") as following,
        shown("cluster", "status", "--watch", "0.1") as watching,
    ):
        first = next(following)
        before = next(line for line in watching if line.startswith("broker 1: "))
        done("cluster", "stop-broker", "1")
        last = next(line for line in following if "has ended" in line)
        after = next(line for line in watching if line.startswith("broker 1: stopped"))

    assert printed.stdout.startswith(first)
    assert "Broker 1 of cluster" in printed.stdout
    assert (0, 2) == (state_changes.exit_code, both.exit_code)
    assert state_changes.stdout
    assert changes.read_text().startswith(state_changes.stdout)
    assert (3, True) == (late.exit_code, is_alive)
    assert "broker 1 is still ending after 0.1 s" in late.stderr
    assert "Broker 1 has ended" in last
    assert before.startswith("broker 1: serving")
    assert after.startswith("broker 1: stopped")


def test_another_command_is_waited_for() -> None:
    with locked("local", timeout_s=1):
        run = kadmin("cluster", "add-broker", "--timeout", "100ms")

    assert 3 == run.exit_code
    assert "another command is changing the cluster 'local'" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("up", "--brokers", "1", "--set", "broker.id=7"), "--set broker.id: this key cannot"),
        (("up", "--racks", "a"), "--racks needs --brokers"),
        (("up", "--brokers", "1", "--racks", "a,,b"), "it is not RACK"),
        (("up", "--brokers", "-1"), "--brokers"),
        (("stop-broker",), "missing argument"),
        (("stop-broker", "one"), "'one' is not a valid"),
    ],
)
def test_wrong_usage_makes_nothing(arguments: tuple[str, ...], text: str, local: Path) -> None:
    run = kadmin("cluster", *arguments)

    assert (2, True) == (run.exit_code, text in run.stderr), run
    assert not local.exists()
