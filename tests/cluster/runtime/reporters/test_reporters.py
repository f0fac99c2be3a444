"""Reporters of a broker: what clients get over HTTP, and what is written and sent."""

import asyncio
import gzip
import json
import logging
import resource
import signal
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest
from prometheus_client import ProcessCollector, parser

from cluster.metrics.exposition import Exposition, Format
from cluster.metrics.registry import MetricsRegistry
from cluster.model.metrics_endpoints import FILE_NAME, decode_metrics_endpoints
from cluster.runtime.errors import ReporterCannotListen
from cluster.runtime.reporters import http_server
from cluster.runtime.reporters.polled import CsvReporter, GraphiteReporter, append_rows, poll
from cluster.runtime.reporters.process_series import add_process
from cluster.runtime.reporters.reporters import Reporters
from cluster.settings.reporter_settings import Address, ReporterSettings
from tests.cluster.metrics.beans import LEADERS, LOG_SIZE, registry_with_all_kinds
from tests.support.waiting import OUTER_LIMIT_S, until

pytestmark = pytest.mark.sockets

FREE: Final = Address(host="127.0.0.1", port=0)
SETTINGS: Final = ReporterSettings(
    names=("prometheus", "jolokia"),
    csv_enabled=None,
    interval_s=10,
    csv_directory="/nowhere",
    prometheus=FREE,
    jolokia=FREE,
    graphite=FREE,
    graphite_prefix="b1",
)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


@asynccontextmanager
async def running(
    directory: Path,
    settings: ReporterSettings = SETTINGS,
    registry: MetricsRegistry | None = None,
) -> AsyncIterator[Reporters]:
    reporters = Reporters(
        registry or registry_with_all_kinds(), settings, str(directory), lambda: 1_700_000_000_000
    )
    await reporters.start()
    try:
        yield reporters
    finally:
        reporters.stop()


async def get(url: str, body: bytes | None = None, **headers: str) -> tuple[int, Any, bytes]:
    def ask() -> tuple[int, Any, bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(url, body, named)
        try:
            with urllib.request.urlopen(request, timeout=OUTER_LIMIT_S) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    return await asyncio.to_thread(ask)


def test_prometheus_gets_each_format_that_it_asks_for(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as reporters:
            url = reporters.urls["prometheus"]
            _, headers, text = await get(url)
            _, open_headers, open_text = await get(url, Accept="application/openmetrics-text")
            _, zipped_headers, zipped = await get(url, Accept_Encoding="gzip")

            assert "text/plain; version=0.0.4; charset=utf-8" == headers["Content-Type"]
            assert b"\nkafka_server_replicamanager_leadercount 3\n" in text
            assert "openmetrics-text; version=1.0.0" in open_headers["Content-Type"]
            assert open_text.endswith(b"# EOF\n")
            assert "gzip" == zipped_headers["Content-Encoding"]
            assert b"\nprocess_open_fds " in text
            assert (
                text.split(b"# HELP process_")[0]
                == gzip.decompress(zipped).split(b"# HELP process_")[0]
            )

    run(test())


def test_the_process_has_the_series_of_every_client_library() -> None:
    exposition = Exposition()
    add_process(exposition)
    text = b"".join(exposition.pieces(Format.TEXT)).decode()

    ours = {family.name: family for family in parser.text_string_to_metric_families(text)}
    theirs = {family.name: family for family in ProcessCollector(registry=None).collect()}
    assert theirs.keys() == ours.keys()
    for name, family in theirs.items():
        assert family.type == ours[name].type
        (sample,), (expected,) = ours[name].samples, family.samples
        assert expected.name == sample.name
        # Neither memory nor CPU time stands still between the two.
        assert sample.value == pytest.approx(expected.value, rel=0.5)


def test_jolokia_answers_reads_and_bulk_requests(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as reporters:
            url = reporters.urls["jolokia"]
            bean = "kafka.server:type=ReplicaManager,name=LeaderCount"
            _, _, one = await get(f"{url}read/{bean}/Value")
            _, _, many = await get(url, json.dumps([{"type": "read", "mbean": bean}] * 2).encode())

            assert 3 == json.loads(one)["value"]
            assert [{"Value": 3}] * 2 == [each["value"] for each in json.loads(many)]

    run(test())


@pytest.mark.parametrize(
    ("name", "path", "body", "status"),
    [
        ("prometheus", "/none", None, 404),
        ("prometheus", "/metrics", b"x", 405),
        ("prometheus", "/metrics", b"x" * (http_server.BODY_MAX + 1), 413),
        ("prometheus", "/metrics?" + "x" * http_server.HEAD_MAX, None, 431),
        ("jolokia", "/none", None, 404),
        ("prometheus", "/", None, 200),
        ("prometheus", "/health", None, 200),
    ],
)
def test_requests_that_are_not_answered_are_refused(
    tmp_path: Path, name: str, path: str, body: bytes | None, status: int
) -> None:
    async def test() -> None:
        async with running(tmp_path) as reporters:
            root = reporters.urls[name].rsplit("/", 1 if name == "prometheus" else 2)[0]

            assert status == (await get(root + path, body))[0]

    run(test())


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"x\r\n\r\n", b"400"),
        (b"DELETE / HTTP/1.1\r\n\r\n", b"405"),
        (b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"\xff\xfe\r\n\r\n", b"400"),
        (b"HEAD /metrics HTTP/1.1\r\n\r\n", b"200"),
    ],
)
def test_what_is_no_request_gets_a_status(tmp_path: Path, sent: bytes, status: bytes) -> None:
    async def test() -> None:
        async with running(tmp_path) as reporters:
            reader, writer = await connected(reporters)
            writer.write(sent)
            answer = await reader.read()
            writer.close()

            assert status == answer.split()[1]

    run(test())


