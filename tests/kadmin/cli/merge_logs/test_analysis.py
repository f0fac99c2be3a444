"""`kadmin merge-logs --analyze` and `--brief` as an operator runs them."""

import csv
import json
from datetime import datetime, timedelta
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from kadmin import extras
from kadmin.errors import ExitCode
from tests.support.checkout import CHECKOUT
from tests.support.cli import KadminRun, done, kadmin

INCIDENT = str(CHECKOUT / "scripts" / "demo-incident")


def told(*words: str) -> list[str]:
    return done("merge-logs", INCIDENT, *words).splitlines()


def refused(*words: str) -> KadminRun:
    outcome = kadmin("merge-logs", INCIDENT, *words)
    assert outcome.exit_code != 0, outcome
    assert outcome.stdout == ""
    return outcome


def test_all_partitions_are_told_the_worst_first() -> None:
    lines = told("--analyze")

    assert ["payments-1", "orders-0", "orders-2", "orders-1", "payments-0"] == [
        line.split()[0] for line in lines[:5]
    ]
    assert ", at least 24.0 s without a leader " in lines[0]
    assert lines[0].endswith("failed-election")
    assert "controllers" == lines[5]
    assert lines[6].startswith("  1 (epoch 1)  2026-11-20 02:41:09,275 to")


@pytest.mark.slow
def test_who_led_at_a_time_and_why_is_the_second_line() -> None:
    lines = told("--analyze", "--partition", "orders-0", "--around", "2026-11-20 03:12:20")

    assert "orders-0  replicas 2,1,3  3 moves, at least 48 ms without a leader" == lines[0]
    assert lines[1] == (
        "at 2026-11-20 03:12:20,000 broker 3 led: epoch 3 since 2026-11-20 03:12:17,975, "
        "decided by controller 3 (epoch 2); broker 1 was gone"
    )


def test_logs_that_begin_amid_the_incident_tell_what_they_can() -> None:
    lines = told("--brief", "--partition", "orders-0", "--start-time", "2026-11-20 03:00")

    assert lines[0].endswith(
        "orders-0 1 epoch 1 ISR 1,3 controller 1 (epoch 1): the leader before was gone"
    )


@pytest.mark.slow
def test_around_the_beginning_the_time_before_it_and_behind_the_end() -> None:
    before = told("--analyze", "--partition", "orders-0", "--around", "2026-11-20 01:00")
    amid = told("--analyze", "--partition", "payments-1", "--around", "2026-11-20 03:12:20")
    behind = told("--analyze", "--partition", "orders-0", "--around", "2026-12-20 03:12:20")

    assert "nothing is known: the first line about it is of 2026-11-20 02:41:13,789" in before[1]
    assert "nobody led: epoch 2" in amid[1]
    assert "no replica of the ISR was alive" in amid[1]
    assert behind[1].startswith("the logs end at 2026-11-20 03:12:")
    assert ", before 2026-12-20 03:12:20,000: in the end broker 2 led: epoch 4 " in behind[1]


def test_the_lines_that_tell_it_are_there_on_wish_with_file_and_number() -> None:
    lines = told("--analyze", "--partition", "orders-0", "--with-lines")
    proof = next(line for line in lines if "leaderEpoch=3" in line)
    place = proof.split()[2].rstrip(":")
    file, _, number = place.rpartition(":")

    assert (
        Path(file)
        .read_text()
        .splitlines()[int(number) - 1]
        .endswith(
            "leader=3, leaderEpoch=3, isrWithBrokerEpoch=List(BrokerState(brokerId=3, "
            "brokerEpoch=-1)), leaderRecoveryState=RECOVERED, partitionEpoch=3) "
            "(state.change.logger)"
        )
    )


def test_brief_is_one_line_an_event_in_order_of_time() -> None:
    lines = told("--brief", "--partition", "orders-0,payments-1")

    assert 9 == len(lines)
    assert sorted(lines) == lines
    assert lines[2] == (
        "2026-11-20 03:12:10,832 orders-0 2→1 epoch 1 ISR 1,3 controller 1 (epoch 1): "
        "broker 2 was gone"
    )
    assert 9 < len(told("--brief", "--partition", "orders-0,payments-1", "--with-lines"))


