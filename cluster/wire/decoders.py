"""Decoders of messages, one function for each message and version.

Generates a flat function for each message and version at its first use: neighbouring fields of
fixed size, the length of what follows and the count of tags are read together, and structs and
arrays are read in place.  For large messages the same lines are a generator, which makes a step for
each element of an array, so that the caller can serve others in between.  Knows neither headers nor
connections.

No single read is checked against the end of the frame.  A slice that ends early leaves the position
behind the end, where the next read fails, or the last check, that the end was not passed; what was
read until then is dropped.  So nothing is allocated because of an announced length: numbers exist
before they are read, and each element of any other array takes at least a byte.  A byte may become
a hundred in memory, though: large messages are limited to a number of elements, which is checked
before any of an array is read.
"""

import struct
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, nullcontext
from struct import Struct, calcsize
from typing import Any, Final, cast

from cluster.wire.errors import MalformedFrameError
from cluster.wire.fields import (
    BYTES,
    INT32,
    INT64,
    RECORDS,
    STRING,
    TEXT_SIZE_MAX,
    Field,
    Kind,
)
from cluster.wire.schema import Schema, fields_of
from cluster.wire.source import Source
from cluster.wire.varint import read_rest
from cluster.wire.versions import NEVER

Decoder = Callable[[Any, int], Any]
SteppingDecoder = Callable[[Any, int, int], Generator[None, None, Any]]
"""Also takes the highest number of elements, and returns what is read."""

READ_ERRORS: Final = (MalformedFrameError, IndexError, struct.error, UnicodeDecodeError)
"""Exceptions in which the decoding of an invalid message ends."""

_SHORT_ARRAYS: Final = 16
_FEW: Final = 2
"""Up to so many structs are read one by one."""
_NUMBERS: Final = {
    letter: tuple(Struct(f">{count}{letter}").unpack_from for count in range(_SHORT_ARRAYS))
    for letter in (INT32.letter, INT64.letter)
}

NUMBERS_PER_ELEMENT: Final = 8
"""How many numbers of a long array count as one element: by memory and time."""
TAGS_MAX: Final = 1000
"""How many tagged fields a struct may have; no version has ten."""

_decoders: dict[tuple[type, int], Decoder] = {}
_stepping_decoders: dict[tuple[type, int], SteppingDecoder] = {}


def decode(schema: Schema, version: int, data: memoryview, position: int) -> tuple[Any, ...]:
    """Decode the message that begins at *position* of *data*.

    Raises MalformedFrameError for an invalid message.  Bytes behind it are ignored, as in Kafka:
    librdkafka's flexible requests for the metadata of all topics have three.  Fields that the
    version lacks have their defaults.  Records are views into *data*.
    """
    return cast(tuple[Any, ...], decoder_of(schema, version)(data, position))


def decoder_of(schema: Schema, version: int) -> Decoder:
    """The function behind `decode`, for decoding many messages of one kind."""
    found = _decoders.get((schema.message, version))
    if found is None:
        assert version in schema.versions
        writer = _Writer(schema, version, steps=False)
        found = _decoders[schema.message, version] = writer.function(schema)
    return found


def stepping_decoder_of(schema: Schema, version: int) -> SteppingDecoder:
    """As `decoder_of`, with a step for each element; too many are refused."""
    found = _stepping_decoders.get((schema.message, version))
    if found is None:
        writer = _Writer(schema, version, steps=True)
        found = _stepping_decoders[schema.message, version] = writer.function(schema)
    return found


def _has_records(message: type[tuple[Any, ...]], version: int) -> bool:
    return any(
        field.of is RECORDS or (isinstance(field.of, type) and _has_records(field.of, version))
        for field in fields_of(message).values()
        if version in field.versions
    )