async def connected(reporters: Reporters) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    port = int(reporters.urls["prometheus"].split(":")[2].split("/")[0])
    return await asyncio.open_connection("127.0.0.1", port)


def test_clients_beyond_the_limit_are_turned_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "CLIENTS_MAX", 1)

    async def test() -> None:
        async with running(tmp_path) as reporters:
            _, first = await connected(reporters)
            second, second_writer = await connected(reporters)
            with suppress(ConnectionResetError):
                assert b"" == await second.read()
            second_writer.close()
            first.close()
            third = b""
            while not third:
                third = await metrics_over(reporters)

            assert third.startswith(b"HTTP/1.1 200 OK")

    run(test())


async def metrics_over(reporters: Reporters) -> bytes:
    """Return what a new client gets; nothing if it is turned away."""
    reader, writer = await connected(reporters)
    answer = b""
    with suppress(ConnectionResetError):
        writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
        answer = await reader.read()
    writer.close()
    return answer


def test_a_client_that_sends_nothing_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "REQUEST_S", 0)

    async def test() -> None:
        async with running(tmp_path) as reporters:
            reader, writer = await connected(reporters)
            with suppress(ConnectionResetError):
                assert b"" == await reader.read()
            writer.close()

    run(test())


def test_a_client_that_does_not_read_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "RESPONSE_S", 0)
    registry = registry_with_all_kinds()
    tags = [(f"{'x' * 200}-{number}", "0") for number in range(50_000)]
    registry.gauges(LOG_SIZE, lambda: ((each, 1) for each in tags))

    async def test() -> None:
        async with running(tmp_path, registry=registry) as reporters:
            reader, writer = await connected(reporters)
            writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
            size = 0
            with suppress(ConnectionResetError):
                size = len(await reader.read())
            writer.close()

            assert size < 10_000_000

    run(test())