@pytest.mark.slow
def test_every_form_says_the_same() -> None:
    body = json.loads(done("merge-logs", INCIDENT, "--analyze", "--output", "json"))
    assert body == yaml.safe_load(done("merge-logs", INCIDENT, "--analyze", "--output", "yaml"))
    rows = list(csv.DictReader(told("--analyze", "--output", "csv")))
    full = list(csv.DictReader(told("--brief", "--output", "csv")))

    first = body["partitions"][0]
    assert ("payments", 1, 24021, False) == (
        first["topic"],
        first["partition"],
        first["leaderless_ms"],
        first["is_leaderless"],
    )
    assert "nobody-left" == first["leaderships"][2]["reason"]
    assert "failed-election" == first["anomalies"][0]["kind"] == rows[0]["anomalies"]
    assert [str(each["moves"]) for each in body["partitions"]] == [row["moves"] for row in rows]
    assert sum(len(each["leaderships"]) for each in body["partitions"]) == len(full)
    assert [(1, 1), (3, 2)] == [
        (each["controller_id"], each["controller_epoch"]) for each in body["controllers"]
    ]


def behind(directory: Path, ms: int) -> str:
    """The incident with the clock of broker 2 so far behind."""
    for path in Path(INCIDENT).glob("broker-*/state-change.log*"):
        copy = directory / path.parent.name / path.name
        copy.parent.mkdir(exist_ok=True)
        lines = path.read_text().splitlines(keepends=True)
        copy.write_text(
            "".join(set_back(line, ms) for line in lines)
            if "broker-2" in str(path)
            else "".join(lines)
        )
    return str(directory)


def set_back(line: str, ms: int) -> str:
    if not line.startswith("["):
        return line
    time = datetime.strptime(line[1:24], "%Y-%m-%d %H:%M:%S,%f") - timedelta(milliseconds=ms)
    return f"[{time:%Y-%m-%d %H:%M:%S},{time.microsecond // 1000:03d}{line[24:]}"


def started(body: Any) -> str:
    """When broker 2 led orders-0 again, by its own line."""
    orders = next(
        each for each in body["partitions"] if (each["topic"], each["partition"]) == ("orders", 0)
    )
    return str(next(r["time"] for r in orders["leaderships"][-1]["roles"] if r["broker"] == 2))


@pytest.mark.slow
def test_a_clock_that_is_behind_is_told_and_taken_out(tmp_path: Path) -> None:
    logs = behind(tmp_path, 4000)
    text = done("merge-logs", logs, "--analyze")
    as_read = json.loads(done("merge-logs", logs, "--analyze", "--output", "json"))
    corrected = json.loads(
        done("merge-logs", logs, "--analyze", "--correct-clocks", "--output", "json")
    )

    assert "source 2 is some 3,979 ms behind source 3" in text
    assert [3979] == [each["corrected_by_ms"] for each in corrected["clocks"] if each["ahead_ms"]]
    assert "2026-11-20 03:12:43,840" == started(as_read)
    assert "2026-11-20 03:12:47,819" == started(corrected)


@pytest.mark.slow
def test_the_order_of_files_and_a_topic_choose_what_is_told() -> None:
    assert {"orders"} == {line.split("-")[0] for line in told("--analyze", "--topic", "orders")[:3]}
    regex = told("--brief", "--topic-regex", "pay.*", "--partitions", "1")
    assert {"payments-1"} == {line.split()[2] for line in regex}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--analyze", "--brief"], "two answers"),
        (["--analyze", "--kind", "elected"], "--kind does not go with --analyze"),
        (["--brief", "--out", "x"], "--out does not go with --brief"),
        (["--analyze", "--format", "json"], "--format does not go with"),
        (["--analyze", "--order", "file"], "--order file"),
        (["--partition", "orders-0"], "--partition goes with --analyze"),
        (["--with-lines"], "--with-lines goes with"),
        (["--analyze", "--around", "-2h"], "--around is about single partitions"),
        (["--analyze", "--partition", "orders"], "'orders' is no partition"),
        (["--analyze", "--partition", "orders-0", "--topic", "t"], "choose the same"),
        (["--analyze", "--partition", "orders-0", "--around", "noon"], "'noon' is no time"),
    ],
)
def test_what_means_nothing_is_refused_with_the_word(words: list[str], complaint: str) -> None:
    outcome = refused(*words)

    assert outcome.exit_code == ExitCode.USAGE
    assert complaint in outcome.stderr
    assert "hint: " in outcome.stderr


def test_a_partition_that_no_line_tells_of_is_a_failure() -> None:
    outcome = refused("--analyze", "--partition", "orders-7")

    assert outcome.exit_code == ExitCode.FAILED
    assert "no line shows who leads orders-7" in outcome.stderr


