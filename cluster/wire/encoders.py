"""Encoders of messages, one function for each message and version.

Generates a flat function for each message and version at its first use, as `cluster.wire.decoders`
does for decoding, and for large ones a generator.  Records are not copied: a message with records
becomes several buffers, of which each record field is one.

A field that the version lacks is left out whatever its value.  A value that cannot be encoded (null
where none is allowed, a text too long for its length) is a bug of ours, and an
UnencodableMessageError.
"""

import struct
from collections.abc import Callable, Generator
from itertools import starmap
from struct import Struct
from typing import Any, Final, cast

from cluster.wire.errors import UnencodableMessageError
from cluster.wire.fields import (
    INT32,
    INT64,
    RECORDS,
    STRING,
    TEXT_SIZE_MAX,
    Field,
    Kind,
    Records,
)
from cluster.wire.schema import Schema, fields_of
from cluster.wire.source import Source
from cluster.wire.varint import SMALL, encode
from cluster.wire.versions import NEVER

Buffers = list[Records]
"""Buffers that are sent one after the other."""

Encoder = Callable[[Any], Buffers]
SteppingEncoder = Callable[[Any], Generator[None, None, Buffers]]

WRITE_ERRORS: Final = (AttributeError, TypeError, ValueError, struct.error)
"""Exceptions in which the encoding of an invalid value ends."""

_SHORT_ARRAYS: Final = 16
_PARTS_MAX: Final = 4096


def _packers(length: str, letter: str) -> tuple[Callable[..., bytes], ...]:
    return tuple(Struct(f">{length}{n}{letter}").pack for n in range(_SHORT_ARRAYS))


_NUMBERS: Final = {
    (length, letter): _packers(length, letter)
    for length in ("B", "i")
    for letter in (INT32.letter, INT64.letter)
}

_encoders: dict[tuple[type, int], Encoder] = {}
_stepping_encoders: dict[tuple[type, int], SteppingEncoder] = {}


def encode_message(schema: Schema, version: int, message: tuple[Any, ...]) -> Buffers:
    """Encode *message*; without records, into one buffer."""
    return encoder_of(schema, version)(message)


def encoder_of(schema: Schema, version: int) -> Encoder:
    """The function behind `encode_message`, for encoding many messages of one kind."""
    encoder = _encoders.get((schema.message, version))
    if encoder is None:
        assert version in schema.versions
        writer = _Writer(version, version in schema.flexible, steps=False)
        encoder = _encoders[schema.message, version] = writer.function(schema)
    return encoder


def stepping_encoder_of(schema: Schema, version: int) -> SteppingEncoder:
    """As `encoder_of`, with a step for each element of an array."""
    encoder = _stepping_encoders.get((schema.message, version))
    if encoder is None:
        writer = _Writer(version, version in schema.flexible, steps=True)
        encoder = _stepping_encoders[schema.message, version] = writer.function(schema)
    return encoder


