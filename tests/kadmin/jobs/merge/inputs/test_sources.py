"""Which files are one broker's log, and whose it is: by their paths, and by their lines."""

import gzip
from pathlib import Path

import pytest

from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import broker_id, group, writers_of_lines

DATE = b"[2026-11-20 03:12:04,117] "
BY_2 = (
    DATE + b"TRACE [Broker id=2] Handling LeaderAndIsr request correlationId 1 from controller 1\n"
)
BY_2_AS_CONTROLLER = DATE + b"INFO [Controller id=2 epoch=3] anything at all\n"
BY_0 = DATE + b"TRACE Broker 0 anything (state.change.logger)\n"
BY_NOBODY = DATE + b"INFO no name\n\tat a trace\n"


def files(*labels: str) -> list[LogFile]:
    return [LogFile(path=f"/collected/{label}", label=label, size=1) for label in labels]


@pytest.mark.parametrize(
    ("label", "expected"),
    [
        ("broker-3/state-change.log", 3),
        ("kafka-12/logs/state-change.log.2026-11-20-03.gz", 12),
        ("kafka0.example.com/state-change.log", 0),
        ("prod-server3/state-change.log", 3),
        ("kafka-logs-4/state-change.log", 4),
        ("broker_id_7/state-change.log", 7),
        ("incident/5/state-change.log", 5),
        ("kafka-1/state-change-broker-2.log", 2),
        ("s3://bucket/node-8/state-change.log", 8),
        ("state-change.log", None),
        ("0.8.1.log", None),
        ("kafka_2.13-3.9.1/logs/state-change.log", None),
        ("kafka-2.8.2/state-change.log", None),
        ("20261120/state-change.log", None),
        ("observer3/state-change.log", None),
    ],
)
def test_a_path_tells_the_brokers_id_or_not(label: str, expected: int | None) -> None:
    assert expected == broker_id(label)


def test_brokers_come_by_their_ids_and_then_paths() -> None:
    found = group(files("b/x.log", "kafka-10/s.log", "kafka-9/s.log", "a/x.log"))

    assert ["9", "10", "a/x.log", "b/x.log"] == [source.name for source in found]


def test_the_order_of_words_does_not_matter() -> None:
    labels = ["kafka-1/s.log", "kafka-1/s.log.2026-11-20-01", "a.log", "kafka-2/s.log"]

    assert group(files(*labels)) == group(files(*reversed(labels)))


def test_two_logs_that_claim_one_broker_go_by_their_paths() -> None:
    found = group(files("east/kafka-1/s.log", "west/kafka-1/s.log", "west/kafka-2/s.log"))

    assert ["2", "east/kafka-1/s.log", "west/kafka-1/s.log"] == [source.name for source in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (BY_2, {2}),
        (BY_NOBODY * 3 + BY_2 + BY_2_AS_CONTROLLER, {2}),
        (BY_0, {0}),
        (BY_2 + BY_0, {0, 2}),
        (BY_NOBODY, set()),
        (b"", set()),
        (b"\xff\xfe\x00" * 1000, set()),
        (BY_2 * 10_000, {2}),
    ],
)
def test_the_writers_of_a_log_are_those_of_its_first_lines(tmp_path, content, expected):
    for name, stored in (("plain", content), ("packed", gzip.compress(content))):
        (tmp_path / name).write_bytes(stored)
        (file,) = find_inputs([str(tmp_path / name)]).files
        assert expected == writers_of_lines(file), name


def test_paths_are_believed_before_lines_and_no_two_logs_have_one_name(tmp_path: Path):
    for name, content in (
        ("broker-7.log", BY_2),
        ("a.log", BY_0),
        ("b.log", BY_2),
        ("c.log", BY_2),
    ):
        (tmp_path / name).write_bytes(content)
    sources = group(find_inputs([str(tmp_path / "*.log")]).files, writers_of_lines)

    assert ["0", "7", f"{tmp_path}/b.log", f"{tmp_path}/c.log"] == [each.name for each in sources]


def test_a_log_that_was_just_rolled_is_its_writers_by_the_file_before(tmp_path: Path):
    for name, content in (
        ("state-change.log.2026-11-20-02", BY_0),
        ("state-change.log.2026-11-20-03", BY_2),
        ("state-change.log", b""),
    ):
        (tmp_path / name).write_bytes(content)
    found = group(find_inputs([str(tmp_path)]).files, writers_of_lines)

    assert [("0", 1), ("2", 2)] == [(source.name, len(source.files)) for source in found]


def test_brokers_that_used_a_directory_in_turn_have_the_files_that_they_wrote(tmp_path: Path):
    for hour, content in (
        ("01", BY_0),
        ("02", BY_NOBODY),
        ("03", BY_0 * 300 + BY_2),
        ("04", BY_2),
        ("05", BY_0),
    ):
        (tmp_path / f"state-change.log.2026-11-20-{hour}").write_bytes(content)
    found = group(find_inputs([str(tmp_path)]).files, writers_of_lines)

    assert [
        ("0", ["01", "02", "05"]),
        ("2", ["04"]),
        (f"{tmp_path}/state-change.log.2026-11-20-03", ["03"]),
    ] == [(each.name, [file.label[-2:] for file in each.files]) for each in found]


@pytest.mark.parametrize("count", [300, 5_000])
def test_a_file_that_ends_with_the_lines_of_another_broker_is_called_by_its_path(
    tmp_path: Path, count: int
) -> None:
    log = tmp_path / "state-change.log"
    log.write_bytes(BY_0 * count + BY_2)
    (source,) = group(find_inputs([str(tmp_path)]).files, writers_of_lines)

    assert str(log) == source.name


def test_a_log_without_any_line_is_nobodys(tmp_path: Path):
    (tmp_path / "state-change.log").write_bytes(b"")
    (source,) = group(find_inputs([str(tmp_path)]).files, writers_of_lines)

    assert f"{tmp_path}/state-change.log" == source.name
