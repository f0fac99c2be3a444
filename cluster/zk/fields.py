"""Fields of a znode's JSON: parsed without trusting it.

Knows no path and no layout, unlike the codecs beside it.
"""

import json
import math
import re
import reprlib
from collections.abc import Mapping
from typing import Any, Final, NoReturn, TypeAlias

from cluster.model.extra import NOTHING
from cluster.model.ids import BrokerId
from cluster.zk.znode import Znode

JsonObject: TypeAlias = dict[str, Any]

INT16_MAX: Final = 2**15 - 1
INT32_MIN: Final = -(2**31)
INT32_MAX: Final = 2**31 - 1
INT64_MAX: Final = 2**63 - 1


def finite_float(text: str) -> float:
    """Refuse a number that would be written back as `Infinity`, which is no JSON."""
    number = float(text)
    if math.isinf(number):
        raise ValueError(f"{text} is too large")
    return number


def refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is no JSON value")


DECODER: Final = json.JSONDecoder(parse_float=finite_float, parse_constant=refuse_constant)


def json_value(node: Znode) -> Any:
    """Parse the node's data as JSON; the result can always be written again.

    Raises:
        CorruptZnodeError: no data, no JSON, or text that is not Unicode.
    """
    if not node.data:
        raise node.corrupt("is empty, JSON was expected")
    try:
        text = node.data.strip().decode()
        # `decode` would look for blanks around the value, which costs a third of the parsing.
        value, end = DECODER.raw_decode(text)
        if end != len(text):
            raise node.corrupt(f"is not JSON: more data after character {end}")
        if "\\" in text:
            # An escape can name half of a surrogate pair, which no encoding can carry.
            json_bytes(value)
    except (ValueError, RecursionError) as error:
        raise node.corrupt(f"is not JSON: {error}") from None
    return value


def json_object(node: Znode) -> JsonObject:
    """Parse the node's data as a JSON object.

    Raises:
        CorruptZnodeError: no data, no JSON, or not an object.
    """
    document = json_value(node)
    if type(document) is not dict:
        raise node.corrupt("is not a JSON object")
    return document


def json_bytes(value: object) -> bytes:
    """Encode as Kafka does: no blanks, UTF-8, keys in the order given."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()


def plain_text(node: Znode) -> str:
    """The node's data as text.

    Raises:
        CorruptZnodeError: no data, or no UTF-8.
    """
    if not node.data:
        raise node.corrupt("is empty, text was expected")
    try:
        return node.data.decode()
    except UnicodeDecodeError as error:
        raise node.corrupt(f"is not UTF-8: {error}") from None


DECIMAL: Final = re.compile(r"-?[0-9]{1,19}")
"""No 64-bit number has more digits; `int` is slow with many and refuses very many."""


def decimal(node: Znode, text: str, what: str, low: int = 0, high: int = INT32_MAX) -> int:
    """The number in *text*, within *low*..*high*; *what* names it in the error.

    Raises:
        CorruptZnodeError: no ASCII decimal, or out of bounds.
    """
    if DECIMAL.fullmatch(text) is None:
        raise node.corrupt(f"{what} is not an integer: {shown(text)}")
    value = int(text)
    if not low <= value <= high:
        raise node.corrupt(f"{what} is out of bounds: {value}")
    return value


def optional_integer(
    node: Znode, document: JsonObject, key: str, low: int = INT32_MIN, high: int = INT32_MAX
) -> int | None:
    """The integer under *key*, within *low*..*high*; None for a missing or null one.

    Accepts decimal text, which Kafka uses for 64-bit numbers.

    Raises:
        CorruptZnodeError: no integer, or out of bounds.
    """
    value = document.get(key)
    if value is None:
        return None
    if type(value) is str:
        return decimal(node, value, f"'{key}'", low, high)
    if type(value) is not int:
        raise node.corrupt(f"'{key}' is not an integer: {shown(value)}")
    if not low <= value <= high:
        raise node.corrupt(f"'{key}' is out of bounds: {shown(value)}")
    return value


def integer(
    node: Znode,
    document: JsonObject,
    key: str,
    low: int = INT32_MIN,
    high: int = INT32_MAX,
    default: int | None = None,
) -> int:
    """As `optional_integer`, with *default* for a missing one.

    Raises:
        CorruptZnodeError: also when it is missing and there is no default.
    """
    value = optional_integer(node, document, key, low, high)
    if value is not None:
        return value
    if default is None:
        raise node.corrupt(f"has no '{key}'")
    return default


def number(
    node: Znode, document: JsonObject, key: str, low: int = INT32_MIN, high: int = INT32_MAX
) -> int:
    """As `integer`, where Kafka reads a number alone, and no text."""
    if type(document.get(key)) is str:
        raise node.corrupt(f"'{key}' is not a number: {shown(document[key])}")
    return integer(node, document, key, low, high)


def optional_text(node: Znode, document: JsonObject, key: str) -> str | None:
    """The text under *key*, None for a missing or null one."""
    value = document.get(key)
    if value is not None and type(value) is not str:
        raise node.corrupt(f"'{key}' is not text: {shown(value)}")
    return value


def text(node: Znode, document: JsonObject, key: str) -> str:
    """The text under *key*, which must exist and not be empty."""
    value = optional_text(node, document, key)
    if not value:
        raise node.corrupt(f"has no '{key}'")
    return value


def json_list(node: Znode, document: JsonObject, key: str) -> list[Any]:
    """The list under *key*, which must exist."""
    value = document.get(key)
    if type(value) is not list:
        raise node.corrupt(f"has no list '{key}'")
    return value


def json_map(node: Znode, document: JsonObject, key: str) -> JsonObject:
    """The object under *key*, which must exist."""
    value = document.get(key)
    if type(value) is not dict:
        raise node.corrupt(f"has no object '{key}'")
    return value


def extra_fields(document: JsonObject, known: frozenset[str]) -> Mapping[str, object]:
    """The unknown fields, to be written back as they were."""
    if document.keys() <= known:
        return NOTHING
    return {key: value for key, value in document.items() if key not in known}


def broker_ids(node: Znode, what: str, value: object) -> tuple[BrokerId, ...]:
    """The broker ids in the list *value*, in its order; *what* names it in the error."""
    if type(value) is not list:
        raise node.corrupt(f"{what} is no list of brokers: {shown(value)}")
    for broker_id in value:
        if type(broker_id) is not int or not 0 <= broker_id <= INT32_MAX:
            raise node.corrupt(f"{what} holds {shown(broker_id)} where a broker id was expected")
    return tuple(value)


SHORT: Final = reprlib.Repr()
SHORT.maxstring = SHORT.maxlong = SHORT.maxother = 80


def shown(value: object) -> str:
    """*value* for an error message: one line of bounded length, however deep or long it is."""
    return SHORT.repr(value)
