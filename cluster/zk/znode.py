"""What came back for one path, and how is its JSON taken apart without trusting it?"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from cluster.model.errors import CorruptZnodeError
from cluster.model.ids import NEVER_READ, ZkVersion

JsonObject: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Znode:
    """A znode as it was read; *data* is None for null data.

    Times are the server's, in ms since 1970; *ephemeral_owner* is the session, 0 for none.
    """

    path: str
    data: bytes | None
    zk_version: ZkVersion = NEVER_READ
    czxid: int = 0
    ctime_ms: int = 0
    mtime_ms: int = 0
    ephemeral_owner: int = 0

    def corrupt(self, reason: str) -> CorruptZnodeError:
        return CorruptZnodeError(self.path, self.zk_version, reason)

    @property
    def name(self) -> str:
        """The last part of the path."""
        return self.path.rsplit("/", 1)[1]


INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1


def json_object(node: Znode) -> JsonObject:
    """Parse the node's data as a JSON object.

    Raises:
        CorruptZnodeError: no data, no JSON, or not an object.
    """
    if not node.data:
        raise node.corrupt("is empty, a JSON object was expected")
    try:
        document = json.loads(node.data)
    except (ValueError, RecursionError) as error:
        raise node.corrupt(f"is not JSON: {error}") from None
    if type(document) is not dict:
        raise node.corrupt("is not a JSON object")
    return document


def json_bytes(document: Mapping[str, object]) -> bytes:
    """Encode as Kafka does: no blanks, UTF-8, keys in the order given."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode()


def integer(
    node: Znode,
    document: JsonObject,
    key: str,
    low: int = INT32_MIN,
    high: int = INT32_MAX,
    default: int | None = None,
) -> int:
    """The integer under *key*, within *low*..*high*; *default* for a missing or null one.

    Accepts decimal text, which Kafka uses for 64-bit numbers.

    Raises:
        CorruptZnodeError: missing without a default, no integer, or out of bounds.
    """
    value = document.get(key)
    if value is None:
        if default is None:
            raise node.corrupt(f"has no '{key}'")
        return default
    if type(value) is str:
        try:
            value = int(value)
        except ValueError:
            raise node.corrupt(f"'{key}' is not an integer: {value!r}") from None
    if type(value) is not int:
        raise node.corrupt(f"'{key}' is not an integer: {value!r}")
    if not low <= value <= high:
        raise node.corrupt(f"'{key}' is out of bounds: {value}")
    return value


def extra_fields(document: JsonObject, known: frozenset[str]) -> JsonObject:
    """The fields that we do not know, to be written back as they were."""
    return {key: value for key, value in document.items() if key not in known}
