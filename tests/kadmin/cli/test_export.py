"""`kadmin export` on a broker of ours: what Prometheus reads, while things come, go and fail."""

import os
import signal
import stat
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from kadmin.cli.export import PollSession
from kadmin.errors import ExitCode
from kadmin.local.ports import free_ports
from tests.support.brokers import running_broker
from tests.support.cli import done, kadmin
from tests.support.committing import commit, joined
from tests.support.exporting import Exported, exporting
from tests.support.one_broker import OneBroker
from tests.support.waiting import OUTER_LIMIT_S

pytestmark = [pytest.mark.clients, pytest.mark.xdist_group("one-broker")]

NUMBERS: Final = count(1)


@pytest.fixture
def wire(one_broker: OneBroker) -> tuple[str, str]:
    return ("--bootstrap-server", one_broker.broker.bootstrap)


@pytest.fixture
def topic(wire: tuple[str, str], tmp_path: Path) -> str:
    """A topic of one partition with five records."""
    name = f"exported-{next(NUMBERS)}-{os.getpid()}"
    done("topics", "--create", "--topic", name, "--partitions", "1", "--yes", *wire)
    path = tmp_path / name
    path.write_text("v\n" * 5)
    done("produce", "--topic", name, "--file", str(path), *wire)
    return name


def once(*arguments: str) -> Exported:
    return Exported(done("export", "--once", *arguments))


def test_one_look_has_topics_groups_and_findings(
    one_broker: OneBroker, wire: tuple[str, str], topic: str
) -> None:
    group = f'of "{topic}"\\ \n'
    commit(one_broker.broker.bootstrap, group, topic, 0, 2)
    found = once(*wire)

    read = {"consumergroup": group, "topic": topic, "partition": 0}
    assert 1 == found.get("kafka_brokers")
    assert one_broker.broker.bootstrap in found.values("kafka_broker_info", "address")
    assert 5 == found.get("kafka_topic_partition_current_offset", topic=topic, partition=0)
    assert 2 == found.get("kafka_consumergroup_current_offset", **read)
    assert 3 == found.get("kafka_consumergroup_lag", **read)
    lag_seconds = found.get("kafka_consumergroup_lag_seconds", **read)
    assert lag_seconds is not None
    assert lag_seconds > 0
    assert 0 == found.get("kafka_consumergroup_members", consumergroup=group)
    assert 1 == found.get("kafka_exporter_up", poll="cluster")
    assert 1 == found.get("kafka_exporter_up", poll="check")
    assert found.get("kafka_check_findings", severity="critical") is not None


def test_a_named_zookeeper_leads_to_the_brokers(one_broker: OneBroker, topic: str) -> None:
    found = once("--zookeeper", one_broker.zookeeper)

    assert 5 == found.get("kafka_topic_partition_current_offset", topic=topic, partition=0)


def test_only_the_topics_and_groups_that_are_wanted_are_exported(
    one_broker: OneBroker, wire: tuple[str, str], topic: str
) -> None:
    for name in ("reader", "writer"):
        commit(one_broker.broker.bootstrap, f"{name}-{topic}", topic, 0, 2)
    chosen = once(*wire, "--topic", f"{topic}*", "--group", f"reader-{topic}", "--group", "none*")
    others = once(*wire, "--exclude-topic", topic, "--exclude-group", "reader-*")

    assert {topic} == chosen.values("kafka_topic_partitions", "topic")
    assert {f"reader-{topic}"} == chosen.values("kafka_consumergroup_members", "consumergroup")
    assert topic not in others.values("kafka_topic_partitions", "topic")
    # It has read nothing else, so that there is nothing to say of it.
    assert f"writer-{topic}" not in others.values("kafka_consumergroup_members", "consumergroup")


def test_a_topic_or_group_that_does_not_exist_is_an_error_beside_the_others(
    wire: tuple[str, str], topic: str
) -> None:
    run = kadmin("export", "--once", "--topic", topic, "--topic", f"{topic}s", *wire)
    no_group = kadmin("export", "--once", "--group", "nope", *wire)

    assert ExitCode.FAILED == run.exit_code
    assert {topic} == Exported(run.stdout).values("kafka_topic_partitions", "topic")
    assert f"there is no topic '{topic}s'\nhint: did you mean {topic}?" in run.stderr
    assert ExitCode.FAILED == no_group.exit_code
    assert "consumer group 'nope' does not exist" in no_group.stderr


def test_a_file_is_written_whole_and_readable_by_others(
    wire: tuple[str, str], topic: str, tmp_path: Path
) -> None:
    path = tmp_path / "kafka.prom"
    assert "" == done("export", "--once", "--output-file", str(path), *wire)

    found = Exported(path.read_bytes().decode())
    assert 5 == found.get("kafka_topic_partition_current_offset", topic=topic, partition=0)
    assert 0o644 == stat.S_IMODE(path.stat().st_mode)


