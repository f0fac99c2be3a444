"""Files that an operator names: with a byte order mark, without an end, or from a pipe."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
from confluent_kafka import Consumer

from cluster.runtime.broker import FILE_SIZE_MAX
from cluster.runtime.broker import read_properties as read_of_broker
from cluster.settings.errors import InvalidSettings
from kadmin import named_file
from kadmin.admin.oauth import of_file
from kadmin.admin.tls import check_readable
from kadmin.app.spark import read_properties as read_of_spark
from kadmin.arguments.documents import BadFile, parse_document
from kadmin.cli.files import read_text
from kadmin.errors import UsageError
from kadmin.plan.moves.plan_file import from_json as plan_in
from kadmin.records.client import create_client
from kadmin.records.properties import read_properties as read_of_client
from kadmin.settings.config_reader import read_config_file
from kadmin.settings.properties import read_properties
from kadmin.settings.resolve import read_password
from kadmin.snapshots.reading import saved_in


def document_in(text: str, source: str) -> object:
    """A file of Kafka's, which this is none of."""
    raise BadFile(source, [str(parse_document(text, source, "hint"))], "hint")


MARK: Final = b"\xef\xbb\xbf"

READERS: Final[dict[str, tuple[bytes, Callable[[str], object], object]]] = {
    "--command-config": (
        b"a=1\r\n",
        lambda path: {key: given.value for key, given in read_properties(path).items()},
        {"a": "1"},
    ),
    "--property-file": (b"client.id=x\n", read_of_client, {"client.id": "x"}),
    "--properties-file": (b"spark.a=1\n", read_of_spark, {"spark.a": "1"}),
    "a password file": (
        b"swordfish\r\n",
        lambda path: str(read_password(path, "", "")),
        "swordfish",
    ),
    "a token": (b"abc.def\r\n", lambda path: of_file(path).text, "abc.def"),
    "a plan": (b"{}\r\n", lambda path: read_text(path, "hint"), "{}\r\n"),
    "the configuration file": (
        b'[clusters.dev]\r\nzookeeper = "z"\r\n',
        lambda path: read_config_file(path).clusters,
        {"dev": {"zookeeper": "z"}},
    ),
}


@pytest.fixture(autouse=True)
def small_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_file, "SIZE_MAX", 1024)


def piped(content: bytes) -> str:
    """The path of a pipe that holds *content* once, as a shell's `<(…)`."""
    reading, writing = os.pipe()
    os.write(writing, content)
    os.close(writing)
    return f"/dev/fd/{reading}"


@pytest.mark.parametrize(("content", "read", "expected"), READERS.values(), ids=READERS)
def test_a_byte_order_mark_changes_nothing_nor_does_a_pipe(
    tmp_path: Path, content: bytes, read: Callable[[str], object], expected: object
) -> None:
    path = tmp_path / "file"

    found = []
    for each in (content, MARK + content):
        path.write_bytes(each)
        found += [read(str(path)), read(piped(each))]

    assert [expected] * 4 == found


@pytest.mark.parametrize(("_content", "read", "_expected"), READERS.values(), ids=READERS)
def test_a_file_without_an_end_is_refused_by_its_name(
    _content: bytes, read: Callable[[str], object], _expected: object
) -> None:
    with pytest.raises(UsageError, match=r"/dev/zero.*: it has more than 1,024 bytes, or no end"):
        read("/dev/zero")


def test_certificates_are_not_read_from_a_device() -> None:
    with pytest.raises(UsageError, match="cannot read /dev/zero: it is a device"):
        check_readable("/dev/zero")
    with pytest.raises(UsageError, match="cannot read /dev/zero: it is a device"):
        create_client(Consumer, {"group.id": "g", "ssl.ca.location": "/dev/zero"})


def test_a_broker_reads_its_configs_alike(tmp_path: Path) -> None:
    path = tmp_path / "server.properties"
    path.write_bytes(MARK + b"broker.id=1\r\n")

    assert ["broker.id"] == list(read_of_broker(str(path)))
    with pytest.raises(InvalidSettings, match=f"/dev/zero: it has more than {FILE_SIZE_MAX:,}"):
        read_of_broker("/dev/zero")


@pytest.mark.parametrize("read", [plan_in, saved_in, document_in], ids=["plan", "snapshot", "file"])
def test_a_file_of_more_values_than_memory_has_room_for_is_refused_before_it_is_parsed(
    read: Callable[[str, str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(named_file, "VALUES_MAX", 50)

    with pytest.raises(UsageError, match=r"it has more than [\d,]+ values") as refused:
        read('{"version": 1, "x": [' + "[]," * 50 + "0]}", "x.json")

    assert refused.value.hint
    with pytest.raises(UsageError, match=r"x\.json") as allowed:
        read('{"version": 1, "x": [' + "[]," * 5 + "0]}", "x.json")
    assert "values" not in allowed.value.message
