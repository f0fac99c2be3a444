"""Does a line say the same in every layout, and with whatever collectors wrap around it?"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kadmin.statechange.columns import StateChange
from kadmin.statechange.kinds import Kind, Level
from kadmin.statechange.lines import UNDATED, line_ends, read_times
from kadmin.statechange.parse import parse_line
from tests.kadmin.statechange.rows import expected_rows, rows_of

MESSAGES = {
    "controller": "[Controller id=1 epoch=7] Sending UpdateMetadata request to brokers HashSet() "
    "for 0 partitions",
    "broker": "[Broker id=1] Follower parcels-1 starts at leader epoch 2 from offset 4 with high "
    "watermark 4. Previous leader epoch was -1.",
    "refusal": "[Broker id=4] Ignoring LeaderAndIsr request from controller 1 with correlation id "
    "3 epoch 7 for partition parcels-0 since its associated leader epoch 5 is not higher than the "
    "current leader epoch 6",
    "old": "Controller 2 epoch 4 started leader election for partition [t,0]",
    "unknown": "[Broker id=3] Did what no release ever did to parcels-1",
}
TIME_MS = 1_795_144_330_818  # 2026-11-20 03:12:10,818

OWN = {
    "kafka to 3.9": "[2026-11-20 03:12:10,818] WARN {m} (state.change.logger)",
    "padded": "[2026-11-20 03:12:10,818]  WARN  {m} (state.change.logger)",
    "trailing blank": "[2026-11-20 03:12:10,818] WARN {m} ",
    "trailing blank, logger": "[2026-11-20 03:12:10,818] WARN {m} (state.change.logger) ",
    "no logger": "[2026-11-20 03:12:10,818] WARN {m}",
    "in brackets": "[2026-11-20 03:12:10,818] [WARN ] [data-plane-7] [state.change.logger] - {m} ",
    "all adjoin": "[2026-11-20 03:12:10,818][WARN ][state.change.logger] {m}",
    "strimzi": "2026-11-20 03:12:10,818 WARN {m} (state.change.logger) [controller-event-thread]",
    "strimzi, thread": "2026-11-20 03:12:10,818 WARN [control-1] state.change.logger: {m}",
    "cdh": "2026-11-20 03:12:10,818 WARN state.change.logger: {m}",
    "log4j2, ISO 8601": "2026-11-20T03:12:10,818 WARN [main] state.change.logger - {m}",
    "period": "2026-11-20T03:12:10.818 WARN {m} (state.change.logger)",
    "brackets, T": "[2026-11-20T03:12:10,818] WARN {m} (state.change.logger)",
    "micros": "[2026-11-20 03:12:10,818123] WARN {m} (state.change.logger)",
    "nanos": "[2026-11-20T03:12:10.818123456] WARN {m} (state.change.logger)",
    "slashes": "2026/11/20 03:12:10.818 WARN {m} (state.change.logger)",
    "basic": "20261120T031210,818 WARN {m} (state.change.logger)",
    "date of log4j 1": "20 Nov 2026 03:12:10,818 WARN {m} (state.change.logger)",
    "day first": "20-Nov-2026 03:12:10.818 WARN {m} (state.change.logger)",
    "day first, slashes": "[20/Nov/2026:03:12:10.818] WARN {m} (state.change.logger)",
    "month first": "Nov 20, 2026 03:12:10.818 WARN [main] state.change.logger: {m}",
    "points": "20.11.2026 03:12:10,818 WARN {m} (state.change.logger)",
    "semicolons": "2026-11-20 03:12:10,818;WARN;main;state.change.logger;{m}",
    "CSV without quotes": "2026-11-20 03:12:10,818,WARN,main,state.change.logger,{m}",
    "quoted": '"[2026-11-20 03:12:10,818] WARN {m} (state.change.logger)"',
    "cat -A": "[2026-11-20 03:12:10,818] WARN {m} (state.change.logger)$",
    "HTML": "[2026-11-20 03:12:10,818] WARN {m} (state.change.logger)<br>",
    "thread in words": "2026-11-20 03:12:10,818 data-plane-7 WARN state.change.logger {m}",
    "level behind": "[2026-11-20 03:12:10,818] {m} (state.change.logger) WARN",
    "level in brackets behind": "2026-11-20 03:12:10,818 {m} [WARN] [data-plane-7]",
    "level first": "WARN 2026-11-20 03:12:10,818 {m} (state.change.logger)",
    "level first, brackets": "[WARN ] [2026-11-20 03:12:10,818] {m} (state.change.logger)",
    "thread first": "[main] WARN [2026-11-20 03:12:10,818] {m} (state.change.logger)",
    "pipes": "2026-11-20 03:12:10,818 | WARN | main | state.change.logger | {m}",
    "spring": "2026-11-20 03:12:10.818  WARN 1 --- [main] state.change.logger : {m}",
    "lower case": "[2026-11-20 03:12:10,818] warn {m} (state.change.logger)",
    "java.util.logging": "[2026-11-20 03:12:10,818] WARNING {m} (state.change.logger)",
    "place": "[2026-11-20 03:12:10,818] WARN {m} (state.change.logger:71)",
    "class, place": "[2026-11-20 03:12:10,818] WARN [main] {m} (state.change.logger) (Log.scala:7)",
    "colours": "\x1b[33m[2026-11-20 03:12:10,818] WARN {m} (state.change.logger)\x1b[m",
    "colour of the level": "[2026-11-20 03:12:10,818] \x1b[1;33mWARN\x1b[0;39m {m} "
    "(state.change.logger)",
}
"""With the time of a wall clock."""

ZONED = {
    "Z": "2026-11-20T03:12:10.818Z WARN {m} (state.change.logger)",
    "Z in brackets": "[2026-11-20T03:12:10.818Z] WARN {m} (state.change.logger)",
    "hours": "[2026-11-20 04:12:10,818+01] WARN {m} (state.change.logger)",
    "hours and minutes": "2026-11-20T04:12:10,818+0100 WARN {m} (state.change.logger)",
    "colon": "[2026-11-20T04:12:10,818+01:00] WARN {m} (state.change.logger)",
    "west": "2026-11-19T21:42:10.818-05:30 WARN {m} (state.change.logger)",
    "blank": "[2026-11-20 04:12:10,818 +0100] WARN {m} (state.change.logger)",
    "UTC": "[2026-11-20 03:12:10,818 UTC] WARN {m} (state.change.logger)",
}


def dumped(**fields: object) -> str:
    return json.dumps(fields)


JSON: dict[str, Callable[[str], str]] = {
    "JsonLayout": lambda m: dumped(
        instant={"epochSecond": TIME_MS // 1000, "nanoOfSecond": 818_000_000},
        thread="main",
        level="WARN",
        loggerName="state.change.logger",
        message=m,
    ),
    "JsonLayout, millis": lambda m: dumped(
        timeMillis=TIME_MS, thread="main", level="WARN", loggerName="state.change.logger", message=m
    ),
    "ECS": lambda m: json.dumps(
        {
            "@timestamp": "2026-11-20T03:12:10.818Z",
            "log.level": "WARN",
            "message": m,
            "log.logger": "state.change.logger",
        }
    ),
    "nested": lambda m: dumped(
        **{"@timestamp": "2026-11-20T03:12:10.818Z"},
        log={"level": "WARN", "logger": "state.change.logger"},
        message=m,
    ),
    "logstash": lambda m: json.dumps(
        {
            "@timestamp": "2026-11-20T04:12:10.818+01:00",
            "@version": "1",
            "message": m,
            "logger_name": "state.change.logger",
            "level": "WARN",
            "level_value": 30000,
        }
    ),
    "Google Cloud": lambda m: dumped(
        timestamp="2026-11-20T03:12:11.000Z",
        severity="DEFAULT",
        jsonPayload={
            "@timestamp": "2026-11-20T03:12:10.818Z",
            "level": "WARN",
            "loggerName": "state.change.logger",
            "message": m,
        },
    ),
    "GELF": lambda m: dumped(
        version="1.1", host="a", short_message=m, timestamp=TIME_MS / 1000, level=4
    ),
    "GELF, cut": lambda m: dumped(
        version="1.1",
        host="a",
        short_message=m[:40],
        full_message=f"{m}\n\tat x",
        timestamp=TIME_MS / 1000,
        level=4,
    ),
    "OpenTelemetry's own": lambda m: dumped(
        timeUnixNano=f"{TIME_MS}000000", severityText="WARN", body={"stringValue": m}
    ),
    "ClickHouse's own": lambda m: dumped(
        Timestamp="2026-11-20 03:12:10.818000000Z", SeverityText="WARN", Body=m
    ),
}

COLLECTED = {
    "docker compose": "kafka-1  | {line}",
    "compose, narrow": "kafka-1 | {line}",
    "swarm": "kafka_kafka.1.x1y2z3@node-1    | {line}",
    "kubectl --prefix": "[pod/kafka-0/kafka] {line}",
    "kubectl --timestamps": "2026-11-20T03:12:11.000000000Z {line}",
    "both": "[pod/kafka-0/kafka] 2026-11-20T03:12:11.000000000Z {line}",
    "compose -t": "kafka-1  | 2026-11-20T03:12:11.000000000Z {line}",
    "CRI": "2026-11-20T03:12:11.000000000Z stdout F {line}",
    "CRI, zone": "2026-11-20T04:12:11.000000000+01:00 stderr F {line}",
    "syslog": "Nov 20 03:12:11 host-1 kafka[123]: {line}",
    "syslog, priority": "<30>Nov  2 03:12:11 host-1 kafka: {line}",
    "RFC 5424": "<30>1 2026-11-20T03:12:11.000Z host-1 kafka 123 - - {line}",
    "rsyslog": "2026-11-20T03:12:11.000000+00:00 host-1 kafka[123]: {line}",
    "journalctl": "2026-11-20T03:12:11+0000 host-1 kafka-server-start.sh[123]: {line}",
    "journalctl, full": "Fri 2026-11-20 03:12:11 UTC host-1 kafka[123]: {line}",
    "grep": "broker-1/state-change.log:17:{line}",
    "logcli": '2026-11-20T03:12:11Z {pod="kafka-0", stream="stdout"} {line}',
    "Grafana": "2026-11-20T03:12:11.000Z\t{line}",
}


LATER = "2026-11-20T03:12:11.000Z"


def docker(line: str) -> str:
    return dumped(log=line + "\n", stream="stdout", time="2026-11-20T03:12:11.000000000Z")


def fluentd(line: str) -> str:
    return dumped(log=line + "\n", kubernetes={"pod_name": "kafka-0"})


def journal(line: str) -> str:
    return dumped(MESSAGE=line, __REALTIME_TIMESTAMP="1795144331000000", PRIORITY="6")


def journal_in_bytes(line: str) -> str:
    return dumped(MESSAGE=list(line.encode()), __REALTIME_TIMESTAMP="1795144331000000")


def elasticsearch(line: str) -> str:
    return dumped(_index="logs", _source={"@timestamp": "2026-11-20T03:12:11Z", "message": line})


def splunk(line: str) -> str:
    return dumped(preview=False, result={"_time": "2026-11-20T03:12:11Z", "_raw": line})


def open_telemetry(line: str) -> str:
    return dumped(timeUnixNano="1795144331000000000", body={"stringValue": line}, attributes=[])


def clickhouse(line: str) -> str:
    return dumped(Timestamp="2026-11-20 03:12:11.000000000", SeverityText="INFO", Body=line)


def azure(line: str) -> str:
    return dumped(TimeGenerated="2026-11-20T03:12:11Z", LogMessage=line, LogSource="stdout")


def datadog(line: str) -> str:
    return dumped(id="x", content={"timestamp": "2026-11-20T03:12:11Z", "message": line})


def fluentd_in_a_file(line: str) -> str:
    return f"2026-11-20T03:12:11+00:00\tkafka.state\t{dumped(message=line)}"


def fluentd_on_stdout(line: str) -> str:
    return f"2026-11-20 03:12:11.000000000 +0000 kafka.state: {dumped(message=line)}"


def fluent_bit_s_output(line: str) -> str:
    return f"[0] kube.kafka: [[1795144331.000000000, {{}}], {dumped(log=line)}]"


def in_an_array(line: str) -> str:
    return f"{dumped(message=line)},"


def wrapped(name: str, line: str) -> str:
    if name in IN_JSON:
        return IN_JSON[name](line)
    return COLLECTED[name].replace("{line}", line)


IN_JSON: dict[str, Callable[[str], str]] = {
    "docker": docker,
    "fluentd": fluentd,
    "journald": journal,
    "journald, bytes": journal_in_bytes,
    "Elasticsearch": elasticsearch,
    "Splunk": splunk,
    "OpenTelemetry": open_telemetry,
    "OpenTelemetry in ClickHouse": clickhouse,
    "Azure": azure,
    "Datadog": datadog,
    "fluentd, in a file": fluentd_in_a_file,
    "fluentd's stdout": fluentd_on_stdout,
    "Fluent Bit's output": fluent_bit_s_output,
    "in an array": in_an_array,
}
WRAPPERS = (*COLLECTED, *IN_JSON)


def expected(name: str) -> StateChange:
    return parse_line(OWN["kafka to 3.9"].replace("{m}", MESSAGES[name]))


def written(layout: str, name: str) -> str:
    """The message of that *name* in a *layout*."""
    message = MESSAGES[name]
    if layout in JSON:
        return JSON[layout](message)
    return (OWN | ZONED)[layout].replace("{m}", message)


def check(lines: Sequence[str], name: str, time_ms: int = TIME_MS) -> None:
    """Each of *lines* says what the plain one says, to each of the readers."""
    wanted = replace(expected(name), time_ms=time_ms)
    for line in lines:
        for each in (line, f"{line}\r", f"{line}\n"):
            assert parse_line(each) == replace(wanted, text=each)
    assert times_of(lines) == [time_ms] * len(lines)
    raw = [line.encode() for line in lines]
    assert rows_of(raw) == expected_rows(raw)


def times_of(lines: Sequence[str]) -> list[int]:
    block = np.frombuffer("".join(f"{line}\r\n" for line in lines).encode(), np.uint8)
    ends = line_ends(block)
    times: list[int] = read_times(block, np.append(0, ends[:-1]), ends)[0].tolist()
    return times


@pytest.mark.slow
@pytest.mark.parametrize("name", MESSAGES)
def test_a_line_says_the_same_in_every_layout(name: str) -> None:
    check([written(layout, name) for layout in (*OWN, *ZONED, *JSON)], name)


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_line_says_the_same_with_whatever_is_wrapped_around(wrapper: str) -> None:
    for name in ("controller", "old"):
        check([wrapped(wrapper, written(each, name)) for each in (*OWN, *ZONED, *JSON)], name)


def test_what_is_wrapped_twice_is_unwrapped() -> None:
    line = written("kafka to 3.9", "broker")
    inner = [wrapped(name, line) for name in ("docker compose", "CRI", "kubectl --prefix")]
    check([wrapped(outer, each) for outer in WRAPPERS for each in inner], "broker")


TRACE = (
    "java.lang.IllegalStateException: the leader of t-0 is gone",
    "\tat kafka.Broker.run(Broker.scala:12)",
    "\tat kafka.Broker.run(Broker.scala:13) [kafka_2.13-2.8.0.jar:?]",
    "Caused by: org.apache.kafka.common.errors.TimeoutException: in vain",
    "\t... 12 more",
    "",
)


@pytest.mark.slow
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_a_trace_goes_on_what_is_before_it_and_names_its_exception(wrapper: str) -> None:
    lines = [wrapped(wrapper, line) for line in TRACE]
    for plain, line in zip(map(parse_line, TRACE), lines, strict=True):
        assert plain.kind is Kind.CONTINUATION
        assert parse_line(line) == replace(plain, text=line)
    assert times_of(lines) == [UNDATED] * len(lines)
    raw = [line.encode() for line in lines]
    assert rows_of(raw) == expected_rows(raw)


@pytest.mark.parametrize(
    "thrown",
    [
        {
            "thrown": {
                "name": "a.b.GoneException",
                "message": "it is gone",
                "extendedStackTrace": [],
            }
        },
        {"stack_trace": "a.b.GoneException: it is gone\n\tat a.b.C(D.java:1)\n"},
        {"error.stack_trace": "a.b.GoneException: it is gone\n\tat a.b.C(D.java:1)\n"},
        {"error": {"type": "a.b.GoneException", "message": "it is gone"}},
        {
            "exception": {
                "exception_class": "a.b.GoneException",
                "exception_message": "it is gone",
                "stacktrace": "a.b.GoneException: it is gone\n\tat a.b.C(D.java:1)\n",
            }
        },
    ],
)
def test_json_names_the_exception_beside_its_message(thrown: dict[str, object]) -> None:
    fields = json.loads(written("JsonLayout", "refusal")) | thrown
    assert parse_line(json.dumps(fields)).error == "a.b.GoneException: it is gone"


def test_a_row_of_csv_is_read() -> None:
    message = MESSAGES["broker"]
    check([f'"2026-11-20 03:12:10,818","WARN","main","state.change.logger","{message}"'], "broker")


@pytest.mark.parametrize(
    ("word", "level"),
    [("SEVERE", Level.ERROR), ("NOTICE", Level.INFO), ("CRITICAL", Level.FATAL)],
)
def test_levels_of_others_have_the_severity_of_log4j(word: str, level: Level) -> None:
    line = OWN["kafka to 3.9"].replace("WARN", word).replace("{m}", MESSAGES["broker"])
    fields = json.loads(JSON["JsonLayout"](MESSAGES["broker"])) | {"level": word}

    assert [parse_line(each).level for each in (line, json.dumps(fields))] == [level, level]


def test_a_pattern_may_leave_date_or_level_out() -> None:
    undated = wrapped("docker", f"WARN {MESSAGES['broker']} (state.change.logger)")
    unlevelled = f"2026-11-20 03:12:10,818 {MESSAGES['broker']} (state.change.logger)"

    check([undated], "broker", time_ms=1_795_144_331_000)
    assert parse_line(unlevelled) == replace(expected("broker"), text=unlevelled, level=None)


@pytest.mark.parametrize(
    "fields",
    [
        {"instant": {"epochSecond": 10**18, "nanoOfSecond": 0}},
        {"timeMillis": 999_999_999_999_999},
        {"@timestamp": "0000-12-31T00:00:00Z"},
        {"@timestamp": "0001-01-01T00:30:00+02:00"},
        {"@timestamp": "9999-12-31T23:30:00-02:00"},
        {"__REALTIME_TIMESTAMP": "9" * 18},
        {"__REALTIME_TIMESTAMP": "9" * 5000},
    ],
)
def test_a_time_outside_of_the_calendar_is_none(fields: dict[str, object]) -> None:
    """No year but 1 to 9999 can be shown."""
    line = dumped(**fields, level="WARN", message=MESSAGES["broker"], logger="state.change.logger")

    assert parse_line(line).time_ms is None
    assert times_of([line]) == [UNDATED]


def test_lines_without_millis_have_the_time_of_the_second() -> None:
    for date in ("[2026-11-20 03:12:10]", "2026-11-20 03:12:10", "2026-11-20T03:12:10Z"):
        line = f"{date} WARN {MESSAGES['broker']} (state.change.logger)"
        check([line], "broker", time_ms=1_795_144_330_000)


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-20 03:12:10,818 nothing of Kafka's",
        "2026-13-20 03:12:10,818 WARN no such month",
        "2026-11-20 24:12:10,818 WARN no such hour",
        "20 Nox 2026 03:12:10,818 WARN no such month",
        "java.lang.Exception: at 2026-11-20 03:12:10,818 INFO it ended",
        " 2026-11-20 03:12:10,818 INFO a trace is indented",
        '{"log": 5}',
        '{"message": "no time", "level": "INFO"}',
        "{" * 5000,
        "[]",
    ],
)
def test_what_only_looks_like_a_head_is_none(line: str) -> None:
    assert parse_line(line).kind is Kind.CONTINUATION
    assert rows_of([line.encode()]) == expected_rows([line.encode()])


def test_rows_of_clouds_are_read_with_their_columns() -> None:
    line = written("kafka to 3.9", "broker")
    rows = [f'1795144331000,"{line}"', f'"Nov 20, 2026 @ 03:12:11.000","{line}",host-1,']

    check(rows, "broker")
    assert parse_line(f"1795144331000,{TRACE[0]}").error == TRACE[0]


@pytest.mark.parametrize("front", [LATER, f"{LATER} INFO", "[2026-11-20 03:12:11,000] x INFO"])
@pytest.mark.parametrize("piece", ["x", " ", "word ", f"{LATER} ", "[", "[a ", "] ", "- "])
def test_a_long_line_is_read_in_no_time(front: str, piece: str) -> None:
    """A search takes minutes that begins again at each blank."""
    parsed = parse_line(f"{front} {piece * (500_000 // len(piece))}x")

    assert parsed.kind in (Kind.OTHER, Kind.CONTINUATION)


def test_levels_of_every_grade_are_read_where_they_stand() -> None:
    for level in Level:
        for layout in (
            "in brackets",
            "strimzi",
            "cdh",
            "level behind",
            "level first",
            "JsonLayout",
        ):
            line = written(layout, "broker").replace("WARN", level)
            assert parse_line(line).level is level


@pytest.mark.slow
@given(st.text(max_size=200), st.sampled_from([*OWN, *ZONED, *JSON]), st.sampled_from(WRAPPERS))
def test_any_text_is_read_by_all_alike(text: str, layout: str, wrapper: str) -> None:
    whole = wrapped(wrapper, written(layout, "broker"))
    lines = [whole[: len(text)] + text, text, whole.replace("brokers", text)]
    raw = [line.encode(errors="replace").replace(b"\n", b" ") for line in lines]
    assert rows_of(raw) == expected_rows(raw)
