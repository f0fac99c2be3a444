"""Log directories: is a failed one seen, and does Kafka's tool say the same?"""

import json

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.render.log_dirs import kafka_document, total_line, usage_document
from kadmin.render.output import Output
from kadmin.reports.log_dir_usage import Grouping, Order, usage_report
from tests.kadmin.render.terminal import FakeTerminal

T0 = TopicPartition("t", 0)
DIRS: LogDirs = {
    BrokerId(0): (
        LogDir(
            path="/a",
            replicas=(ReplicaLog(partition=T0, size_bytes=2048, lag_records=3),),
            total_bytes=4096,
            usable_bytes=1024,
        ),
        LogDir(path="/b", error_code=ErrorCode.KAFKA_STORAGE_ERROR),
        LogDir(
            path="/c",
            replicas=(ReplicaLog(partition=T0, size_bytes=1, lag_records=9, is_future=True),),
        ),
    )
}


def table(grouping: Grouping) -> list[list[str]]:
    terminal = FakeTerminal()
    document = usage_document(usage_report(DIRS, grouping))
    Output(color=False, stdout=terminal).show(document)
    return [line.split() for line in terminal.getvalue().splitlines() if "─" not in line][1:]


@pytest.mark.parametrize(
    ("grouping", "expected"),
    [
        (
            Grouping.DIR,
            [
                ["0", "/b", "0", "-", "-", "-", "offline"],
                ["0", "/a", "1", "2.0", "KiB", "3", "1.0", "KiB", "25%"],
                ["0", "/c", "1", "1", "B", "9", "-", "1", "future"],
            ],
        ),
        (
            Grouping.BROKER,
            [
                [
                    "0",
                    "3",
                    "2",
                    "2.0",
                    "KiB",
                    "9",
                    "1.0",
                    "KiB",
                    "25%",
                    "1",
                    "offline,",
                    "1",
                    "future",
                ]
            ],
        ),
        (Grouping.TOPIC, [["t", "2", "2.0", "KiB", "9", "1", "future"]]),
        (
            Grouping.REPLICA,
            [
                ["t", "0", "0", "/a", "2.0", "KiB", "3"],
                ["t", "0", "0", "/c", "1", "B", "9", "future"],
            ],
        ),
    ],
)
def test_a_row_tells_what_lies_there_and_what_is_wrong(
    grouping: Grouping, expected: list[list[str]]
) -> None:
    assert expected == table(grouping)


def test_free_space_is_shown_at_60_columns_where_paths_have_a_short_form(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    found: LogDirs = {
        BrokerId(number): (
            LogDir(
                path=f"/var/lib/a/very/long/way/down/broker-{number}/data",
                total_bytes=256 << 30,
                usable_bytes=75 << 30,
            ),
        )
        for number in range(2)
    }
    terminal = FakeTerminal()

    Output(color=False, stdout=terminal).show(
        usage_document(usage_report(found, Grouping.DIR, dead=[BrokerId(7)]))
    )

    lines = terminal.getvalue().splitlines()
    assert ["broker", "log", "dir", "size", "lag", "free"] == lines[0].split()
    assert ["0", "…/broker-0/data", "0", "B", "0", "75.0", "GiB", "29%"] == lines[3].split()


def test_lines_name_what_they_tell() -> None:
    report = usage_report(DIRS, Grouping.REPLICA)

    assert (
        "Topic: t\tPartition: 0\tBroker: 0\tLogDir: /c\tIsFuture: true\tSizeBytes: 1\tLagMax: 9"
        == list(usage_document(report).lines())[1]
    )
    offline = next(iter(usage_document(usage_report(DIRS, Grouping.DIR)).lines()))
    assert offline.endswith("OfflineLogDirs: 1\tTotalBytes: unknown\tUsableBytes: unknown")


def test_the_lines_of_kafka_s_tool() -> None:
    document = kafka_document(usage_report(DIRS, Grouping.DIR), DIRS)

    first, second, third = document.lines()

    assert "Querying brokers for log directories information" == first
    assert "Received log directory information from brokers 0" == second
    one, other, future = json.loads(third)["brokers"][0]["logDirs"]
    assert {
        "logDir": "/a",
        "error": None,
        "partitions": [{"partition": "t-0", "size": 2048, "offsetLag": 3, "isFuture": False}],
    } == one
    assert "org.apache.kafka.common.errors.KafkaStorageException" == other["error"]
    assert future["partitions"][0]["isFuture"]


def test_the_sum_of_all() -> None:
    assert "2 replicas, 2.0 KiB, in 3 log directories; 1 offline" == total_line(
        usage_report(DIRS, Grouping.DIR)
    )
    assert total_line(usage_report(DIRS, Grouping.REPLICA, limit=1)).endswith("; 1 row not shown")


@pytest.mark.parametrize("order", Order)
def test_what_has_failed_comes_first_in_every_order_and_is_never_cut_off(order: Order) -> None:
    report = usage_report(DIRS, Grouping.DIR, order=order, limit=1)

    assert ["/b"] == [row.place.path for row in report.rows]


def test_brokers_of_which_nothing_is_known_stand_above_all() -> None:
    report = usage_report(DIRS, Grouping.BROKER, silent=[BrokerId(2)], dead=[BrokerId(1)])
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(usage_document(report))

    rows = [line.split() for line in terminal.getvalue().splitlines()[2:]]

    assert [["1", "dead"], ["2", "no", "answer"]] == rows[:2]
    assert "0" == rows[2][0]
