"""The spec of one config key, and validation of its values.

Parses and checks values as Kafka's ConfigDef does, with its messages where they are good.  Knows
neither which keys exist nor where values are stored.
"""

import math
import re
from dataclasses import dataclass
from enum import Enum, StrEnum
from typing import Final, NamedTuple


class ValueKind(StrEnum):
    """Type of a value, under Kafka's name for it."""

    BOOLEAN = "BOOLEAN"
    SHORT = "SHORT"
    INT = "INT"
    LONG = "LONG"
    DOUBLE = "DOUBLE"
    STRING = "STRING"
    LIST = "LIST"
    CLASS = "CLASS"
    PASSWORD = "PASSWORD"


class Syntax(Enum):
    """A text format with rules of its own."""

    FREE = "free"
    THROTTLED_REPLICAS = "throttled replicas"
    RELEASE = "release"
    CREDENTIAL = "credential"


class UpdateMode(StrEnum):
    """How a broker config can be changed, under Kafka's names for it.

    READ_ONLY ones are read from server.properties when a broker starts; PER_BROKER ones can be set
    for one broker while it runs, CLUSTER_WIDE ones also for all.  PER_LISTENER ones, which Kafka
    counts as per-broker, need the listener before the key: `listener.name.<name>.`.
    """

    READ_ONLY = "read-only"
    PER_BROKER = "per-broker"
    PER_LISTENER = "per-listener"
    CLUSTER_WIDE = "cluster-wide"


class Fallback(NamedTuple):
    """A read-only broker config that gives a topic's default while its *synonym* is not set."""

    name: str
    unit_ms: int = 1
    """How many milliseconds one of its units has."""


@dataclass(frozen=True, slots=True)
class ConfigSpec:
    """One config key.

    *default* is that of Kafka 3.9 as text; None where there is none, where it means "no limit", or
    where it depends on the release.  *earlier_defaults* are pairs of a release and the default of
    the releases before it, oldest first.  *at_least* and *at_most* bound numbers; *also* is one
    more legal number. *choices* are the legal words (of a list: its members).  *synonym* is the
    brokers' key for the default of a topic's, *fallbacks* are those that count where it is not set,
    in this order.  *since* is the first release with the key; no key of kadmin's tables has been
    removed up to 3.9.
    """

    name: str
    kind: ValueKind
    default: str | None = None
    since: str = "0.8.2"
    at_least: float | None = None
    at_most: float | None = None
    also: int | None = None
    choices: tuple[str, ...] = ()
    syntax: Syntax = Syntax.FREE
    synonym: str | None = None
    fallbacks: tuple[Fallback, ...] = ()
    earlier_defaults: tuple[tuple[str, str], ...] = ()
    update_mode: UpdateMode = UpdateMode.CLUSTER_WIDE

    @property
    def is_sensitive(self) -> bool:
        """Whether a value must not be shown."""
        return self.kind is ValueKind.PASSWORD or self.syntax is Syntax.CREDENTIAL


INTEGER_BITS: Final = {ValueKind.SHORT: 16, ValueKind.INT: 32, ValueKind.LONG: 64}
INTEGER: Final = re.compile(r"[+-]?[0-9]+")
DOUBLE: Final = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?[dDfF]?")
THROTTLED_REPLICA: Final = re.compile(r"[0-9]+:[0-9]+")
JAVA_BLANKS: Final = "".join(map(chr, range(0x21)))
"""What Java's `trim` removes."""

NO_INTERIM: Final = -1
HIGHEST_INTERIM: Final = {
    **dict.fromkeys(("0.8.0", "0.8.1", "0.8.2", "0.9.0"), NO_INTERIM),
    **dict.fromkeys(("0.10.2", "1.0", "1.1", "2.5", "2.6", "3.1", "3.2", "3.4", "3.8", "3.9"), 0),
    **dict.fromkeys(("0.10.0", "2.0", "2.2", "2.3", "2.4", "2.8", "3.0"), 1),
    **dict.fromkeys(("0.10.1", "0.11.0", "2.1", "2.7", "3.5", "3.6"), 2),
    **{"3.3": 3, "3.7": 4},
}
"""The releases with message formats, each with its last `-IV<n>`."""


def trimmed(value: str) -> str:
    return value.strip(JAVA_BLANKS)