def test_no_part_of_an_answer_is_left_in_a_buffer_for_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The wait for the end of a connection has no limit: a client that reads no more would hold
    its place for ever."""
    limits: list[tuple[int, int]] = []
    real = asyncio.StreamWriter.drain

    async def drain(writer: asyncio.StreamWriter) -> None:
        await real(writer)
        limits.append(writer.transport.get_write_buffer_limits())

    async def test() -> None:
        async with running(tmp_path) as reporters:
            monkeypatch.setattr(asyncio.StreamWriter, "drain", drain)
            await get(reporters.urls["prometheus"])

    run(test())

    assert {(0, 0)} == set(limits)


def test_the_file_has_the_addresses_until_the_end(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as reporters:
            found = decode_metrics_endpoints((tmp_path / FILE_NAME).read_bytes())

            assert found is not None
            assert reporters.urls == found.urls
        assert not (tmp_path / FILE_NAME).exists()

    run(test())


def test_an_address_that_is_in_use_names_the_reporter_and_the_key(tmp_path: Path) -> None:
    async def test() -> None:
        async with running(tmp_path) as first:
            port = int(first.urls["prometheus"].split(":")[2].split("/")[0])
            taken = replace(SETTINGS, prometheus=Address(host="127.0.0.1", port=port))

            with pytest.raises(ReporterCannotListen, match=r"kafka\.prometheus\.metrics\.port"):
                await Reporters(registry_with_all_kinds(), taken, str(tmp_path), lambda: 0).start()

    run(test())


@pytest.mark.parametrize(
    ("names", "enabled", "chosen"),
    [
        (("csv",), None, ["csv"]),
        (("csv",), False, []),
        (("kafka.metrics.KafkaCSVMetricsReporter",), None, []),
        (("kafka.metrics.KafkaCSVMetricsReporter", "csv"), True, ["csv"]),
        (("com.criteo.kafka.KafkaGraphiteMetricsReporter", "log"), None, ["graphite", "log"]),
    ],
)
def test_short_names_and_classes_choose_reporters(
    names: Sequence[str], enabled: bool | None, chosen: list[str]
) -> None:
    settings = replace(SETTINGS, names=tuple(names), csv_enabled=enabled)

    assert chosen == [str(each) for each in settings.chosen]


def test_files_of_csv_go_on_where_they_are_there(tmp_path: Path) -> None:
    directory = tmp_path / "new" / "metrics"
    directory.mkdir(parents=True)
    (directory / "LeaderCount.csv").write_text("# time,value\n7,9\n")
    (directory / "not-ours.txt").write_text("kept")

    async def test() -> None:
        reporter = CsvReporter(str(directory))
        for bean, tags, value in registry_with_all_kinds().points():
            reporter.add(bean, tags, value)
        await reporter.flush()
        await until((directory / "TotalTimeMs.request.Produce.csv").exists, what="the last file")
        await until(
            lambda: (directory / "LeaderCount.csv").read_text().count("\n") == 3, what="a row"
        )

    run(test())

    assert "# time,value\n7,9\n0,3\n" == (directory / "LeaderCount.csv").read_text()
    assert "kept" == (directory / "not-ours.txt").read_text()
    head, row = (directory / "BytesInPerSec.topic.orders.csv").read_text().splitlines()
    assert ("# time,count,1 min rate,mean rate,5 min rate,15 min rate", "0,200,20.0") == (
        head,
        row[:10],
    )


def test_metrics_of_two_types_with_one_name_have_two_files(tmp_path: Path) -> None:
    reporter = CsvReporter(str(tmp_path))
    other = replace(LEADERS, type="Other")

    for bean in (LEADERS, other, LEADERS):
        reporter.add(bean, (), 1)

    assert ["LeaderCount.csv", "LeaderCount.Other.csv"] == list(reporter._rows)


def test_a_directory_that_cannot_be_written_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")

    async def test() -> None:
        reporter = CsvReporter(str(tmp_path / "file" / "below"))
        for _ in range(2):
            reporter.add(LEADERS, (), 1)
            await reporter.flush()
            thread = reporter._writer._thread
            assert thread is not None
            await until(lambda thread=thread: not thread.is_alive(), what="a write")  # type: ignore[misc]

    run(test())

    assert 1 == caplog.text.count("cannot be written")
    append_rows(tmp_path, {})


def test_a_row_for_which_there_is_no_room_leaves_no_half(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("# time,value\n7,9\n")
    size = path.stat().st_size
    with no_room_beyond(size + 4), pytest.raises(OSError, match=r"[Nn]o space|[Tt]oo large"):
        append_rows(tmp_path, {"a.csv": ("# time,value", "17,12345")})

    append_rows(tmp_path, {"a.csv": ("# time,value", "27,8")})

    assert "# time,value\n7,9\n27,8\n" == path.read_text()


@contextmanager
def no_room_beyond(size: int) -> Iterator[None]:
    """Let no file of this process get longer than *size* in a block: the rest is not taken."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


