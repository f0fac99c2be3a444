"""Whose log a file is, by its lines."""

import gzip
from pathlib import Path

import pytest

from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import broker_of_lines, group

DATE = b"[2026-11-20 03:12:04,117] "
BY_2 = (
    DATE + b"TRACE [Broker id=2] Handling LeaderAndIsr request correlationId 1 from controller 1\n"
)
BY_2_AS_CONTROLLER = DATE + b"INFO [Controller id=2 epoch=3] anything at all\n"
BY_0 = DATE + b"TRACE Broker 0 anything (state.change.logger)\n"
BY_NOBODY = DATE + b"INFO no name\n\tat a trace\n"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (BY_2, 2),
        (BY_NOBODY * 3 + BY_2 + BY_2_AS_CONTROLLER, 2),
        (BY_0, 0),
        (BY_2 + BY_0, None),
        (BY_NOBODY, None),
        (b"", None),
        (b"\xff\xfe\x00" * 1000, None),
        (BY_2 * 10_000, 2),
    ],
)
def test_a_log_is_the_brokers_that_alone_wrote_its_first_lines(tmp_path, content, expected):
    for name, stored in (("plain", content), ("packed", gzip.compress(content))):
        (tmp_path / name).write_bytes(stored)
        (file,) = find_inputs([str(tmp_path / name)]).files
        assert expected == broker_of_lines(file), name


def test_paths_are_believed_before_lines_and_no_two_logs_have_one_name(tmp_path: Path):
    for name, content in (
        ("broker-7.log", BY_2),
        ("a.log", BY_0),
        ("b.log", BY_2),
        ("c.log", BY_2),
    ):
        (tmp_path / name).write_bytes(content)
    sources = group(find_inputs([str(tmp_path / "*.log")]).files, broker_of_lines)

    assert ["0", "7", f"{tmp_path}/b.log", f"{tmp_path}/c.log"] == [each.name for each in sources]


def test_a_log_that_was_just_rolled_is_its_writers_by_the_file_before(tmp_path: Path):
    for name, content in (
        ("state-change.log.2026-11-20-02", BY_0),
        ("state-change.log.2026-11-20-03", BY_2),
        ("state-change.log", b""),
    ):
        (tmp_path / name).write_bytes(content)
    (source,) = group(find_inputs([str(tmp_path)]).files, broker_of_lines)

    assert "2" == source.name


def test_a_log_without_any_line_is_nobodys(tmp_path: Path):
    (tmp_path / "state-change.log").write_bytes(b"")
    (source,) = group(find_inputs([str(tmp_path)]).files, broker_of_lines)

    assert f"{tmp_path}/state-change.log" == source.name
