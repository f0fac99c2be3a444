"""`kadmin merge-logs` as an operator runs it, without Spark where Spark adds nothing."""

import gzip
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from kadmin.cli.merge_logs import plan
from kadmin.errors import ExitCode
from kadmin.jobs.merge.engines import HERE_BYTES_MAX
from tests.kadmin.jobs.story.skewed import skewed_incident, without_times
from tests.support.cli import KadminRun, done, kadmin
from tests.support.waiting import OUTER_LIMIT_S, wait_until

SPARK = ("--conf", "spark.ui.enabled=false")
"""Where somebody sets something of Spark, it is meant."""

CONTROLLER = """\
[2026-11-20 03:12:04,117] INFO [Controller id=1 epoch=7] Changed partition orders-0 \
state from OnlinePartition to OfflinePartition (state.change.logger)
[2026-11-20 03:12:04,120] ERROR [Controller id=1 epoch=7] Controller 1 epoch 7 failed to change \
state for partition orders-1 from OfflinePartition to OnlinePartition (state.change.logger)
kafka.common.StateChangeFailedException: Failed to elect leader for partition orders-1
\tat kafka.controller.ZkPartitionStateMachine.$anonfun$logFailedStateChange$1(X.scala:12)
[2026-11-20 03:12:04,130] TRACE [Controller id=1 epoch=7] Leader not yet known of nothing at all
"""
BROKER = """\
[2026-11-20 03:12:04,118] TRACE [Broker id=2] Received LeaderAndIsr request \
PartitionState(controllerEpoch=7, leader=2, leaderEpoch=4, isr=2,3, zkVersion=5, replicas=1,2,3, \
isNew=false) correlation id 9 from controller 1 epoch 7 for partition payments-0 \
(state.change.logger)
[2026-11-20 03:12:04,125] INFO [Broker id=2] Leader orders-0 starts at leader epoch 4 from \
offset 17 with high watermark 17 ISR [2,3] addingReplicas [] removingReplicas []. Previous leader \
epoch was 3. (state.change.logger)
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """What an operator has collected: a directory for each of two brokers."""
    for broker, content in ((1, CONTROLLER), (2, BROKER)):
        directory = tmp_path / "collected" / f"broker-{broker}"
        directory.mkdir(parents=True)
        (directory / "state-change.log").write_text(content)
    return tmp_path / "collected"


def merge(*words: object) -> KadminRun:
    return kadmin("merge-logs", "--master", "none", *map(str, words))


def merged(*words: object) -> list[str]:
    return done("merge-logs", "--master", "none", *map(str, words)).splitlines()


def heads(lines: list[str]) -> list[str]:
    """The milliseconds of the lines that have a date."""
    return [line[21:24] for line in lines if line.startswith("[")]


def test_lines_of_all_brokers_come_in_order_with_their_stack_traces(logs):
    lines = merged(logs)

    assert ["117", "118", "120", "125", "130"] == heads(lines)
    assert lines[3].startswith("kafka.common.StateChangeFailedException")
    assert sorted((CONTROLLER + BROKER).splitlines()) == sorted(lines)


@pytest.mark.parametrize(
    ("words", "warnings"),
    [
        (("--topic", "order"), ["no line names topic 'order'; did you mean 'orders'?"]),
        (("--topic", "orders,nope"), ["no line names topic 'nope'; 'kadmin merge-logs"]),
        (("--topic", "orders", "--level", "FATAL"), []),
        (("--topic", "orders,payments"), []),
        (("--broker", "77"), ["no line names broker 77; 'kadmin merge-logs"]),
        (("--broker", "1,2"), []),
    ],
    ids=["near", "one of two", "other filter", "both", "broker", "brokers"],
)
def test_a_name_that_no_line_has_is_warned_of(
    logs: Path, words: tuple[str, ...], warnings: list[str]
) -> None:
    outcome = merge(logs, *words)

    assert ExitCode.DONE == outcome.exit_code
    found = [line for line in outcome.stderr.splitlines() if line.startswith("warning: ")]
    assert len(warnings) == len(found)
    for warning, line in zip(warnings, found, strict=True):
        assert line.startswith(f"warning: {warning}")


def test_the_alias_of_kafkas_tool_takes_its_options(logs):
    files = ",".join(map(str, sorted(logs.glob("*/state-change.log"))))

    assert (
        merged(logs)
        == done("state-change-log-merger", "--logs", files, "--master", "none").splitlines()
    )
    regex = f"{logs}/broker-2/state-change.log*"
    assert BROKER == done("state-change-log-merger", "--logs-regex", regex, "--master", "none")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--topic", "orders"], ["117", "120", "125"]),
        (["--topic", "orders", "--topic", "payments"], ["117", "118", "120", "125"]),
        (["--topic", "orders", "--partitions", "0"], ["117", "125"]),
        (["--topic", "orders,payments"], ["117", "118", "120", "125"]),
        (["--topic-regex", "pay.*"], ["118"]),
        (["--topic-regex", "pay"], []),
        (["--broker", "2"], ["118", "125"]),
        (["--controller-epoch", "7"], ["117", "118", "120", "130"]),
        (["--kind", "leader-start", "--kind", "partition-state"], ["117", "125"]),
        (["--kind", "other"], ["130"]),
        (["--level", "info"], ["117", "120", "125"]),
        (["--level", "ERROR"], ["120"]),
        (["--only-partitioned"], ["117", "118", "120", "125"]),
        (["--start-time", "2026-11-20 03:12:04,120"], ["120", "125", "130"]),
        (["--end-time", "2026-11-20 03:12:04,120"], ["117", "118", "120"]),
        (["--start-time", "2026-11-20T03:12:04.118Z", "--broker", "1"], ["120", "130"]),
        (["--topic", "orders", "--level", "ERROR", "--partitions", "0"], []),
    ],
)
def test_a_filter_keeps_the_lines_that_pass(logs, words, expected):
    assert expected == heads(merged(logs, *words))


def test_a_stack_trace_stays_with_a_line_that_is_kept(logs):
    lines = merged(logs, "--level", "ERROR")

    assert 3 == len(lines)
    assert lines[2].startswith("\tat kafka.controller")


def test_the_summary_accounts_for_every_line(logs):
    outcome = merge(logs, "--topic", "orders", "--start-time", "2026-11-20 03:12:04,118")

    assert "merged 4 of 7 lines from 2 sources" in outcome.stderr
    assert "left out: 1 outside the times, 2 by other filters" in outcome.stderr
    assert "levels: none 2, ERROR 1, INFO 1" in outcome.stderr
    assert "kinds: continuation 2, leader-start 1, transition-failed 1" in outcome.stderr
    assert "not understood: 0" in outcome.stderr
    assert "not understood: 1" in merge(logs).stderr


@pytest.mark.parametrize("words", [(), ("--show-source",)])
def test_lines_of_large_logs_are_the_same_but_not_counted(logs, monkeypatch, words):
    counted = merge(logs, *words)
    monkeypatch.setattr(plan, "COUNTED_BYTES_MAX", 0)
    large = merge(logs, *words)

    assert counted.stdout == large.stdout
    assert "kinds:" in counted.stderr
    assert "kinds:" not in large.stderr


def test_quiet_leaves_nothing_but_the_lines(logs):
    assert "" == merge(logs, "--quiet").stderr


def test_under_spark_submit_notes_stay_out_of_the_result(logs, tmp_path, monkeypatch):
    (logs / "broker-1" / "state-change.log.notes").write_text("remember the milk\n")
    said = merge(logs, "--out", tmp_path / "merged.log").stderr
    monkeypatch.setenv("PYSPARK_GATEWAY_PORT", "1")

    assert "" == merge(logs).stderr
    assert said.splitlines()[0] == merge(logs, "--out", tmp_path / "l").stderr.splitlines()[0]
    assert "no state-change log" in said


@pytest.mark.slow
def test_a_clock_that_is_behind_and_a_zone_of_its_own_are_set_right(logs):
    assert ["117", "120", "118", "130", "125"] == heads(merged(logs, "--clock-offset", "2=+6"))
    assert ["118", "125", "117", "120", "130"] == heads(
        merged(logs, "--time-zone", "2=Europe/Berlin")
    )
    # A moment with a zone is found by the clock that most brokers show.
    start = ["--start-time", "2026-11-20T02:12:04.125+00:00"]
    assert ["125", "130"] == heads(merged(logs, "--time-zone", "Europe/Berlin", *start))


def test_sources_are_named_by_path_or_lines(logs, tmp_path):
    lines = merged(logs, "--show-source")

    assert ["1", "2", "1", "1", "1", "2", "1"] == [line.partition("\t")[0] for line in lines]
    for broker in (1, 2):
        (logs / f"broker-{broker}" / "state-change.log").rename(
            tmp_path / f"{'ab'[broker - 1]}.log"
        )
    assert lines == merged(tmp_path / "a.log", tmp_path / "b.log", "--show-source")


def test_typed_rows_say_the_same_in_every_form(logs, tmp_path):
    rows = [json.loads(line) for line in merged(logs, "--format", "json")]
    table = merged(logs, "--output", "csv")
    out = tmp_path / "incident.parquet"
    done("merge-logs", "--master", "none", str(logs), "--out", str(out))
    columns = pq.read_table(out).to_pylist()

    assert 7 == len(rows) == len(table) - 1 == len(columns)
    first = rows[0]
    assert ("1", 1, "partition-state", "orders", 0, "OfflinePartition", 7) == tuple(
        first[name]
        for name in ("source", "line", "kind", "topic", "partition", "to_state", "controller_epoch")
    )
    assert str(logs / "broker-1" / "state-change.log") == first["file"]
    assert [row["file"] for row in rows] == [row["file"] for row in columns]
    assert [row["kind"] for row in rows] == [row["kind"] for row in columns]
    assert [row["line"] for row in rows] == [row["line"] for row in columns]
    assert [2, 3] == rows[5]["isr"] == columns[5]["isr"]
    assert table[0].startswith("source,file,line,time,level,role,broker,controller_id")


def test_part_files_hold_what_one_file_does(logs, tmp_path):
    expected = merged(logs, "--format", "csv")
    written = merge(logs, "--format", "csv", "--out", f"{tmp_path}/p/")
    parts = sorted((tmp_path / "p").iterdir())

    assert ["part-00000.csv"] == [part.name for part in parts]
    assert expected == parts[0].read_text().splitlines()
    assert f"wrote 1 file into {tmp_path}/p/: part-00000.csv" == written.stderr.splitlines()[-1]
    again = merge(logs, "--format", "csv", "--out", f"{tmp_path}/p/")
    assert (ExitCode.FAILED, "holds part files already") == (
        again.exit_code,
        again.stderr.partition("it ")[2].splitlines()[0],
    )


def test_a_result_replaces_a_file_only_when_it_is_whole(logs, tmp_path):
    out = tmp_path / "merged.log"
    out.write_text("precious")
    (logs / "broker-3").mkdir()
    (logs / "broker-3" / "state-change.log.gz").write_bytes(gzip.compress(b"x")[:-4])
    failed = merge(logs, "--strict", "--out", out)

    assert (ExitCode.FAILED, "precious") == (failed.exit_code, out.read_text())
    assert [out.name] == [path.name for path in tmp_path.iterdir() if path.is_file()]
    done("merge-logs", "--master", "none", str(logs), "--out", str(out))
    assert 7 == len(out.read_text().splitlines())


def test_a_result_never_replaces_one_of_the_logs(logs):
    log = logs / "broker-1" / "state-change.log"
    outcome = merge(logs, "--out", log)

    assert ExitCode.USAGE == outcome.exit_code
    assert "is one of the logs" in outcome.stderr
    assert log.read_text() == CONTROLLER


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "complaint", "hint"),
    [
        ([], "exactly one of the two options", "kadmin merge-logs collected/"),
        (["--logs", "a", "--logs-regex", "b"], "exactly one of the two options", ""),
        (["x", "--partitions", "1"], 'the option "[topic]" needs to be provided', "--topic"),
        (["x", "--topic", "t", "--partitions", "1,1"], "contains repeated entries: 1", ""),
        (["x", "--topic", "t", "--partitions", "one"], "'one' is no whole number", "0,1,2"),
        (["x", "--broker", "-1"], "'-1' is no whole number for --broker", "0,1,2"),
        (["x", "--topic", "orders*"], "topic name 'orders*' is illegal", "-regex 'orders.*'"),
        (["x", "--topic", "t,order?"], "topic name 'order?' is illegal", "-regex order."),
        (["x", "--topic", "t,"], "topic name is illegal: it cannot be empty", "--topic-regex"),
        (["x", "--topic-regex", "("], "is no regular expression", "--topic NAME"),
        (["x", "--start-time", "noon"], "'noon' is no time", "-2h"),
        (["x", "--end-time", "-999999999999d"], "it lies before the year 1", "-2h"),
        (["x", "--start-time", "-1h", "--end-time", "-2h"], "is after --end-time", ""),
        (["x", "--kind", "electd"], "did you mean 'elected'?", "--help"),
        (["x", "--clock-offset", "250"], "'250' is not SOURCE=±MS", "--clock-offset 1=+250;"),
        (["x", "--clock-offset", "1=+3162240000001"], "more than 100 years", "1=+250"),
        (["x", "--clock-offset", "1=-3162240001s"], "more than 100 years", "1=+250"),
        (["x", "--time-zone", "=UTC"], "'=UTC' is not SOURCE=ZONE", "1=Europe/Berlin;"),
        (["x", "--clock-offset", "1=soon"], "'soon' is no distance", "--clock-offset 1=+250"),
        (["x", "--clock-offset", "1=1", "--clock-offset", "1=2"], "given twice", ""),
        (["x", "--time-zone", "1=Mars"], "there is no time zone 'Mars'", "Europe/Berlin"),
        (["x", "--time-zone", "UTC", "--time-zone", "GMT"], "both for all sources", "SOURCE="),
        (["x", "--conf", "memory=1g"], "'memory=1g' is no setting of Spark", "--conf spark."),
        (["x", "--properties-file", "/nowhere"], "cannot read the property file /nowhere", "ls -l"),
        (["x", "--out", ""], "--out names nothing", "--out merged.log"),
        (["-"], "cannot come from standard input", "cat > logs.txt"),
        (["x", "--output", "yaml"], "writes no yaml", "--format json"),
        (["x", "--output", "json", "--format", "csv"], "ask for two forms", ""),
        (["x", "--format", "json", "--show-source"], "does not go with --format json", "column"),
    ],
)
def test_wrong_usage_names_the_word_and_a_next_step(words, complaint, hint):
    outcome = merge(*words)

    assert ExitCode.USAGE == outcome.exit_code
    assert complaint in outcome.stderr
    assert hint in outcome.stderr.partition("hint: ")[2]
    assert "" == outcome.stdout


def test_a_source_that_there_is_not_is_named_with_those_that_there_are(logs):
    outcome = merge(logs, "--clock-offset", "9=1")

    assert (ExitCode.USAGE, "") == (outcome.exit_code, outcome.stdout)
    assert "there is no source '9' (there are: 1, 2)" in outcome.stderr


def test_what_is_missing_or_empty_fails_and_names_it(tmp_path):
    (tmp_path / "empty").mkdir()
    for path, complaint in (
        (tmp_path / "gone", "does not exist"),
        (tmp_path / "empty", "has no files"),
        (tmp_path / "*.log", "no file matches"),
    ):
        outcome = merge(path)
        assert ExitCode.FAILED == outcome.exit_code
        assert complaint in outcome.stderr
        assert "ls" in outcome.stderr.partition("hint: ")[2]


def test_odd_files_are_named_and_the_rest_is_merged(logs):
    first = logs / "broker-1" / "state-change.log"
    (logs / "broker-1" / "state-change.log.notes").write_text("remember the milk\n")
    packed = gzip.compress(CONTROLLER.replace("orders", "clicks").encode())
    (logs / "broker-1" / "state-change.log.2026-11-20-03.gz").write_bytes(packed[:-20])
    outcome = merge(logs, first)

    assert ExitCode.DONE == outcome.exit_code
    assert f"{first}: given twice; merged once" in outcome.stderr
    assert "state-change.log.notes: no state-change log" in outcome.stderr
    assert "state-change.log.2026-11-20-03.gz: cut off before its end" in outcome.stderr
    assert outcome.stdout.count("orders-0 state from") == 1
    assert "clicks-0 state from" in outcome.stdout
    strict = merge(logs, "--strict")
    assert (ExitCode.FAILED, "") == (strict.exit_code, strict.stdout)
    assert "(and 1 more files)" in strict.stderr


def test_parts_of_a_directory_that_cannot_be_read_are_named_and_fail_a_strict_merge(logs):
    gone = logs / "broker-3"
    gone.symlink_to(logs / "not-mounted")
    outcome, strict = merge(logs), merge(logs, "--strict")

    assert (ExitCode.DONE, 7) == (outcome.exit_code, len(outcome.stdout.splitlines()))
    assert f"{gone}: a link to what does not exist; left out" in outcome.stderr
    assert (ExitCode.FAILED, "") == (strict.exit_code, strict.stdout)
    assert f"{gone}: a link to what does not exist" in strict.stderr


def test_files_of_which_none_is_a_log_are_a_failure(tmp_path):
    (tmp_path / "server.txt").write_text("hello\n")
    outcome = merge(tmp_path)

    assert ExitCode.FAILED == outcome.exit_code
    assert "none of the files is a state-change log" in outcome.stderr


def test_a_clock_that_goes_back_is_named_and_the_files_order_can_be_kept(tmp_path):
    log = tmp_path / "state-change.log"
    lines = BROKER.splitlines(keepends=True)
    log.write_text("".join(reversed(lines)))
    outcome = merge(log)

    assert f"{log}: its clock goes back by up to 7 ms, at line 2" in outcome.stderr
    assert lines == outcome.stdout.splitlines(keepends=True)
    assert log.read_text() == done("merge-logs", "--master", "none", str(log), "--order", "file")


@pytest.mark.slow
def test_lines_in_any_dress_are_understood(tmp_path):
    text = CONTROLLER + BROKER
    dresses = {
        "crlf": text.replace("\n", "\r\n").encode(),
        "no-newline": text.rstrip("\n").encode(),
        "compose": "".join(f"kafka-1  | {line}" for line in text.splitlines(True)).encode(),
        "grep": "".join(f"state-change.log:{line}" for line in text.splitlines(True)).encode(),
        "undecodable": text.encode().replace(b"nothing at all", b"\xff\xfe"),
        "cut": text.encode()[30:-30],
    }
    for name, content in dresses.items():
        (tmp_path / name).write_bytes(content)
        rows = done("merge-logs", "--master", "none", str(tmp_path / name), "--format", "json")
        kinds = [json.loads(line)["kind"] for line in rows.splitlines()]
        assert {"transition-failed", "received-leaderandisr"} < set(kinds), name
        assert len(content.splitlines()) == len(kinds), name


def test_all_kinds_can_be_listed_without_a_log():
    lines = done("merge-logs", "--list-kinds").splitlines()

    assert "elected                the controller has found a leader" in lines


def start(*words: object, **options: Any) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "kadmin", "merge-logs", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True, **options
    )


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_ends_the_merge_in_peace(tmp_path):
    log = tmp_path / "state-change.log"
    log.write_text(BROKER * 50_000)
    with start("--master", "none", log) as process:
        assert process.stdout is not None
        first = process.stdout.readline().decode()
        process.stdout.close()
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert ExitCode.DONE == process.wait(OUTER_LIMIT_S)

    assert BROKER.splitlines(keepends=True)[0] == first
    assert "merged" not in said


def is_over_or_writing(process: "subprocess.Popen[bytes]", *directories: Path) -> bool:
    return process.poll() is not None or all(any(one.iterdir()) for one in directories)


def start_and_stop_amid(logs: Path, results: Path, temporary: Path) -> "subprocess.Popen[bytes]":
    """A merge that stands still, by SIGSTOP, when it has begun to write its result.

    One that was faster than we are gets a log of twice the size.
    """
    log = logs / "broker-1" / "state-change.log"
    log.write_text(CONTROLLER * 50_000)
    while True:
        words = ["--master", "none", logs, "--out", results / "merged.json"]
        process = start(*words, env={**os.environ, "TMPDIR": str(temporary)})
        wait_until(
            partial(is_over_or_writing, process, results, temporary),
            what="a result that is being written",
        )
        process.send_signal(signal.SIGSTOP)
        with suppress(ChildProcessError):
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        if (
            process.poll() is None
            and not (results / "merged.json").exists()
            # The result is larger than the log, as JSON.
            and sum(path.stat().st_size for path in results.iterdir()) < log.stat().st_size
        ):
            return process
        process.send_signal(signal.SIGCONT)
        process.communicate(timeout=OUTER_LIMIT_S)
        (results / "merged.json").unlink()
        log.write_text(log.read_text() * 2)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_whoever_ends_a_merge_and_however_impatiently_leaves_nothing_behind(logs, tmp_path, number):
    temporary, results = tmp_path / "temporary", tmp_path / "results"
    temporary.mkdir()
    results.mkdir()
    with start_and_stop_amid(logs, results, temporary) as process:
        process.send_signal(number)
        process.send_signal(signal.SIGCONT)
        for _ in range(20):
            process.send_signal(number)
        ended = process.wait(OUTER_LIMIT_S)

    # One more Ctrl-C may meet Python itself at its very end.
    assert ended in (-number, ExitCode.INTERRUPTED if number == signal.SIGINT else -number)
    assert [] == [*temporary.iterdir(), *results.iterdir()]


def processes_with(variable: str) -> set[int]:
    """The processes that have *variable* in their environment."""
    found = set()
    for directory in Path("/proc").iterdir():
        with suppress(OSError):
            if directory.name.isdigit() and variable in (directory / "environ").read_text():
                found.add(int(directory.name))
    return found


@pytest.mark.spark
@pytest.mark.parametrize("words", [SPARK, ()], ids=["Spark", "processes"])
def test_ctrl_c_ends_all_workers_and_leaves_nothing_behind(logs, tmp_path, words):
    (logs / "broker-1" / "state-change.log").write_text(
        CONTROLLER * (HERE_BYTES_MAX // len(CONTROLLER) + 1)
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {**os.environ, "TMPDIR": str(temporary)}
    out = tmp_path / "merged.log"
    with start(logs, "--out", out, "--format", "json", *words, env=environment) as process:
        wait_until(lambda: len(processes_with(str(temporary))) > 1, what="a JVM or workers")
        # As a terminal does: to all that run in its foreground.
        os.killpg(process.pid, signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read().decode()
        assert ExitCode.INTERRUPTED == process.wait(OUTER_LIMIT_S)

    assert "kadmin: interrupted\n" == said
    wait_until(lambda: not processes_with(str(temporary)), what="the end of all")
    assert [] == list(temporary.iterdir())
    assert ["collected", "temporary"] == sorted(path.name for path in tmp_path.iterdir())


@pytest.mark.spark
def test_spark_gives_what_the_plain_merge_gives(logs, tmp_path):
    settings = tmp_path / "spark.conf"
    settings.write_text("spark.app.name incident\nspark.python.worker.reuse=true\nother.key x\n")
    words = ["--properties-file", settings, "--conf", "spark.app.name=mine", "--show-source"]
    outcome = kadmin("merge-logs", "--master", "local[2]", str(logs), *map(str, words))

    assert (ExitCode.DONE, merged(logs, "--show-source")) == (
        outcome.exit_code,
        outcome.stdout.splitlines(),
    )


@pytest.mark.slow
def test_clocks_that_orders_prove_wrong_are_corrected_in_the_order_and_not_in_the_text(
    tmp_path: Path,
) -> None:
    skewed = skewed_incident(tmp_path / "skewed", {2: -7_000})
    merged_skewed = merge(skewed, "--no-show-source")
    outcome = merge(skewed, "--correct-clocks", "--no-show-source")

    assert sorted(merged_skewed.stdout.splitlines()) == sorted(outcome.stdout.splitlines())
    lines = without_times(outcome.stdout)
    decided = next(n for n, line in enumerate(lines) if "orders-0 from NewPartition" in line)
    assert decided < next(n for n, line in enumerate(lines) if "id=2] Leader orders-0" in line)
    said = [line for line in outcome.stderr.splitlines() if line.startswith("clocks:")]
    assert ["clocks: source 2 is some 6,"] == [line[:27] for line in said]
    assert "; corrected by +6," in said[0]


@pytest.mark.slow
def test_where_nothing_is_corrected_that_is_said(logs: Path) -> None:
    said = merge(logs, "--correct-clocks").stderr.splitlines()

    assert [
        "clocks: none was corrected, since orders prove none to be off",
        "clocks: left as they are, since no order links them to others: 1, 2",
    ] == said[:2]
    assert merge(logs).stdout == merge(logs, "--correct-clocks").stdout


@pytest.mark.slow
def test_lines_stand_behind_the_orders_that_they_obey_and_that_is_said(tmp_path: Path) -> None:
    skewed = skewed_incident(tmp_path / "skewed", {2: -300})
    outcome = merge(skewed, "--causal", "--no-show-source")

    said = [line for line in outcome.stderr.splitlines() if line.startswith("causes:")]
    lines = without_times(outcome.stdout)
    decided = next(n for n, line in enumerate(lines) if "orders-0 from NewPartition" in line)
    assert decided < next(n for n, line in enumerate(lines) if "id=2] Leader orders-0" in line)
    assert ["causes: lines of source 2 stand up to 2"] == [line[:39] for line in said]
    assert 0 == merge(skewed, "--causal", "--order", "file", "--topic", "orders").exit_code
    assert "causes: no line stood before the order that it obeys" in (
        merge(skewed, "--causal", "--clock-offset", "2=+300").stderr
    )


def test_nothing_is_said_of_causes_and_clocks_where_nothing_was_read(tmp_path: Path) -> None:
    (tmp_path / "state-change.log").write_text("this is\nno log\n")

    said = kadmin("merge-logs", str(tmp_path), "--causal", "--correct-clocks").stderr

    assert "none of the files is a state-change log" in said
    assert "causes:" not in said
    assert "clocks:" not in said


def test_stories_have_an_order_by_cause_without_asking(logs: Path) -> None:
    outcome = merge(logs, "--analyze", "--causal")

    assert ExitCode.USAGE == outcome.exit_code
    assert "--causal is for lines alone: stories go by leader epochs" in outcome.stderr


@pytest.mark.slow
@pytest.mark.parametrize("is_large", [False, True])
def test_processes_of_this_machine_merge_unless_somebody_asks_for_spark(
    logs, monkeypatch, is_large
):
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setattr("kadmin.extras.find_spec", lambda name: None)
    if is_large:
        monkeypatch.setattr("kadmin.jobs.merge.engines.HERE_BYTES_MAX", 0)

    merged_here = done("merge-logs", str(logs)).splitlines()
    asked = kadmin("merge-logs", str(logs), *SPARK)

    assert merged(logs) == merged_here
    assert 1 == asked.exit_code
    assert "Spark needs kadmin-kafka[spark], which is not installed" in asked.stderr