def value_problem(spec: ConfigSpec, value: str) -> str | None:
    """Why *value* is invalid for the key of *spec*, in one sentence; None when it is valid.

    Stricter than Kafka in one point: a DOUBLE must be a number, so `NaN` is none.
    """
    text = trimmed(value)
    reason = fault_of(spec, text)
    if reason is None:
        return None
    return f"Invalid value {text} for configuration {spec.name}: {reason}"


def fault_of(spec: ConfigSpec, text: str) -> str | None:
    if spec.syntax is Syntax.THROTTLED_REPLICAS:
        return throttled_replicas_fault(text)
    if spec.syntax is Syntax.RELEASE:
        return None if is_release(text) else f"Version {text} is not a valid version"
    match spec.kind:
        case ValueKind.BOOLEAN:
            is_boolean = text.lower() in ("true", "false")
            return None if is_boolean else "Expected value to be either true or false"
        case ValueKind.SHORT | ValueKind.INT | ValueKind.LONG | ValueKind.DOUBLE:
            return number_fault(spec, text)
        case ValueKind.LIST:
            return choice_fault(spec, members(text))
        case ValueKind.STRING:
            return choice_fault(spec, [text])
        case ValueKind.CLASS:
            return None if text else "Class name must not be empty"
        case ValueKind.PASSWORD:
            # Any text is valid, so no error repeats it.
            return None


def members(text: str) -> list[str]:
    """The members of a LIST; none for empty text."""
    return re.split(r"\s*,\s*", text) if text else []


def is_true(text: str) -> bool:
    """Whether the text of a BOOLEAN means true, ignoring case; False for other text."""
    return trimmed(text).lower() == "true"


def choice_fault(spec: ConfigSpec, words: list[str]) -> str | None:
    if not spec.choices or all(word in spec.choices for word in words):
        return None
    return "String must be one of: " + ", ".join(spec.choices)


def number_fault(spec: ConfigSpec, text: str) -> str | None:
    number = parsed_number(spec.kind, text)
    if number is None:
        return f"Not a number of type {spec.kind}"
    if spec.also is not None and number == spec.also:
        return None
    beside = f" or equal to {spec.also}" if spec.also is not None else ""
    is_low = spec.at_least is not None and number < spec.at_least
    is_high = spec.at_most is not None and number > spec.at_most
    if (is_low or is_high) and beside and spec.at_most is not None:
        return f"Value must be between {spec.at_least} and {spec.at_most}{beside}"
    if is_low:
        return f"Value must be at least {spec.at_least}{beside}"
    if is_high:
        return f"Value must be no more than {spec.at_most}{beside}"
    return None


INTEGER_DIGITS_MAX: Final = 19
"""Those of the largest long."""


def parsed_number(kind: ValueKind, text: str) -> float | None:
    """The number that Java parses from *text*; None when there is none, or it does not fit."""
    if kind is ValueKind.DOUBLE:
        if DOUBLE.fullmatch(text) is None:
            return None
        number = float(text.rstrip("dDfF"))
        return None if math.isinf(number) else number
    if INTEGER.fullmatch(text) is None:
        return None
    bound = 2 ** (INTEGER_BITS[kind] - 1)
    digits = text.lstrip("+-").lstrip("0")
    if len(digits) > INTEGER_DIGITS_MAX:  # Python refuses to read thousands of them.
        return None
    number = int(digits or "0") * (-1 if text.startswith("-") else 1)
    return number if -bound <= number < bound else None


def throttled_replicas_fault(text: str) -> str | None:
    # Java's split drops the empty text after a last comma, and Kafka accepts it.
    replicas = members(text.rstrip(","))
    if text == "*" or all(THROTTLED_REPLICA.fullmatch(replica) for replica in replicas):
        return None
    return (
        "must be the literal '*' or a list of replicas in the following format:"
        " [partitionId]:[brokerId],[partitionId]:[brokerId],..."
    )


def is_release(text: str) -> bool:
    """Whether *text* is a release in the form of `message.format.version`: 2.8, 2.8.1, 2.8-IV1."""
    release, dash, interim = text.partition("-IV")
    if dash:
        highest = HIGHEST_INTERIM.get(release, NO_INTERIM)
        return interim in [str(number) for number in range(highest + 1)]
    length = 3 if text.startswith("0.") else 2
    return ".".join(text.split(".")[:length]) in HIGHEST_INTERIM