class Graphite:
    """A server that takes lines, and can be away."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    async def take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.lines += (await reader.read()).decode().splitlines()
        writer.close()


def test_graphite_gets_metrics_again_after_it_was_away(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    graphite = Graphite()

    async def test() -> None:
        server = await asyncio.start_server(graphite.take, "127.0.0.1", 0)
        address = Address(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
        server.close()
        await server.wait_closed()
        reporter = GraphiteReporter(address, "b1")
        for _ in range(2):
            reporter.add(LEADERS, (), 1)
            await reporter.flush()
        server = await asyncio.start_server(graphite.take, address.host, address.port)
        reporter.add(LEADERS, (), 5)
        await reporter.flush()
        await until(lambda: bool(graphite.lines), what="a line")
        server.close()

    run(test())

    (line,) = graphite.lines
    assert line.startswith("b1.kafka.server.ReplicaManager.LeaderCount.value 5 ")
    assert 1 == caplog.text.count("takes no metrics")
    assert 1 == caplog.text.count("takes metrics again")


def test_a_host_that_can_have_no_address_costs_the_metrics_and_no_poll(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def test() -> None:
        await GraphiteReporter(Address(host="a..b", port=1), "b1").flush()

    run(test())

    assert "Graphite at a..b:1 takes no metrics" in caplog.text


class Noting:
    """A reporter that keeps the names of a poll."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.polls: list[list[str]] = []

    def add(self, bean: Any, tags: tuple[str, ...], value: object, /) -> None:
        self.names.append(bean.object_name(tags))

    async def flush(self) -> None:
        self.polls.append(self.names)
        self.names = []


def test_every_poll_has_all_metrics() -> None:
    noting = Noting()
    registry = registry_with_all_kinds()

    async def test() -> None:
        polling = asyncio.create_task(poll(registry, [noting], 0))
        await until(lambda: len(noting.polls) >= 2, what="two polls")
        polling.cancel()

    run(test())

    expected = [bean.object_name(tags) for bean, tags, _ in registry.points()]
    assert [expected, expected] == noting.polls[:2]


def test_a_reporter_that_hangs_delays_no_other() -> None:
    class Hanging(Noting):
        async def flush(self) -> None:
            self.polls.append(self.names)
            await asyncio.Event().wait()

    hanging, noting = Hanging(), Noting()

    async def test() -> None:
        polling = asyncio.create_task(poll(registry_with_all_kinds(), [hanging, noting], 0))
        await until(lambda: len(noting.polls) >= 3, what="three polls")
        polling.cancel()

    run(test())

    assert 1 == len(hanging.polls)
    assert hanging.names == hanging.polls[0]


def test_reporters_without_a_server_run_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = ("csv", "console", "log", "graphite")
    settings = replace(SETTINGS, names=names, csv_directory=str(tmp_path), interval_s=0)
    printed = ""

    def is_printed() -> bool:
        nonlocal printed
        printed += capsys.readouterr().out
        return "kafka.server:type=ReplicaManager,name=LeaderCount:\n" in printed

    async def test() -> None:
        async with running(tmp_path, settings) as reporters:
            await until((tmp_path / "BytesInPerSec.csv").exists, what="a file")
            await until(is_printed, what="metrics on the console")

            assert {} == reporters.urls

    run(test())