def test_files_that_are_no_logs_are_a_failure(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text("nothing\n" * 9)
    outcome = kadmin("merge-logs", str(tmp_path), "--analyze")

    assert outcome.exit_code == ExitCode.FAILED
    assert "none of the files is a state-change log" in outcome.stderr


@pytest.mark.spark
@pytest.mark.long
def test_spark_tells_what_this_process_tells() -> None:
    words = ("merge-logs", INCIDENT, "--analyze", "--output", "json")
    here = done(*words)

    assert here == done(*words, "--master", "local[2]", "--conf", "spark.ui.enabled=false")


def test_of_empty_files_no_time_is_told(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text("")

    outcome = kadmin("merge-logs", "--master", "none", "--analyze", str(tmp_path))

    assert ("", "there is no line in these files\n") == (outcome.stdout, outcome.stderr)


def test_of_times_without_lines_it_is_said_which_times_the_logs_have() -> None:
    for word in ("--analyze", "--brief"):
        outcome = kadmin("merge-logs", INCIDENT, word, "--start-time", "2031-01-01")

        assert "no line is within the times: the logs hold lines from 2026-" in outcome.stderr
        assert "there is no line" not in outcome.stderr


def test_a_page_that_cannot_be_written_is_told_before_anything_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def tell(*_: Any, **__: Any) -> None:
        pytest.fail("it was read")

    monkeypatch.setattr("kadmin.jobs.story.tell.tell", tell)

    outcome = refused("--analyze", "--html", str(tmp_path / "no" / "page.html"))

    assert ExitCode.FAILED == outcome.exit_code
    assert f"cannot write {tmp_path}/no/page.html: no such file or directory" in outcome.stderr


@pytest.mark.slow
def test_the_page_is_written_beside_the_answer(tmp_path: Path) -> None:
    page = tmp_path / "incident.html"

    outcome = kadmin("merge-logs", INCIDENT, "--analyze", "--html", str(page))

    assert outcome.stdout.splitlines() == told("--analyze")
    assert outcome.stderr.splitlines()[-1] == f"wrote {page}"
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "orders" in page.read_text("utf-8")


def test_a_page_is_of_an_analysis_and_replaces_no_log(tmp_path: Path) -> None:
    log = tmp_path / "state-change.log"
    log.write_text("[2026-11-20 03:12:04,117] INFO x (state.change.logger)\n")

    assert "--html goes with --analyze" in refused("--html", "page.html").stderr
    assert "--html names no file" in refused("--analyze", "--html", "pages/").stderr
    outcome = kadmin("merge-logs", str(log), "--analyze", "--html", str(log))
    assert f"--html {log} is one of the logs" in outcome.stderr
    missing = str(tmp_path / "nowhere" / "page.html")
    assert missing in refused("--analyze", "--html", missing).stderr


def test_without_plotly_the_page_names_what_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        extras, "find_spec", lambda name: None if name == "plotly" else find_spec(name)
    )

    outcome = refused("--analyze", "--html", "page.html")

    assert "merge-logs --html needs kadmin-kafka[html], which is not installed" in outcome.stderr
    assert "-m pip install 'kadmin-kafka[html]'" in outcome.stderr


@pytest.mark.parametrize(
    ("level", "heads"),
    [
        ("TRACE", ["t-0  replicas 1,7  1 move, 5 ms without a leader", "never without a leader"]),
        ("INFO", ["at least 5 ms without a leader", "not seen without a leader"]),
    ],
)
def test_how_long_there_was_no_leader_is_claimed_where_traces_tell_when_it_began(
    tmp_path: Path, level: str, heads: list[str]
) -> None:
    log = tmp_path / "state-change.log"
    line = "[2026-11-20 03:00:00,{at}] {level} [Controller id=1 epoch=1] Changed partition {text}\n"
    state = "LeaderAndIsr(leader={leader}, leaderEpoch={epoch}, isr=List(1, 7), zkVersion={epoch})"
    texts = [
        ("000", "t-0 state from NonExistentPartition to NewPartition with assigned replicas 1,7"),
        ("001", "t-0 from NewPartition to OnlinePartition with state " + state),
        ("010", "t-0 from OnlinePartition to OfflinePartition with state " + state),
        ("015", "t-0 from OfflinePartition to OnlinePartition with state " + state),
        ("020", "u-0 from NewPartition to OnlinePartition with state " + state),
    ]
    log.write_text(
        "".join(
            line.format(at=at, level=level, text=text).format(leader=leader, epoch=epoch)
            for (at, text), leader, epoch in zip(
                texts, (1, 1, -1, 7, 1), (0, 0, 1, 2, 0), strict=True
            )
        )
    )

    lines = done("merge-logs", str(log), "--analyze").splitlines()

    assert heads == [line[-len(head) :] for line, head in zip(lines, heads, strict=False)]


def test_topics_of_one_name_are_told_apart(tmp_path: Path) -> None:
    log = tmp_path / "broker-1" / "state-change.log"
    log.parent.mkdir()
    made = (
        "[2026-11-20 0{hour}:00:00,000] INFO [Controller id=1 epoch=1] Changed partition t-0 state "
        "from NonExistentPartition to NewPartition with assigned replicas 1,7\n"
        "[2026-11-20 0{hour}:00:00,010] INFO [Controller id=1 epoch=1] Changed partition t-0 from "
        "NewPartition to OnlinePartition with state LeaderAndIsr(leader=1, leaderEpoch={epoch}, "
        "isr=List(1, 7), zkVersion=0)\n"
    )
    log.write_text(made.format(hour=3, epoch=4) + made.format(hour=5, epoch=0))

    lines = done("merge-logs", str(log.parent.parent), "--analyze").splitlines()
    body = json.loads(
        done(
            "merge-logs",
            str(log.parent.parent),
            "--analyze",
            "--output",
            "json",
            "--html",
            str(tmp_path / "page.html"),
        )
    )

    assert lines[0].startswith("t-0 (1 of 2)  replicas 1,7")
    assert lines[0].partition("gone since")[2].startswith(" 2026-11-20 05:00:00,000")
    assert lines[1].startswith("t-0 (2 of 2)  replicas 1,7")
    assert "brokers without a line in these logs and times: 7 (named by 2 partitions)" in lines
    assert [{"broker": 7, "partitions": 2}] == body["silent_brokers"]
    assert [(1, "2026-11-20 05:00:00,000"), (2, None)] == [
        (each["incarnation"], each["ended"]) for each in body["partitions"]
    ]
    assert "epoch-fell" not in str(body["partitions"])


@pytest.mark.slow
def test_what_info_hides_is_said_of_logs_without_traces_alone(tmp_path: Path) -> None:
    body = json.loads(done("merge-logs", INCIDENT, "--analyze", "--output", "json"))
    log = tmp_path / "state-change.log"
    log.write_text(
        "[2026-11-20 03:12:04,118] TRACE [Broker id=2] Received LeaderAndIsr request "
        "PartitionState(controllerEpoch=7, leader=2, leaderEpoch=4, isr=2,3, zkVersion=5, "
        "replicas=1,2,3, isNew=false) correlation id 9 from controller 1 epoch 7 for partition "
        "payments-0 (state.change.logger)\n"
    )

    assert {"isr-flapping", "two-leaders", "isr", "deletions"} < body["not_told"].keys()
    assert (
        {} == json.loads(done("merge-logs", str(log), "--analyze", "--output", "json"))["not_told"]
    )
    assert told("--analyze")[-1].startswith("no TRACE lines: isr-flapping, unclean-election and ")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--topic", "gone,nor-this"), "no line shows who leads a partition of gone, nor-this"),
        (("--partition", "gone-0"), "no line shows who leads gone-0"),
        (("--partition", "orders-0,gone-0"), "no line shows who leads gone-0"),
    ],
    ids=["all topics", "the partition", "one of two"],
)
def test_what_is_asked_for_by_name_and_is_not_there_is_an_error(
    words: tuple[str, str], message: str
) -> None:
    outcome = refused("--analyze", *words)

    assert ExitCode.FAILED == outcome.exit_code
    assert f"kadmin: {message}\nhint: see which" in outcome.stderr


