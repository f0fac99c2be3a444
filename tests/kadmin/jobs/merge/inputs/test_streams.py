"""What holds the logs of several containers: is each line with those of its own container?"""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from kadmin.jobs.merge.files.log_file import LogFile
from kadmin.jobs.merge.inputs.find import find_inputs
from kadmin.jobs.merge.inputs.sources import group, writers_of_lines
from kadmin.jobs.merge.inputs.streams import separated
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from tests.kadmin.jobs.merge.logs import merged

FAILED = (
    "[2026-11-20 03:12:10,818] ERROR [Broker id={id}] Received LeaderAndIsrRequest with correlation"
    " id 3 from controller 1 epoch 7 for partition parcels-1 (last update controller epoch 7) but "
    "cannot become follower since the new leader 5 is unavailable. (state.change.logger)"
)
LOG = (FAILED, "java.lang.IllegalStateException: {id} is gone", "\tat kafka.Broker.run({id})")

PREFIXES = {
    "compose": "kafka-{n}  | ",
    "kubectl": "[pod/kafka-{n}/kafka] ",
    "syslog": "Nov 20 03:12:11 host-{n} kafka[1]: ",
    "rsyslog": "2026-11-20T03:12:11.000000+00:00 host-{n} kafka[1]: ",
    "grep": "logs-{n}/state-change.log:17:",
}


def lines_of(broker: int) -> list[str]:
    return [line.replace("{id}", str(broker)) for line in LOG]


def found(path: Path, directory: Path) -> tuple[LogFile, ...]:
    directory.mkdir(exist_ok=True)
    return separated(find_inputs([str(path)]).files, directory)


def contents(files: Sequence[LogFile]) -> list[list[str]]:
    return [Path(file.path).read_text().splitlines() for file in files]


@pytest.mark.slow
@pytest.mark.parametrize("prefix", PREFIXES.values(), ids=list(PREFIXES))
@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gz"])
def test_each_container_is_a_source_with_its_traces(
    tmp_path: Path, prefix: str, packed: bool
) -> None:
    # Container 8 runs broker 1: lines tell brokers, names of containers do not.
    pairs = zip(lines_of(1), lines_of(2), strict=True)
    mixed = [
        prefix.replace("{n}", number) + line
        for pair in pairs
        for number, line in zip("89", pair, strict=True)
    ]
    data = ("\r\n".join(mixed) + "\n").encode()
    path = tmp_path / "all.log"
    path.write_bytes(gzip.compress(data) if packed else data)

    sources = group(found(path, tmp_path / "streams"), writers_of_lines)

    assert [source.name for source in sources] == ["1", "2"]
    text, summary = merged(sources)
    told = [parse_line(line) for line in text.decode().splitlines()]
    assert [change.kind for change in told] == [Kind.FAILED, *[Kind.CONTINUATION] * 2] * 2
    assert [told[1].error, told[4].error] == [
        f"java.lang.IllegalStateException: {broker} is gone" for broker in (1, 2)
    ]
    assert not summary.skipped


def test_what_belongs_to_no_container_stays_with_the_first_one(tmp_path: Path) -> None:
    path = tmp_path / "all.log"
    lines = ["Attaching to a, b", *(f"{name} | {line}" for name in "ab" for line in lines_of(1))]
    path.write_text("\n".join(lines))

    assert contents(found(path, tmp_path / "streams")) == [lines[:4], lines[4:]]


@pytest.mark.parametrize("tag", ["", ":x"])
def test_pieces_of_cri_are_put_together(tmp_path: Path, tag: str) -> None:
    line, *trace = lines_of(1)
    stamp = "2026-11-20T03:12:12.000000000Z stdout"
    pieces = [f"{stamp} P{tag} {line[:70]}", f"{stamp} P{tag} {line[70:130]}"]
    rest = [f"{stamp} F{tag} {each}" for each in (line[130:], *trace)]
    path = tmp_path / "0.log"
    path.write_text("\n".join([*pieces, *rest]) + "\n")

    (read,) = contents(found(path, tmp_path / "streams"))

    assert read[0] == f"{stamp} F{tag} {line}"
    assert [parse_line(each).kind for each in read] == [Kind.FAILED, *[Kind.CONTINUATION] * 2]


@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["as docker", "with blanks"])
def test_pieces_of_docker_are_put_together(tmp_path: Path, separators: tuple[str, str]) -> None:
    line, *trace = lines_of(1)
    texts = [line[:70], line[70:130], line[130:] + "\n", *(f"{each}\n" for each in trace)]
    events = [{"log": each, "stream": "stdout", "time": "2026-11-20T03:12:12Z"} for each in texts]
    path = tmp_path / "x-json.log"
    path.write_text("".join(json.dumps(e, separators=separators) + "\n" for e in events))

    (read,) = contents(found(path, tmp_path / "streams"))

    assert json.loads(read[0])["log"] == line + "\n"
    assert [parse_line(each).kind for each in read] == [Kind.FAILED, *[Kind.CONTINUATION] * 2]


@pytest.mark.parametrize(
    "lines",
    [
        lines_of(1),
        [f"kafka-1  | {line}" for line in lines_of(1)],
        [f"2026-11-20T03:12:12Z stdout F {line}" for line in lines_of(1)],
        ["\tat the end of a trace", *lines_of(1)],
        [],
    ],
)
def test_a_log_of_one_container_is_read_where_it_is(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "one.log"
    path.write_text("".join(f"{line}\n" for line in lines))

    assert [file.path for file in found(path, tmp_path / "streams")] == [str(path)]
