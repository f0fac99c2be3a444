"""Do columns say of every line what the plain parser says of it?"""

from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kadmin.statechange import typed
from kadmin.statechange.columns import StateChange
from kadmin.statechange.examples import draw_example
from kadmin.statechange.kinds import Kind
from kadmin.statechange.parse import parse_line
from kadmin.statechange.typed import typed_batch
from tests.kadmin.statechange.rows import expected_rows, row_of, rows_of
from tests.kadmin.statechange.strategies import WRITTEN, broken_lines, examples
from tests.support.examples import example_count

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.log"))
PLAIN = b"[2018-08-02 14:07:15,136] TRACE [Broker id=3] Handling stop replica (delete=true) for "
LOGGER = b" (state.change.logger)"


@pytest.mark.slow
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_real_logs_of_each_release_say_the_same_in_columns(sample: Path) -> None:
    lines = sample.read_bytes().splitlines()

    assert expected_rows(lines) == rows_of(lines)


@pytest.mark.slow
def test_every_line_of_every_release_says_the_same_in_columns() -> None:
    random = Random(20)
    drawn = [draw_example(template, version, random) for template, version in WRITTEN]
    lines = [example.text.encode() for example in drawn]

    assert [row_of(i, example) for i, example in enumerate(drawn, start=1)] == rows_of(lines)


@pytest.mark.slow
@given(st.lists(st.one_of(broken_lines(), examples().map(lambda one: one.text)), max_size=8))
@example(["", "\r", "[2018-08-02 14:07:15,136] TRACE "])
@example(["[2018-08-02 14:07:15,136] TRACE [Broker id=1] Deleting 9999999999 partition(s)."])
@example(["[2018-08-02 14:07:15,136] TRACE Broker 1 " + "9" * 20_000])
@settings(max_examples=example_count(300))
def test_any_lines_say_the_same_in_columns(lines: list[str]) -> None:
    encoded = [line.encode(errors="replace") for line in lines]

    assert expected_rows(encoded) == rows_of(encoded)


@pytest.mark.slow
@pytest.mark.parametrize(
    "line",
    [
        PLAIN + b"partition t-0" + LOGGER + b"\r",
        PLAIN + b"partition t-0" + LOGGER + b"\r\r",
        PLAIN + b"partition t-0",
        PLAIN + b"partition t-0 " + LOGGER,
        b"broker3  | " + PLAIN + b"partition t-0" + LOGGER,
        b"kafka[1]: " + PLAIN + b"partition t-0" + LOGGER,
        b"x" * 300 + PLAIN + b"partition t-0" + LOGGER,
        PLAIN.replace(b"TRACE ", b"TRACE  ") + b"partition t-0" + LOGGER,
        PLAIN.replace(b"[Broker", b"[main] [Broker") + b"partition t-0" + LOGGER,
        PLAIN.replace(b"Handling", b"handling") + b"partition [t,0]" + LOGGER,
        PLAIN + b"partition [t, 0]" + LOGGER,
        PLAIN + b"partition [a,b,0]" + LOGGER,
        PLAIN + b"partition a-b-0" + LOGGER,
        PLAIN + b"partition -0" + LOGGER,
        PLAIN + b"partition t-123456789" + LOGGER,
        PLAIN + b"partition t-0 or so" + LOGGER,
        PLAIN + b"partition \xc3\xa4-0" + LOGGER,
        PLAIN + b"partition \xff-0" + LOGGER,
        b"\tat kafka.server.KafkaApis.handle(KafkaApis.scala:70)",
        b"\t... 12 more\r",
        b"\tat x [2018-08-02 14:07:15,136] INFO y",
        b"java.io.IOException: No space left on device",
        b"Caused by: java.io.IOException: \xe2\x82\xac",
    ],
)
def test_an_odd_line_says_the_same_in_columns_and_spoils_no_neighbour(line: bytes) -> None:
    usual = PLAIN + b"partition orders-17" + LOGGER
    lines = [usual, line, usual]

    assert expected_rows(lines) == rows_of(lines)


def test_no_lines_are_no_rows() -> None:
    assert [] == rows_of([])


def test_a_slice_of_an_array_is_read_from_its_own_first_line() -> None:
    lines = pa.array([b"\tat x", PLAIN + b"partition t-5" + LOGGER, b"rest"], pa.large_binary())

    batch = typed_batch(
        lines.slice(1, 1),
        sources=pa.array(["b"]).dictionary_encode(),
        files=pa.array(["b.log"]).dictionary_encode(),
        line_numbers=pa.array([7], pa.int64()),
    )

    assert [("t", 5, 7)] == [
        (row["topic"], row["partition"], row["line"]) for row in batch.to_pylist()
    ]


def test_times_of_the_caller_count_more_than_those_of_the_lines() -> None:
    lines = [PLAIN + b"partition t-0" + LOGGER, b"\tat x"]

    assert [5, 5] == [row["time"] for row in rows_of(lines, [5, 5])]
    assert [1_533_218_835_136, None] == [row["time"] for row in rows_of(lines)]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The lines that the plain parser was asked about: what is fast is not seen in what is said."""
    asked: list[str] = []

    def ask(text: str) -> StateChange:
        asked.append(text)
        return parse_line(text)

    monkeypatch.setattr(typed, "parse_line", ask)
    return asked


@pytest.mark.slow
def test_usual_lines_are_read_without_the_plain_parser(asked: list[str]) -> None:
    rare = {
        *(Kind.RESPONSE, Kind.RESPONSE_ERROR, Kind.OFFLINE_REPLICAS, Kind.REASSIGNMENT),
        *(Kind.TRANSITION_FAILED, Kind.FAILED, Kind.REFUSED, Kind.METADATA_BATCH, Kind.NOISE),
    }
    random = Random(1)
    usual = [
        draw_example(template, version, random).text.encode()
        for template, version in WRITTEN
        if template.kind not in rare
    ]
    rows_of(usual)

    assert len(usual) > 900
    assert len(asked) < 0.02 * len(usual), asked


def test_only_odd_racks_in_an_answer_need_the_plain_parser(asked: list[str]) -> None:
    answer = (
        b"[2018-08-02 14:07:15,136] TRACE [Controller id=1 epoch=7] Received response "
        b"UpdateMetadataResponseData(errorCode=0) for request UPDATE_METADATA with "
        b"correlation id 4 sent to broker b:9092 (id: 2 rack: %b)" + LOGGER
    )
    usual = [answer % rack for rack in (b"null", b"a", b"eu-1a", b"row 3, rack 7")]
    odd = [answer % rack for rack in (b"", b"nyc", b"a) (b", b")")]
    lines = usual + odd
    rows = rows_of(lines)

    assert [line.decode() for line in odd] == asked
    assert expected_rows(lines) == rows
    assert [(2, 4)] * 8 == [(row["peer_broker"], row["correlation_id"]) for row in rows]
