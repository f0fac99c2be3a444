"""Files of groups' offsets, as kafka-consumer-groups exports and reads them: CSV without a head.

A line is `topic,partition,offset` or `group,topic,partition,offset`.  A group may have an empty
name: consumers that only commit need none.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from cluster.model.ids import TopicPartition
from kadmin.arguments.documents import BadFile
from kadmin.arguments.offsets_file import INT64_MAX

FILE_HINT: Final = "write lines like orders,0,42 or billing,orders,0,42, as --export does"
PARTITION_MAX: Final = 2**31 - 1


def parse_group_offsets(text: str, source: str) -> dict[str | None, dict[TopicPartition, int]]:
    """The offsets of each group in the file *source*, which holds *text*; None is any group.

    Raises:
        BadFile: a line is of neither form, names a partition twice, or there is none.
    """
    found: dict[str | None, dict[TopicPartition, int]] = {}
    problems = []
    # Lines end with a line feed alone: names of groups may hold what else ends one in Unicode.
    for number, row in rows_of(text, source):
        group, fields = (row[0], row[1:]) if len(row) == 4 else (None, row)
        if len(fields) != 3 or not fields[0]:
            problems.append(f"line {number} has neither form")
            continue
        topic, partition_text, offset_text = (word.strip() for word in fields)
        partition = number_of(partition_text, PARTITION_MAX)
        offset = number_of(offset_text, INT64_MAX)
        if partition is None or offset is None:
            problems.append(f"line {number} has no partition and offset of 0 or more")
            continue
        offsets = found.setdefault(group, {})
        if TopicPartition(topic, partition) in offsets:
            problems.append(f"line {number} names {topic}-{partition} again")
        offsets[TopicPartition(topic, partition)] = offset
    if not problems and not found:
        problems.append("it names no partition")
    if problems:
        raise BadFile(source, problems, FILE_HINT)
    return found


def rows_of(text: str, source: str) -> Iterator[tuple[int, list[str]]]:
    """The rows of *text* that are not empty, each with the number of its first line.

    Raises:
        BadFile: one of them is no CSV.
    """
    # A line feed within quotes belongs to a name.
    reader = csv.reader(io.StringIO(text, newline="\n"))
    number = 1
    try:
        for row in reader:
            if row:
                yield number, row
            number = reader.line_num + 1
    except csv.Error as error:
        raise BadFile(source, [f"line {number} is no CSV: {error}"], FILE_HINT) from error


def number_of(text: str, limit: int) -> int | None:
    is_number = text.isascii() and text.isdigit() and int(text) <= limit
    return int(text) if is_number else None


def offsets_text(offsets: Mapping[str, Mapping[TopicPartition, int]], *, with_groups: bool) -> str:
    """The file of *offsets* by group; the names of groups only *with_groups*."""
    return "".join(
        f"{line}\n"
        for group, found in offsets.items()
        for line in offset_lines(group if with_groups else None, found.items())
    )


def offset_lines(group: str | None, offsets: Iterable[tuple[TopicPartition, int]]) -> Iterable[str]:
    for (topic, partition), offset in offsets:
        prefix = "" if group is None else f"{cell(group)},"
        yield f"{prefix}{topic},{partition},{offset}"


def cell(text: str) -> str:
    """*text* as a cell of CSV: names of groups may hold anything."""
    if any(character in text for character in '",\r\n') or text != text.strip():
        return '"' + text.replace('"', '""') + '"'
    return text