def test_without_a_broker_the_metrics_say_so_and_it_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "kafka.prom"
    run = kadmin(
        *("export", "--once", "--output-file", str(path)),
        *("--bootstrap-server", "127.0.0.1:1", "--timeout", "1"),
    )

    assert ExitCode.UNREACHABLE == run.exit_code
    assert "cannot reach the brokers at 127.0.0.1:1" in run.stderr
    assert 0 == Exported(path.read_bytes().decode()).get("kafka_exporter_up", poll="cluster")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--once", "--interval", "5"], "--interval does not go with --once"),
        (["--once", "--listen", "127.0.0.1:1"], "--listen does not go with --once"),
        (["--output-file", "x"], "--output-file needs --once"),
        (["--telemetry-path", "metrics"], "--telemetry-path 'metrics' is no path"),
        (["--listen", "9308"], "'9308' is not HOST:PORT"),
        (["--listen", "h:99999"], "'h:99999' is not HOST:PORT"),
        (["--max-age", "10"], "--max-age 10 is shorter than --interval 15"),
        (["--max-age", "20"], "--max-age 20 is shorter than --check-interval 60"),
        (["--topic", ""], "--topic was given an empty name"),
        (["--once", "--output-file", "/no/such/directory/x"], "its directory does not exist"),
    ],
)
def test_what_does_not_go_together_is_refused(arguments: list[str], message: str) -> None:
    run = kadmin("export", "--bootstrap-server", "127.0.0.1:1", *arguments)

    assert ExitCode.USAGE == run.exit_code
    assert message in run.stderr


def test_without_a_cluster_nothing_is_served(home: Path) -> None:
    run = kadmin("export")

    assert ExitCode.USAGE == run.exit_code
    assert "no cluster is named" in run.stderr


def test_a_port_that_is_taken_is_named(one_broker: OneBroker, wire: tuple[str, str]) -> None:
    taken = one_broker.broker.bootstrap
    run = kadmin("export", "--listen", taken, *wire)

    assert ExitCode.FAILED == run.exit_code
    assert f"cannot listen on {taken}: Address already in use" in run.stderr


def test_what_look_after_look_warns_of_is_printed_once(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    session = PollSession({})
    for texts in (["a"], ["a", "b"], [], ["a"]):
        session.look_again()
        for text in texts:
            session.warn(text)

    assert ["warning: a", "warning: b", "warning: a"] == capsys.readouterr().err.splitlines()


# Served.


def test_what_comes_goes_and_lags_is_seen_while_it_is_exported(
    one_broker: OneBroker, wire: tuple[str, str], topic: str
) -> None:
    bootstrap, group = one_broker.broker.bootstrap, f"of-{topic}"
    read = {"consumergroup": group, "topic": topic, "partition": 0}
    with exporting(*wire, "--topic", topic) as exporter:
        exporter.scrape_until("kafka_topic_partition_current_offset", 5, topic=topic, partition=0)
        with joined(bootstrap, group, topic):
            exporter.scrape_until("kafka_consumergroup_members", 1, consumergroup=group)
        commit(bootstrap, group, topic, 0, 4)
        dead = exporter.scrape_until("kafka_consumergroup_lag", 1, **read)
        done("topics", "--delete", "--topic", topic, "--yes", *wire)
        exporter.scrape_until("kafka_topic_partitions", None, topic=topic)
        gone = exporter.scrape_until("kafka_consumergroup_lag", None, **read)

        assert 0 == dead.get("kafka_consumergroup_members", consumergroup=group)
        assert 1 == gone.get("kafka_exporter_up", poll="cluster")
        assert 0 == gone.get("kafka_exporter_poll_failures_total", poll="cluster")


def test_a_signal_ends_it_in_order(wire: tuple[str, str], topic: str) -> None:
    # So long that no poll is late on a machine that stands still; other tests' topics come and go.
    own = ("--topic", topic, "--group", f"none-{topic}*")
    with exporting(*wire, *own, "--interval", "3600", "--max-age", "3600") as exporter:
        exporter.scrape_until("kafka_exporter_up", 1, poll="cluster")
        exporter.process.send_signal(signal.SIGTERM)
        assert exporter.process.stderr is not None
        printed = exporter.process.stderr.read()

        assert ExitCode.DONE == exporter.process.wait(OUTER_LIMIT_S)
        assert b"" == printed


def test_while_no_broker_answers_old_numbers_are_left_out_and_it_tries_again(
    chroot: str, tmp_path: Path
) -> None:
    (port,) = free_ports(1, "127.0.0.1")
    settings = {
        "listeners": f"PLAINTEXT://127.0.0.1:{port}",
        "zookeeper.session.timeout.ms": "2000",
    }
    bootstrap = ("--bootstrap-server", f"127.0.0.1:{port}", "--timeout", "2")
    with (
        running_broker(tmp_path / "broker", chroot, settings=settings) as broker,
        exporting(*bootstrap, "--max-age", "1") as exporter,
    ):
        exporter.scrape_until("kafka_brokers", 1)
        broker.kill()
        exporter.scrape_until("kafka_exporter_up", 0, poll="cluster")
        silent = exporter.scrape_until("kafka_brokers", None)
        with running_broker(tmp_path / "broker", chroot, settings=settings):
            exporter.scrape_until("kafka_brokers", 1)
        exporter.process.send_signal(signal.SIGTERM)
        assert exporter.process.stderr is not None
        printed = exporter.process.stderr.read().decode()

    age_s = silent.get("kafka_exporter_age_seconds", poll="cluster")
    assert age_s is not None
    assert age_s > 1
    failure = f"warning: poll cluster: cannot reach the brokers at 127.0.0.1:{port}"
    assert 1 <= printed.count(failure) <= 3, printed
    assert "poll cluster: all is read again" in printed
