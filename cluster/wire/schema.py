"""The schema of messages: their fields and versions, and which classes belong to an API.

Knows the tables, not the bytes.  The tables of an API are imported at its first use.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar, cast

from cluster.wire.api_keys import MODULES, ApiKey
from cluster.wire.fields import Field
from cluster.wire.versions import Versions

S = TypeVar("S", bound=tuple[Any, ...])


@dataclass(frozen=True, slots=True)
class Schema:
    """A message: its class, its versions, and those of them that are flexible (KIP-482).

    *api_key* is None for payloads inside of other messages.
    """

    message: type[tuple[Any, ...]]
    versions: Versions
    flexible: Versions
    api_key: ApiKey | None = None

    @property
    def name(self) -> str:
        return self.message.__name__


_fields: dict[type, Mapping[str, Field]] = {}
_schemas: dict[type, Schema] = {}
_requests: dict[ApiKey, Schema] = {}
_responses: dict[ApiKey, Schema] = {}


def struct(cls: type[S]) -> type[S]:
    """Turn a NamedTuple whose defaults are descriptions into one whose defaults are values."""
    named_tuple = cast(Any, cls)
    fields: dict[str, Field] = named_tuple._field_defaults
    assert tuple(fields) == named_tuple._fields, f"{cls.__name__}: a field has no description"
    _fields[cls] = dict(fields)
    named_tuple._field_defaults = {name: field.default for name, field in fields.items()}
    named_tuple.__new__.__defaults__ = tuple(named_tuple._field_defaults.values())
    return cls


def _message(
    versions: str, flexible: str, api_key: ApiKey | None, index: dict[ApiKey, Schema]
) -> Callable[[type[S]], type[S]]:
    def register(cls: type[S]) -> type[S]:
        struct(cls)
        schema = Schema(cls, Versions.parse(versions), Versions.parse(flexible), api_key)
        _schemas[cls] = schema
        if api_key is not None:
            index[api_key] = schema
        return cls

    return register


def request(api_key: ApiKey, versions: str, flexible: str = "none") -> Callable[[type[S]], type[S]]:
    return _message(versions, flexible, api_key, _requests)


def response(
    api_key: ApiKey, versions: str, flexible: str = "none"
) -> Callable[[type[S]], type[S]]:
    return _message(versions, flexible, api_key, _responses)


def payload(versions: str, flexible: str = "none") -> Callable[[type[S]], type[S]]:
    """A payload that other messages or records contain as bytes, such as a subscription."""
    return _message(versions, flexible, None, {})


def fields_of(cls: type[tuple[Any, ...]]) -> Mapping[str, Field]:
    """The fields in the order of the protocol; tagged ones are where the class has them."""
    return _fields[cls]


def schema_of(cls: type[tuple[Any, ...]]) -> Schema:
    return _schemas[cls]


def request_schema(api_key: ApiKey) -> Schema:
    if api_key not in _requests:
        import_module(f"cluster.wire.messages.{MODULES[api_key]}")
    return _requests[api_key]


def response_schema(api_key: ApiKey) -> Schema:
    request_schema(api_key)
    return _responses[api_key]
