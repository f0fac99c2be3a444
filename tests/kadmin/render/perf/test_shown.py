"""Are lines those of Kafka's tools, files those of its reporter, and pictures whole?"""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.records.perf.availability import Incident
from kadmin.records.perf.load import LoadResult, LoadWindow
from kadmin.records.perf.tally import Result, Tally, Window
from kadmin.render.perf.comparison import Round, comparison_document
from kadmin.render.perf.csv_files import CsvFiles
from kadmin.render.perf.dates import java_date
from kadmin.render.perf.documents import result_document
from kadmin.render.perf.hdr_log import hdr_log
from kadmin.render.perf.histogram import histogram_lines, sparkline
from kadmin.render.perf.lines import (
    CONSUMED_HEADER,
    DetailedLines,
    consumed_line,
    end_to_end_line,
    end_to_end_lines,
    metric_lines,
    produced_line,
    produced_window_line,
)
from kadmin.render.perf.load import load_document, window_line
from kadmin.render.perf.pictures import charts_of, nice, svg
from kadmin.render.perf.report_page import Measured, Section, Side, report_document, report_page

MIB = 1024 * 1024
DATE = "yyyy-MM-dd HH:mm:ss:SSS"


def tally(records: int, size: int, *latencies_ms: float, failed: int = 0) -> Tally:
    made = Tally(records=records, bytes=records * size, failed=failed)
    for ms in latencies_ms:
        made.time(ms / 1000)
    return made


def window(at_s: float, made: Tally, rebalance_s: float = 0.0) -> Window:
    return Window(at_s=at_s, seconds=5.0, tally=made, rebalance_s=rebalance_s)


def produced() -> Result:
    made = tally(1000, 1024, *[1.0] * 98, 20.0, 40.0)
    windows = (window(5.0, tally(400, 1024, 1.0)), window(10.0, tally(600, 1024, 2.0)))
    return Result(tally=made, seconds=10.0, windows=windows, started_ms=1_600_000_000_000)


def test_lines_of_a_producer_are_kafka_s() -> None:
    line = produced_window_line(window(5.0, tally(1000, 1024, 1.0, 3.0)))
    last = produced_line(produced())

    assert line == (
        "1000 records sent, 200.0 records/sec (0.20 MB/sec), 2.0 ms avg latency,"
        " 3.0 ms max latency."
    )
    assert re.fullmatch(
        r"1000 records sent, 100\.000000 records/sec \(0\.10 MB/sec\), 1\.58 ms avg latency,"
        r" (?:39\.9|40\.0)\d ms max latency, 1 ms 50th, 1 ms 95th, (?:19|20) ms 99th,"
        r" (?:39|40) ms 99\.9th\.",
        last,
    )


def test_a_window_without_records_has_zeros() -> None:
    assert produced_window_line(window(5.0, Tally())) == (
        "0 records sent, 0.0 records/sec (0.00 MB/sec), 0.0 ms avg latency, 0.0 ms max latency."
    )


def test_the_line_of_a_consumer_has_kafka_s_columns() -> None:
    result = Result(
        tally=Tally(records=2_000, bytes=2 * MIB),
        seconds=5.0,
        rebalance_s=3.0,
        started_ms=1_600_000_000_000,
    )

    header, row = CONSUMED_HEADER.split(", "), consumed_line(result, DATE).split(", ")

    assert len(header) == len(row)
    assert row[2:] == [
        *("2.0000", "0.4000", "2000", "400.0000"),
        *("3000", "2000", "1.0000", "1000.0000"),
    ]


def test_detailed_lines_have_totals_and_the_rates_of_their_time() -> None:
    lines = DetailedLines(1_600_000_000_000, "ss")

    first = lines.line(window(5.0, Tally(records=100, bytes=MIB), rebalance_s=5.0))
    second = lines.line(window(10.0, Tally(records=300, bytes=MIB)))

    assert first.split(", ")[1:] == [
        *("0", "1.0000", "0.2000", "100", "20.0000", "5000", "0", "0.0000", "0.0000")
    ]
    assert second.split(", ")[1:] == [
        *("0", "2.0000", "0.2000", "400", "60.0000", "0", "5000", "0.2000", "60.0000")
    ]