class _Writer:
    """Generates one decoder; reading continues at `p` in `data`."""

    def __init__(self, schema: Schema, version: int, *, steps: bool) -> None:
        self._version = version
        self._flexible = version in schema.flexible
        self._keeps_views = _has_records(schema.message, version)
        self._steps = steps
        self._source = Source()
        self._run: list[tuple[str, str]] = []
        self._source.names |= {
            "new": tuple.__new__,
            "read_rest": read_rest,
            "skip_tags": skip_tags,
            "numbers": _numbers,
            "fail": _fail,
            "READ_ERRORS": READ_ERRORS,
            "misread": _misread,
        }

    def function(self, schema: Schema) -> Any:
        source = self._source
        title = f"{schema.name} v{self._version}"
        with source.block(f"def decode(data, p{', left' if self._steps else ''}):"):
            with source.block("try:"):
                if not self._keeps_views:
                    # Small messages are decoded faster from bytes; they have no views.
                    source.add("data = bytes(data)")
                source.add("end = len(data)")
                if self._steps:
                    # A generator also where the message has no array.
                    source.add("if False: yield")
                value = self._struct(schema.message)
                self._read_run()
                with source.block("if p > end:"):
                    source.add("fail('it ends too early')")
                source.add(f"return {value}")
            with source.block("except READ_ERRORS as error:"):
                source.add(f"raise misread({title!r}, error) from None")
        in_steps = " in steps" if self._steps else ""
        return source.compile("decode", f"decode {title}{in_steps}")

    def _struct(self, cls: type[tuple[Any, ...]]) -> str:
        """Read the fields of a struct, and return the expression that makes it."""
        values: dict[str, str] = {}
        tagged: dict[str, Field] = {}
        for name, field in fields_of(cls).items():
            if self._version not in field.versions:
                values[name] = self._source.constant(field.default)
            elif field.tag is not None and self._flexible:
                tagged[name] = field
            else:
                values[name] = self._field(field)
        if self._flexible:
            values |= self._tags(tagged)
        order = "".join(f"{values[name]}, " for name in fields_of(cls))
        return f"new({self._source.constant(cls)}, ({order}))"

    def _field(self, field: Field) -> str:
        nullable = self._version in field.nullable
        if field.is_array:
            return self._array(field, nullable)
        if not isinstance(field.of, Kind):
            return self._struct(field.of)
        if field.of.letter:
            return self._fixed(field.of.letter)
        return self._sized(field.of, nullable)

    def _fixed(self, letter: str) -> str:
        variable = self._source.variable()
        self._run.append((letter, variable))
        return variable

    def _read_run(self) -> None:
        """Read the collected neighbouring values of fixed size."""
        run, self._run = self._run, []
        if not run:
            return
        letters = "".join(letter for letter, _ in run)
        variables = ", ".join(variable for _, variable in run)
        if letters == "B":
            self._source.add(f"{variables} = data[p]; p += 1")
        else:
            unpack, size = self._source.unpacker(letters)
            self._source.add(f"{variables}, = {unpack}(data, p); p += {size}")

    def _length(self, kind: Kind[Any] | None = None) -> str:
        """Read the length of what follows into a variable; -1 stands for null in every version."""
        source = self._source
        letter = "h" if kind is STRING else "i"
        length = self._fixed("B" if self._flexible else letter)
        self._read_run()
        if self._flexible:
            with source.block(f"if {length} > 127:"):
                source.add(f"{length}, p = read_rest(data, p, {length})")
                if kind is STRING:
                    source.add(
                        f"if {length} > {TEXT_SIZE_MAX + 1}: fail('a text of too many bytes')"
                    )
            source.add(f"{length} -= 1")
        return length

    def _rest_of_varint(self, variable: str) -> None:
        self._source.add(f"if {variable} > 127: {variable}, p = read_rest(data, p, {variable})")

    def _unless_null(self, length: str, nullable: bool, value: str) -> AbstractContextManager[None]:
        """The block that reads the value; null has been handled before it."""
        if nullable:
            self._source.add(f"if {length} < 0: {value} = None")
            return self._source.block("else:")
        self._source.add(f"if {length} < 0: fail('null where a value must be')")
        return nullcontext()

    def _sized(self, kind: Kind[Any], nullable: bool) -> str:
        source = self._source
        length = self._length(kind)
        value = source.variable()
        with self._unless_null(length, nullable, value):
            source.add(f"e = p + {length}")
            source.add(f"{value} = {self._cut(kind)}")
            source.add("p = e")
        return value

    def _cut(self, kind: Kind[Any]) -> str:
        if kind is STRING:
            return "str(data[p:e], 'utf-8')" if self._keeps_views else "data[p:e].decode()"
        return "bytes(data[p:e])" if kind is BYTES and self._keeps_views else "data[p:e]"

    def _array(self, field: Field, nullable: bool) -> str:
        source = self._source
        count = self._length()
        value = source.variable()
        with self._unless_null(count, nullable, value):
            if field.of in (INT32, INT64):
                self._number_array(cast(Kind[int], field.of), count, value)
            else:
                self._element_array(field, count, value)
        return value

    def _number_array(self, kind: Kind[int], count: str, value: str) -> None:
        source = self._source
        self._count(f"({count} // {NUMBERS_PER_ELEMENT})")
        short = source.constant(_NUMBERS[kind.letter])
        source.add(
            f"{value} = {short}[{count}](data, p) if {count} < {_SHORT_ARRAYS}"
            f" else numbers({kind.letter!r}, {count}, data, p)"
        )
        source.add(f"p += {count} * {calcsize('>' + kind.letter)}")

    def _element_array(self, field: Field, count: str, value: str) -> None:
        self._count(count)
        if isinstance(field.of, type) and not self._steps and not self._keeps_views:
            alike = self._alike_elements(field.of, count, value)
        else:
            alike = nullcontext()
        with alike:
            self._each_element(field, count, value)

    def _each_element(self, field: Field, count: str, value: str) -> None:
        source = self._source
        elements = source.variable()
        source.add(f"{elements} = []")
        source.add(f"add_{elements} = {elements}.append")
        with source.block(f"for _ in range({count}):"):
            made = self._field(Field(field.of, field.versions, None, nullable=NEVER))
            self._read_run()
            source.add(f"add_{elements}({made})")
            if self._steps:
                source.add("yield")
        source.add(f"{value} = tuple({elements})")

    def _alike_elements(
        self, cls: type[tuple[Any, ...]], count: str, value: str
    ) -> AbstractContextManager[None]:
        """Read many structs at once where no text in them has a byte, and none has tags.

        The returned block is for all others.
        """
        source = self._source
        fields = {
            name: field
            for name, field in fields_of(cls).items()
            if self._version in field.versions and not (field.tag is not None and self._flexible)
        }
        if any(one.is_array or not isinstance(one.of, Kind) for one in fields.values()):
            return nullcontext()
        values = {name: source.constant(one.default) for name, one in fields_of(cls).items()}
        empty, null = (1, 0) if self._flexible else (0, 255)
        letters, marks, lines = "", [], []
        for name, field in fields.items():
            kind, values[name] = cast(Kind[Any], field.of), source.variable()
            if kind.letter:
                letters += kind.letter
                continue
            width = 1 if self._flexible else 2 if kind is STRING else 4
            nullable = self._version in field.nullable
            marks.append((calcsize(f">{letters}"), width, (empty, null) if nullable else (empty,)))
            letters += f"{width}x"
            mark = f" if m{len(marks) - 1} == {empty} else None" if nullable else ""
            lines.append(f"{values[name]} = {kind.default!r}{mark}")
        if self._flexible:
            marks.append((calcsize(f">{letters}"), 1, (0,)))
            letters += "x"
        size = calcsize(f">{letters}")
        read = [values[name] for name, one in fields.items() if cast(Kind[Any], one.of).letter]
        if not read:
            return nullcontext()
        conditions = [f"{count} > {_FEW}", f"(e := p + {count} * {size}) <= end"]
        for number, (at, width, allowed) in enumerate(marks):
            conditions.append(f"(m{number} := data[p + {at}]) in {allowed}")
            for place in range(at, at + width):
                conditions.append(f"data[p + {place}:e:{size}].count(m{number}) == {count}")
        order = "".join(f"{values[name]}, " for name in fields_of(cls))
        unpack = source.iterator(letters)
        with source.block(f"if {' and '.join(conditions)}:"):
            for line in lines:
                source.add(line)
            made = f"new({source.constant(cls)}, ({order}))"
            source.add(f"{value} = tuple([{made} for {', '.join(read)}, in {unpack}(data[p:e])])")
            source.add("p = e")
        return source.block("else:")

    def _count(self, count: str) -> None:
        """Count *count* elements towards the limit."""
        if self._steps:
            self._source.add(f"left -= {count}")
            self._source.add("if left < 0: fail('more elements than a request may have')")

    def _tags(self, tagged: dict[str, Field]) -> dict[str, str]:
        """Read the tagged fields that end a struct, and skip unknown ones."""
        source = self._source
        count = self._fixed("B")
        self._read_run()
        values = {}
        for name, field in tagged.items():
            values[name] = source.variable()
            source.add(f"{values[name]} = {source.constant(field.default)}")
        if not tagged:
            source.add(f"if {count}: p = skip_tags(data, p, {count})")
            return values
        with source.block(f"if {count}:"):
            self._rest_of_varint(count)
            source.add(f"if {count} > {TAGS_MAX}: fail('too many tagged fields')")
            with source.block(f"for _ in range({count}):"):
                self._tag(tagged, values)
        return values

    def _tag(self, tagged: dict[str, Field], values: dict[str, str]) -> None:
        source = self._source
        tag, size, limit = source.variable(), source.variable(), source.variable()
        for variable in (tag, size):
            source.add(f"{variable} = data[p]; p += 1")
            self._rest_of_varint(variable)
        source.add(f"{limit} = p + {size}")
        for name, field in tagged.items():
            with source.block(f"if {tag} == {field.tag}:"):
                value = self._field(field)
                self._read_run()
                source.add(f"if p != {limit}: fail('a tagged field of another size')")
                source.add(f"{values[name]} = {value}")
        source.add(f"p = {limit}")


def _fail(reason: str) -> None:
    raise MalformedFrameError(reason)


def _misread(title: str, error: Exception) -> MalformedFrameError:
    """The error for the message *title*, given the exception in which its decoding ended."""
    if isinstance(error, MalformedFrameError):
        return MalformedFrameError(f"{title}: {error}")
    if isinstance(error, UnicodeDecodeError):
        return MalformedFrameError(f"{title}: text that is not UTF-8")
    return MalformedFrameError(f"{title}: it ends too early")


def _numbers(letter: str, count: int, data: bytes | memoryview, position: int) -> tuple[int, ...]:
    """Many numbers at once; struct asks for the bytes before it makes room for the numbers."""
    numbers: tuple[int, ...] = Struct(f">{count}{letter}").unpack_from(data, position)
    return numbers


def skip_tags(data: bytes | memoryview, position: int, count: int) -> int:
    """Skip tagged fields, all unknown; *count* is the first byte of the varint of their number."""
    if count > 127:
        count, position = read_rest(data, position, count)
    if count > TAGS_MAX:
        _fail("too many tagged fields")
    for _ in range(count):
        for _ in ("tag", "size"):
            value = data[position]
            position += 1
            if value > 127:
                value, position = read_rest(data, position, value)
        position += value
    return position