class _Writer:
    """Generates one encoder, which appends to `parts`: lists of bytes, one for each depth of
    tags.
    """

    def __init__(self, version: int, flexible: bool, *, steps: bool) -> None:
        self._version = version
        self._flexible = flexible
        self._steps = steps
        self._source = Source()
        self._add = "add"
        self._run: list[tuple[str, str]] = []
        self._source.names |= {
            "small": SMALL,
            "varint": encode,
            "text_varint": _text_varint,
            "cut": _cut,
            "numbers": _numbers,
            "starmap": starmap,
            "WRITE_ERRORS": WRITE_ERRORS,
            "Unencodable": UnencodableMessageError,
        }

    def function(self, schema: Schema) -> Any:
        source = self._source
        with source.block("def encode(message):"):
            source.add(f"assert type(message) is {source.constant(schema.message)}")
            with source.block("try:"):
                source.add("buffers = []")
                source.add("parts = []")
                source.add("joined = 0")
                source.add("add = parts.append")
                if self._steps:
                    # A generator also where the message has no array.
                    source.add("if False: yield")
                self._struct(schema.message, "message")
                self._write_run()
                source.add("buffers.append(b''.join(parts))")
                source.add("return buffers")
            with source.block("except WRITE_ERRORS as error:"):
                of = f"{schema.name!r}, {self._version}"
                source.add(f"raise Unencodable({of}, str(error)) from error")
        in_steps = " in steps" if self._steps else ""
        return source.compile("encode", f"encode {schema.name} v{self._version}{in_steps}")

    def _struct(self, cls: type[tuple[Any, ...]], value: str) -> None:
        present: list[tuple[str, Field]] = []
        tagged: list[tuple[str, Field]] = []
        names = []
        for field in fields_of(cls).values():
            if self._version not in field.versions:
                names.append("_")
                continue
            names.append(self._source.variable())
            is_tagged = field.tag is not None and self._flexible
            (tagged if is_tagged else present).append((names[-1], field))
        if names:
            self._source.add(f"{', '.join(names)}, = {value}")
        for name, field in present:
            self._field(field, name)
        if self._flexible:
            self._tags(sorted(tagged, key=lambda pair: cast(int, pair[1].tag)))

    def _field(self, field: Field, value: str) -> None:
        nullable = self._version in field.nullable
        if field.is_array:
            self._array(field, value, nullable)
        elif not isinstance(field.of, Kind):
            self._struct(field.of, value)
        elif field.of.letter:
            self._run.append((field.of.letter, value))
        elif field.of is RECORDS:
            self._records(value)
        else:
            self._sized(field, value, nullable)

    def _write_run(self) -> None:
        """Write the collected neighbouring values of fixed size."""
        run, self._run = self._run, []
        if not run:
            return
        letters = "".join(letter for letter, _ in run)
        values = ", ".join(value for _, value in run if value)
        self._source.add(f"{self._add}({self._source.packer(letters)}({values}))")

    def _length(self, kind: Kind[Any] | None, length: str) -> None:
        """Write the length of what follows; flexible versions count one more, for null is 0."""
        if not self._flexible:
            self._run.append(("h" if kind is STRING else "i", length))
            self._write_run()
            return
        self._write_run()
        counted = self._source.variable()
        self._source.add(f"{counted} = {length} + 1")
        self._varint(counted, "text_varint" if kind is STRING else "varint")

    def _varint(self, value: str, encode_large: str = "varint") -> None:
        self._source.add(
            f"{self._add}(small[{value}] if {value} < 128 else {encode_large}({value}))"
        )

    def _sized(self, field: Field, value: str, nullable: bool) -> None:
        source = self._source
        length, content = source.variable(), source.variable()
        encoded = f"{value}.encode()" if field.of is STRING else value
        if field.may_be_cut:
            encoded = f"cut({encoded})"
        if nullable:
            source.add(f"if {value} is None: {content} = b''; {length} = -1")
            source.add(f"else: {content} = {encoded}; {length} = len({content})")
        else:
            source.add(f"{content} = {encoded}; {length} = len({content})")
        self._length(cast(Kind[Any], field.of), length)
        source.add(f"{self._add}({content})")

    def _records(self, value: str) -> None:
        source = self._source
        length = source.variable()
        source.add(f"{length} = -1 if {value} is None else len({value})")
        self._length(None, length)
        with source.block(f"if {length} > 0:"):
            source.add("buffers.append(b''.join(parts))")
            source.add("parts.clear()")
            source.add(f"buffers.append({value})")

    def _array(self, field: Field, value: str, nullable: bool) -> None:
        source = self._source
        if nullable:
            self._write_run()
            null = r"b'\0'" if self._flexible else r"b'\xff\xff\xff\xff'"
            source.add(f"if {value} is None: {self._add}({null})")
            with source.block("else:"):
                self._elements(field, value)
        else:
            self._elements(field, value)

    def _elements(self, field: Field, value: str) -> None:
        source = self._source
        count = source.variable()
        source.add(f"{count} = len({value})")
        if field.of in (INT32, INT64):
            self._write_run()
            self._number_array(cast(Kind[int], field.of), count, value)
            return
        self._length(None, count)
        if isinstance(field.of, type) and not self._steps and self._fixed_elements(field.of, value):
            return
        element = source.variable()
        with source.block(f"for {element} in {value}:"):
            self._field(Field(field.of, field.versions, None, nullable=NEVER), element)
            self._write_run()
            if not isinstance(field.of, Kind) and self._add == "add":
                self._join_some()
            if self._steps:
                source.add("yield")

    def _fixed_elements(self, cls: type[tuple[Any, ...]], value: str) -> bool:
        """Write all structs of an array at once, if each takes as many bytes; return whether that
        is so.
        """
        fields = [field for field in fields_of(cls).values() if self._version in field.versions]
        if any(
            field.is_array or not isinstance(field.of, Kind) or not field.of.letter
            for field in fields
        ) or (self._flexible and any(field.tag is not None for field in fields)):
            return False
        self._write_run()
        end = "x" if self._flexible else ""  # No tags.
        letters = "".join(cast(Kind[Any], field.of).letter for field in fields) + end
        pack = self._source.packer(letters)
        packed = f"starmap({pack}, {value})"
        if len(fields) < len(fields_of(cls)):
            names = [
                f"f{place}" if self._version in field.versions else "_"
                for place, field in enumerate(fields_of(cls).values())
            ]
            present = ", ".join(name for name in names if name != "_")
            packed = f"[{pack}({present}) for {', '.join(names)}, in {value}]"
        self._source.add(f"{self._add}(b''.join({packed}))")
        return True

    def _join_some(self) -> None:
        """Join the small parts of many elements: each takes several times its size."""
        with self._source.block(f"if len(parts) - joined > {_PARTS_MAX}:"):
            self._source.add("parts[joined:] = (b''.join(parts[joined:]),)")
            self._source.add("joined += 1")

    def _number_array(self, kind: Kind[int], count: str, value: str) -> None:
        length = "B" if self._flexible else "i"
        short = self._source.constant(_NUMBERS[length, kind.letter])
        counted = f"{count} + 1" if self._flexible else count
        self._source.add(
            f"{self._add}({short}[{count}]({counted}, *{value}) if {count} < {_SHORT_ARRAYS}"
            f" else numbers({kind.letter!r}, {self._flexible}, {value}))"
        )

    def _tags(self, tagged: list[tuple[str, Field]]) -> None:
        """Write the tagged fields that do not have their default, and how many they are."""
        if not tagged:
            self._run.append(("x", ""))  # A zero byte that takes no argument.
            return
        self._write_run()
        source = self._source
        outer, tags = self._add, source.variable()
        unset = [self._is_default(value, field) for value, field in tagged]
        source.add(f"if {' and '.join(unset)}: {outer}(small[0])")
        with source.block("else:"):
            source.add(f"{tags} = []")
            for condition, (value, field) in zip(unset, tagged, strict=True):
                with source.block(f"if not {condition}:"):
                    self._tag(tags, value, field)
            self._add = outer
            source.add(f"{outer}(small[len({tags}) // 3]); {outer}(b''.join({tags}))")

    def _is_default(self, value: str, field: Field) -> str:
        default = self._source.constant(field.default)
        if field.default is None:
            return f"({value} is None)"
        if field.is_array:
            return f"(not len({value}))"
        if isinstance(field.of, Kind):
            return f"({value} == {default})"
        # Mostly it is the very struct that is the default everywhere.
        return f"({value} is {default} or {value} == {default})"

    def _tag(self, tags: str, value: str, field: Field) -> None:
        source = self._source
        parts, content = source.variable(), source.variable()
        source.add(f"{parts} = []")
        self._add = f"{parts}.append"
        self._field(field, value)
        self._write_run()
        source.add(f"{content} = b''.join({parts})")
        source.add(f"{tags} += small[{field.tag}], varint(len({content})), {content}")


def _cut(text: bytes) -> bytes:
    """The part of *text* that may be sent, without half a character at its end."""
    if len(text) <= TEXT_SIZE_MAX:
        return text
    return text[:TEXT_SIZE_MAX].decode(errors="ignore").encode()


def _text_varint(counted: int) -> bytes:
    """The length of a text and one more."""
    if counted > TEXT_SIZE_MAX + 1:
        raise ValueError(f"a text of {counted - 1} bytes")
    return encode(counted)


def _numbers(letter: str, flexible: bool, values: tuple[int, ...]) -> bytes:
    count = len(values)
    length = encode(count + 1) if flexible else Struct(">i").pack(count)
    return length + Struct(f">{count}{letter}").pack(*values)