def test_lines_of_end_to_end_are_kafka_s() -> None:
    result = Result(tally=tally(3, 10, 1.0, 1.0, 1.0), seconds=1.0)

    assert end_to_end_line(1000, 1.25) == "1000\t1.25"
    assert list(end_to_end_lines(result)) == [
        "Avg latency: 1.0000 ms",
        "Percentiles: 50th = 1, 99th = 1, 99.9th = 1",
    ]


def test_metrics_have_three_decimals_below_one_another() -> None:
    assert [["Metric", "Name", "Value"], ["age", ":", "1.500"], ["tx", ":", "3.000"]] == [
        line.split() for line in metric_lines({"tx": 3.0, "age": 1.5})
    ]


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("yyyy/MM", "2020/09"),
        ("'at' SSS", "at 007"),
        ("''", "'"),
        ("ss.SSS", "40.007"),
    ],
)
def test_dates_are_written_as_java_does(pattern: str, text: str) -> None:
    assert java_date(1_600_000_000_007, pattern) == text


@pytest.mark.parametrize("pattern", ["QQ", "HH 'open", "n"])
def test_a_date_without_a_meaning_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match=r"meaning|quote"):
        java_date(0, pattern)


def test_csv_files_have_kafka_s_headers_and_a_row_for_each_window(tmp_path: Path) -> None:
    files = CsvFiles(str(tmp_path / "metrics"), "orders")
    files.write(window(5.0, tally(100, 10, 2.0, failed=1)))
    files.write(window(10.0, tally(100, 10)))
    files.close()

    found = {path.name: path.read_text().splitlines() for path in (tmp_path / "metrics").iterdir()}
    assert found["RecordsPerSec.orders.csv"] == [
        "# time,count,1 min rate,mean rate,5 min rate,15 min rate",
        "5,100,20.000000,20.000000,20.000000,20.000000",
        "10,200,20.000000,20.000000,20.000000,20.000000",
    ]
    assert found["FailedRecordsPerSec.orders.csv"][2].startswith("10,1,")
    assert found["BytesPerSec.orders.csv"][2].startswith("10,2000,")
    assert found["LatencyMs.orders.csv"][0] == "# time,min,max,mean,median,stddev,95%,99%,99.9%"
    assert len(found["LatencyMs.orders.csv"]) == 2


def test_files_of_another_run_are_left_as_they_are(tmp_path: Path) -> None:
    CsvFiles(str(tmp_path), "t").close()

    with pytest.raises(UsageError, match="File exists"):
        CsvFiles(str(tmp_path), "t")


def test_a_histogram_log_is_read_by_the_library() -> None:
    from hdrh.histogram import HdrHistogram

    lines = hdr_log(produced()).splitlines()

    assert lines[0] == "#[Histogram log format version 1.2]"
    found = [line.split(",") for line in lines[3:]]
    assert [["0.000", "5.000"], ["5.000", "5.000"]] == [row[:2] for row in found]
    histograms = [HdrHistogram.decode(row[3]) for row in found]
    assert [1, 1] == [one.get_total_count() for one in histograms]
    assert histograms[1].get_max_value() == pytest.approx(2_000_000, rel=0.001)


def test_a_histogram_has_a_bar_for_each_doubling() -> None:
    lines = list(histogram_lines({900: 3, 3_000: 1}))

    assert [line.split()[:3] for line in lines] == [
        ["<", "1.02", "ms"],
        ["<", "2.05", "ms"],
        ["<", "4.1", "ms"],
    ]
    assert lines[0].endswith("75.00 %")
    assert list(histogram_lines({})) == []


def test_a_sparkline_goes_from_nothing_to_the_highest() -> None:
    assert sparkline([0, 4, 8]) == " ▄█"
    assert sparkline([]) == ""


