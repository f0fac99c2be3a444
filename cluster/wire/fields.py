"""Fields of a message, described by their types, their versions, and whether they may be null.

The classes of `cluster.wire.messages` declare their fields with these functions.  As with the
`field` of dataclasses, each is typed as the value that the field will have, so that a type checker
sees plain values; `cluster.wire.schema` replaces the descriptions by the defaults.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar, cast

from cluster.model.file_slice import FileSlice
from cluster.wire.versions import Versions

Records = bytes | bytearray | memoryview | FileSlice
"""Record batches: parts of the frame when received; any object with a length when sent."""

TEXT_SIZE_MAX: Final = 2**15 - 1
"""How many bytes a text may have, in flexible versions as well: Kafka reads no longer ones."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """A type of the protocol that has no fields of its own.

    *letter* is struct's letter for a fixed size, and empty for a type with a length.
    """

    name: str
    default: T
    letter: str = ""


BOOL: Final = Kind("bool", False, "?")
INT8: Final = Kind("int8", 0, "b")
INT16: Final = Kind("int16", 0, "h")
UINT16: Final = Kind("uint16", 0, "H")
INT32: Final = Kind("int32", 0, "i")
INT64: Final = Kind("int64", 0, "q")
FLOAT64: Final = Kind("float64", 0.0, "d")
UUID: Final = Kind("uuid", bytes(16), "16s")
STRING: Final = Kind("string", "")
BYTES: Final = Kind("bytes", b"")
RECORDS: Final[Kind[Records | None]] = Kind("records", None)


@dataclass(frozen=True, slots=True)
class Field:
    """A description; *of* is a Kind or the class of a nested struct."""

    of: Kind[Any] | type[tuple[Any, ...]]
    versions: Versions
    default: object
    nullable: Versions
    is_array: bool = False
    tag: int | None = None
    may_be_cut: bool = False
    """Whether a text that is too long is cut off when it is sent."""


def _described(kind: Kind[T], versions: str, default: T, null: str, tag: int | None) -> T:
    field = Field(kind, Versions.parse(versions), default, Versions.parse(null), tag=tag)
    return cast(T, field)


def boolean(versions: str = "0+", *, default: bool = False, tag: int | None = None) -> bool:
    return _described(BOOL, versions, default, "none", tag)


def int8(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> int:
    return _described(INT8, versions, default, "none", tag)


def int16(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> int:
    return _described(INT16, versions, default, "none", tag)


def uint16(versions: str = "0+") -> int:
    return _described(UINT16, versions, 0, "none", None)


def int32(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> int:
    return _described(INT32, versions, default, "none", tag)


def int64(versions: str = "0+", *, default: int = 0, tag: int | None = None) -> int:
    return _described(INT64, versions, default, "none", tag)


def float64(versions: str = "0+") -> float:
    return _described(FLOAT64, versions, 0.0, "none", None)


def uuid(versions: str = "0+", *, tag: int | None = None) -> bytes:
    """16 bytes; zeros for none."""
    return _described(UUID, versions, UUID.default, "none", tag)


def string(
    versions: str = "0+", *, null: str = "none", default: str | None = "", tag: int | None = None
) -> str:
    return cast(str, _described(cast(Kind[str | None], STRING), versions, default, null, tag))


def explanation(versions: str = "0+") -> str | None:
    """A sentence for people, or null.

    It may quote what a client has sent, and become too long: then it is cut off.
    """
    wanted = Versions.parse(versions)
    return cast(str | None, Field(STRING, wanted, None, wanted, may_be_cut=True))


def data(versions: str = "0+", *, null: str = "none", default: bytes | None = b"") -> bytes:
    """Bytes in another format; copied out of the frame."""
    return cast(bytes, _described(cast(Kind[bytes | None], BYTES), versions, default, null, None))


def batches(versions: str = "0+") -> Records | None:
    """Record batches; a view into the frame where it is received."""
    return _described(RECORDS, versions, None, versions, None)


def array(
    of: Kind[T] | type[T],
    versions: str = "0+",
    *,
    null: str = "none",
    default: Sequence[T] | None = (),
    tag: int | None = None,
) -> Sequence[T]:
    field = Field(
        cast(Kind[Any] | type[tuple[Any, ...]], of),
        Versions.parse(versions),
        default,
        Versions.parse(null),
        is_array=True,
        tag=tag,
    )
    return cast(Sequence[T], field)


def nested(of: type[T], versions: str = "0+", *, tag: int | None = None) -> T:
    """One struct; if it was not sent, all its fields have their defaults."""
    struct = cast(type[tuple[Any, ...]], of)
    return cast(T, Field(struct, Versions.parse(versions), of(), Versions.parse("none"), tag=tag))
