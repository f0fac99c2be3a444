"""Logs of several containers in one file: each is taken out, and its traces stay with its lines.

What a runtime has cut into pieces is put together again.  Files that are no such logs are left
alone after a look at their front and their end.  Orders nothing.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Final

from kadmin.jobs.merge.files.errors import CannotWrite
from kadmin.jobs.merge.files.gzip_stream import GzipStream, first_bytes
from kadmin.jobs.merge.files.log_file import Identity, LogFile
from kadmin.jobs.merge.files.reader import opened, read_bytes
from kadmin.statechange.collectors import Wrapped, unwrapped
from kadmin.statechange.layouts import plain_head

LOOK_BYTES: Final = 1 << 16
CHUNK_BYTES: Final = 1 << 20
STREAMS_MAX: Final = 500
"""Of more, names of containers are no names of containers."""

RUNTIME: Final = re.compile(rb'\{"log": ?"|[^ ]+ (?:stdout|stderr) [FP][ :]')
PIECE: Final = re.compile(
    rb'^[^ \n]+ (?:stdout|stderr) P[ :]|(?<!\\n)", ?"stream": ?"(?:stdout|stderr)"', re.MULTILINE
)
CRI_TAG: Final = re.compile(r"( (?:stdout|stderr) )P\b")


def separated(files: Sequence[LogFile], directory: Path) -> tuple[LogFile, ...]:
    """Return *files*, with a file in *directory* for each stream of one that holds several, or
    pieces.

    Raises:
        CannotRead: a file is gone, or may not be read.
        CannotWrite: there is no room in *directory*.
    """
    found: list[LogFile] = []
    for number, file in enumerate(files):
        if is_mixed(file):
            found += separate(file, directory / str(number))
        else:
            found.append(file)
    return tuple(found)


def is_mixed(file: LogFile) -> bool:
    """Return whether *file* seems to hold lines of several streams, or pieces of lines."""
    front = first_bytes(file, LOOK_BYTES)
    lines = front.split(b"\n")
    if plain_head(lines[0].decode(errors="replace")) is not None:
        return False
    if RUNTIME.match(front):
        return any(PIECE.search(chunk) for chunk in whole_lines(file))
    if not file.is_gzip and file.size > LOOK_BYTES:
        lines += read_bytes(file.path, file.size - LOOK_BYTES, LOOK_BYTES).split(b"\n")[1:]
    streams = {unwrapped(text(line)).stream for line in lines[:-1]} - {""}
    return 1 < len(streams) <= STREAMS_MAX


def separate(file: LogFile, directory: Path) -> list[LogFile]:
    """Return a file in *directory* for each stream of *file*, in the order in which they appear."""
    paths: dict[str, Path] = {}
    try:
        directory.mkdir()
        with ExitStack() as stack:
            outputs = {}
            for stream, line in rejoined(lines_of(file)):
                if stream not in outputs:
                    paths[stream] = directory / f"{len(paths)}.log"
                    outputs[stream] = stack.enter_context(paths[stream].open("wb"))
                outputs[stream].write(line.encode(errors="surrogateescape") + b"\n")
        return [part_of(file, stream, path) for stream, path in paths.items()]
    except OSError as error:
        raise CannotWrite(str(directory), error) from error


def part_of(file: LogFile, stream: str, path: Path) -> LogFile:
    status = path.stat()
    return replace(
        file,
        path=str(path),
        label=f"{file.label} ({stream})" if stream else file.label,
        size=status.st_size,
        is_gzip=False,
        identity=Identity.of(status),
        origin=file.path,
        stream=stream,
    )


def rejoined(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Yield each of *lines* with its stream, those in pieces as one.

    A line without a stream belongs to the one before it, or to the first one; a collector's own
    lines at the front, with it.  A line whose last piece is missing ends with the lines.
    """
    begun: dict[str, str] = {}
    lead: list[str] = []
    stream = ""
    for line in lines:
        wrapped = unwrapped(line)
        stream = wrapped.stream or stream
        if wrapped.is_same and not stream:
            lead.append(line)
            continue
        yield from ((stream, each) for each in lead)
        lead.clear()
        whole = line if stream not in begun else joined(begun.pop(stream), line, wrapped)
        if wrapped.is_piece:
            begun[stream] = whole
        else:
            yield stream, ended(whole)
    yield from ((stream, each) for each in lead)
    yield from ((of, ended(line)) for of, line in begun.items())


def joined(begun: str, line: str, wrapped: Wrapped) -> str:
    """Return the line that has *begun*, with the text of the next piece of it behind."""
    if not begun.startswith("{"):
        return begun + wrapped.text
    fields = json.loads(begun)
    more = json.loads(line)["log"] if line.startswith("{") else wrapped.text
    return json.dumps(fields | {"log": fields["log"] + more})


def ended(line: str) -> str:
    """Return a line that was put together, marked as whole, as its runtime marks it."""
    if line.startswith("{"):
        return line
    return CRI_TAG.sub(r"\1F", line, count=1)


def lines_of(file: LogFile) -> Iterator[str]:
    for chunk in whole_lines(file):
        for line in chunk.removesuffix(b"\n").split(b"\n"):
            yield text(line)


def text(line: bytes) -> str:
    return line.decode(errors="surrogateescape").removesuffix("\r")


def whole_lines(file: LogFile) -> Iterator[bytes]:
    """Return what *file* holds, unpacked, in chunks of whole lines; a damaged .gz as far as it
    goes."""
    with opened(file.path, file.identity) as reader:
        packed = GzipStream(reader) if file.is_gzip else None
        offset, rest = 0, b""
        while True:
            buffer = bytearray(CHUNK_BYTES)
            view = memoryview(buffer)
            count = reader.read_at(offset, view) if packed is None else packed.read(view)
            offset += count
            whole, newline, rest_of = (rest + bytes(buffer[:count])).rpartition(b"\n")
            if newline:
                yield whole + newline
            rest = rest_of
            if count < CHUNK_BYTES:
                break
        if rest:
            yield rest