def test_of_several_topics_those_that_are_there_are_told() -> None:
    assert {"orders-0", "orders-1", "orders-2"} == {
        line.split()[0] for line in told("--analyze", "--topic", "orders,gone")[:3]
    }


FOLLOWS = (
    "[2024-03-01 10:00:00,001] INFO [Broker id=1] Follower parcels-1 starts at leader epoch 2 from "
    "offset 4 with high watermark 4. Previous leader epoch was -1. (state.change.logger)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lines", "told", "partitions"),
    [
        (FOLLOWS, "not understood: 0 of 1 dated line\n", 1),
        (FOLLOWS + "[2024-03-01 10:00:01,001] INFO so what\n", "1 of 2 dated lines\n", 1),
        ("2024-03-01 10:00:01,001 INFO so what\n\tat x\n", "1 of 1 dated line\n", 0),
    ],
)
def test_an_analysis_says_what_it_did_not_understand(
    tmp_path: Path, lines: str, told: str, partitions: int
) -> None:
    path = tmp_path / "state-change.log"
    path.write_text(lines)

    for words in (["--analyze"], ["--brief"], ["--analyze", "--with-lines"]):
        outcome = kadmin("merge-logs", str(path), *words)
        assert outcome.exit_code == ExitCode.DONE, outcome
        assert told in outcome.stderr
        assert f"about {partitions} partition" in outcome.stderr
        assert ("no line shows who leads a partition" in outcome.stderr) == (partitions == 0)
        assert "1970" not in outcome.stderr
    body = json.loads(done("merge-logs", str(path), "--analyze", "--output", "json"))
    assert body["lines_not_understood"] == int("1 of" in told)
    assert [each["leaderships"][0]["leader"] for each in body["partitions"]] == [None] * partitions