def test_pictures_are_whole_and_take_no_text_for_markup() -> None:
    drawn = svg(charts_of(produced()), "<script>")

    root = ET.fromstring(drawn)
    assert root[0].text == "<script>"
    assert "href" not in drawn
    assert drawn.count("<g ") == 3


@pytest.mark.parametrize(("value", "top"), [(0, 1), (1, 1), (1.1, 2), (2.1, 2.5), (700, 1000)])
def test_axes_end_at_round_numbers(value: float, top: float) -> None:
    assert nice(value) == top


def test_a_document_has_all_percentiles_and_windows() -> None:
    document = result_document("produce", {"topic": "t"}, produced(), ["line"])

    body = document.body()
    latency = body["latency_ms"]
    assert isinstance(latency, dict)
    assert {"p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max"} <= latency.keys()
    assert len(body["windows"]) == 2  # type: ignore[arg-type]
    (row,) = document.rows()
    assert len(document.columns) == len(row)
    assert document.screen is not None
    assert len(list(document.screen())) > 2


def test_a_comparison_has_ratios_and_their_range() -> None:
    slow = Result(tally=tally(100, MIB, 4.0), seconds=1.0)
    fast = Result(tally=tally(200, MIB, 2.0), seconds=1.0)
    rounds = [Round(0, "A", slow), Round(0, "B", fast), Round(1, "B", slow), Round(1, "A", slow)]

    document = comparison_document({}, {"A": "x", "B": "y"}, rounds)

    lines = list(document.lines())
    assert "A: x" in lines
    assert "B / A records/sec: 1.500 (median; 1.000 to 2.000)" in lines
    assert any(line.startswith("B / A p99 ms: 0.75") for line in lines)
    assert all(len(document.columns) == len(row) for row in document.rows())


def test_a_load_names_its_outages_and_losses() -> None:
    result = LoadResult(
        started_ms=1_600_000_000_000,
        seconds=10.0,
        sent=100,
        written=tally(99, 10, 1.0, failed=1),
        read=tally(98, 10, 2.0),
        write_incidents=(Incident(1.0, 3.5, (("t", 0), ("t", 1))),),
        read_incidents=(Incident(4.0, None, (("t", 1),)),),
        unread={("t", 0): 1},
        out_of_order=2,
        partitions=6,
    )
    row = LoadWindow(
        at_s=1.0, seconds=1.0, sent=10, written=tally(10, 1, 1.0), read=Tally(), waiting=3
    )

    document = load_document({}, result, [row])

    lines = list(document.lines())
    assert re.fullmatch(r"write outage \S+ to \S+, 2\.500 s: 2 of 6 partitions: t-0, t-1", lines[1])
    assert re.fullmatch(r"read outage from \S+ on, not over: 1 of 6 partitions: t-1", lines[2])
    assert "acknowledged and never read: 1 record of t-0" in lines
    assert "read twice or out of order: 2 records" in lines
    assert [len(document.columns)] * 2 == [len(one) for one in document.rows()]
    cells = window_line(row, 0).split()
    assert cells[1:] == ["10", "10", "1.0", "1.0", "0", "-", "-", "0", "3"]
    assert document.body()["incidents"]


def test_a_report_is_one_page_that_loads_nothing() -> None:
    side = Side(name="written", records_per_s=(10.0, 30.0, 20.0), bytes_per_s=(MIB, MIB, MIB))
    point = Measured(label="<1>", sides=(side,), commands=("kadmin perf produce --yes",))
    section = Section(
        name="producers", title="Producers", x_name="n", unit="records/sec", points=(point,)
    )

    page = report_page([("cluster", "<b>")], [section])
    document = report_document([("cluster", "b")], [section])

    assert "<b>" not in page
    assert "<1>" not in page
    assert not re.search(r"\b(?:src|href)=|url\(", page)
    assert "kadmin perf produce --yes" in page
    assert "10 to 30" in page
    (row,) = document.rows()
    assert row[:6] == ("producers", "<1>", "written", 20.0, 10.0, 30.0)
    assert len(row) == len(document.columns)
    assert len(list(document.lines())) == 1
