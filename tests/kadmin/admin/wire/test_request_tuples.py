"""Requests in all versions: does each say to an old broker what it says to a new one?

kafka-python takes tuples for the structs inside of requests, and reads them by the fields of the
version that it sends: where one is missing in an older version, all behind it are another.
"""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.wire.codec import decode_request
from cluster.wire.messages.list_offsets import ListOffsetsRequest as Decoded
from kadmin.admin import wire
from kadmin.admin.wire import offsets, replica_reader, wire_replicas
from kadmin.plan.offsets import EARLIEST, LATEST

T0 = TopicPartition("t", 0)
TIME_MS = 1_700_000_000_000
VERSIONS = range(1, 10)


class Asked:
    """A connection that keeps what brokers are asked, and has no answer."""

    def __init__(self) -> None:
        self.requests: list[Any] = []
        self.budget = SimpleNamespace(renew=lambda: None)

    def ask(self, request: Any, _broker: object = None, **_: Any) -> Any:
        self.requests.append(request)
        return SimpleNamespace(topics=[])

    def ask_all(self, requests: dict[object, Any]) -> tuple[dict[object, Any], dict[object, str]]:
        self.requests += requests.values()
        return {}, {}


def asked_timestamps(request: Any, version: int) -> list[int]:
    """What *request* asks for in *version*, as another codec reads it."""
    request.with_header(correlation_id=1, client_id="c")
    frame = memoryview(bytes(request.encode(version=version, header=True)))
    body = decode_request(frame).body
    assert isinstance(body, Decoded)
    return [part.timestamp for topic in body.topics for part in topic.partitions]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("moment", [EARLIEST, LATEST, TIME_MS])
def test_every_version_asks_for_the_same_offsets(version: int, moment: int) -> None:
    asked: Any = Asked()
    list(offsets.ask_one(asked, moment, BrokerId(1), [T0]))
    reader = replica_reader.WireReplicaReader(asked, ["t"])
    reader.spans({BrokerId(1): [T0]})
    wire_replicas.WireReplicas(asked).end_offsets({T0: [BrokerId(1)]})

    by_time, starts, ends, latest = asked.requests
    assert [moment] == asked_timestamps(by_time, version)
    assert [EARLIEST] == asked_timestamps(starts, version)
    assert [LATEST] == asked_timestamps(ends, version)
    assert [LATEST] == asked_timestamps(latest, version)


def requests_with_tuples() -> Iterator[tuple[str, str]]:
    """The request classes, and those of their fields, that modules write with tuples."""
    for path in Path(str(wire.__path__[0])).glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            for keyword in node.keywords:
                has_tuple = any(
                    isinstance(each, ast.Tuple) and isinstance(each.ctx, ast.Load)
                    for each in ast.walk(keyword.value)
                )
                if node.func.id.endswith("Request") and keyword.arg and has_tuple:
                    yield node.func.id, keyword.arg


def class_of(name: str) -> Any:
    for module in ("admin", "consumer", "metadata", "producer"):
        found = getattr(importlib.import_module(f"kafka.protocol.{module}"), name, None)
        if found is not None:
            return found
    raise AssertionError(f"kafka-python has no {name}")


def varying(field: Any, versions: range) -> Iterator[str]:
    """The fields inside of the struct *field* that some of *versions* have and others have not."""
    for inner in (field.fields or {}).values():
        lowest, highest = inner._versions
        if lowest > versions.start or highest < versions.stop - 1:
            yield inner.name
        if inner._fields is not None:
            yield from varying(inner, versions)


def test_no_struct_is_a_tuple_whose_fields_differ_between_versions() -> None:
    written = set(requests_with_tuples())

    assert written, "no module writes tuples any more: this test has nothing to look at"
    for name, keyword in sorted(written):
        request = class_of(name)
        versions = range(request.min_version, request.max_version + 1)
        field = request._struct.fields[keyword]
        assert [] == list(varying(field, versions)), f"{name}.{keyword}: name its fields"
