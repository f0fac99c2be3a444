"""Other implementations of the protocol: how they name a message's fields, and what they write.

kafka-python has two: one that reads Kafka's own schema files, from the oldest versions that Kafka 4
knows, and an older one, written by hand, that goes down to version 0 of many messages.  kio is
generated from Kafka 4's schema files.  None of them knows the APIs that only brokers and
controllers over ZooKeeper speak (4 to 7).
"""

import functools
import importlib
import io
import pkgutil
import re
import warnings
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, Protocol, get_args, get_type_hints

from kio.index import (
    KioIndexError,
    load_entity_schema,
    load_request_schema,
    load_response_schema,
)
from kio.serial import entity_reader, entity_writer
from kio.static.constants import EntityType

from cluster.wire.schema import Schema

Names = tuple[Any, ...]
"""Names of fields, in their order; behind the name of a struct, or array of them, its own names."""


class Oracle(Protocol):
    """One message in one version, as one other implementation has it."""

    def rewritten(self, data: bytes) -> bytes:
        """The bytes that the other one writes for what it read."""

    def names(self) -> Names | None:
        """None where it calls things otherwise."""


def oracles_of(schema: Schema, version: int) -> Iterator[Oracle]:
    """Those who know the message in the version."""
    if schema.api_key is None:
        name = re.sub(r"(?<!^)(?=[A-Z])", "_", schema.name).lower()
        yield Kio(load_entity_schema(name, version, EntityType.data))
        return
    is_request = schema.name.endswith("Request")
    key = (int(schema.api_key), is_request)
    modern = _modern().get(key)
    if modern is not None and modern._valid_versions[0] <= version <= modern._valid_versions[1]:
        yield _Modern(modern, version, version in schema.flexible)
    old = _old().get((*key, version))
    if old is not None and version not in schema.flexible:
        yield _Old(old)
    load = load_request_schema if is_request else load_response_schema
    try:
        yield Kio(load(key[0], version))
    except KioIndexError:
        return


class _Modern:
    def __init__(self, message: Any, version: int, flexible: bool) -> None:
        self._message = message
        self._version = version
        self._flexible = flexible

    def rewritten(self, data: bytes) -> bytes:
        message = self._message.decode(data, version=self._version)
        message._header = None
        return bytes(message.encode(version=self._version))

    def names(self) -> Names:
        return self._names_of(self._message._struct)

    def _names_of(self, struct: Any) -> Names:
        names: list[Any] = []
        for field in struct._fields:
            if field.for_version_q(self._version):
                names.append(field.name)
                if field._fields:
                    names.append(self._names_of(field))
        return tuple(names)


class _Old:
    def __init__(self, message: Any) -> None:
        self._message = message

    def rewritten(self, data: bytes) -> bytes:
        return bytes(self._message.decode(io.BytesIO(data)).encode())

    def names(self) -> None:
        return None


class Kio:
    def __init__(self, entity: Any) -> None:
        self._entity = entity

    def rewritten(self, data: bytes) -> bytes:
        message, _ = entity_reader(self._entity)(data, 0)
        out = io.BytesIO()
        entity_writer(self._entity)(out, message)
        return out.getvalue()

    def names(self) -> Names:
        return _kio_names(self._entity)


def _kio_names(entity: Any) -> Names:
    names: list[Any] = []
    hints = get_type_hints(entity)
    for field in fields(entity):
        names.append(field.name)
        for inner in _types_in(hints[field.name]):
            if is_dataclass(inner):
                names.append(_kio_names(inner))
    return tuple(names)


def _types_in(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _types_in(inner)


@functools.cache
def _modern() -> dict[tuple[int, bool], Any]:
    return {
        (message.API_KEY, message.type == "request"): message
        for message in _subclasses(_kafka_python().api_message.ApiMessage)
        if message._json and message._class_version is None
    }


@functools.cache
def _old() -> dict[tuple[int, bool, int], Any]:
    return {
        (message.API_KEY, "Request" in message.__name__, message.API_VERSION): message
        for message in _subclasses(_kafka_python().old.struct.Struct)
        if isinstance(getattr(message, "API_VERSION", None), int)
        # Its list of partitions is one partition, which no broker understands.
        and message.__name__ != "DescribeLogDirsRequest_v0"
    }


def _subclasses(cls: Any) -> Iterator[Any]:
    for subclass in cls.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


@functools.cache
def _kafka_python() -> Any:
    """Its protocol package with all modules; some of them read files in a way that will go."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        protocol = importlib.import_module("kafka.protocol")
        for module in pkgutil.walk_packages(protocol.__path__, "kafka.protocol."):
            if "generate_stubs" not in module.name:
                importlib.import_module(module.name)
    return protocol
