"""What the results of all surveys make known together, before the first line is merged."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from kadmin.jobs.merge.clocks import Clock
from kadmin.jobs.merge.files.log_file import FileProblem, LogFile
from kadmin.jobs.merge.files.reader import opened
from kadmin.jobs.merge.survey.parts import Part
from kadmin.jobs.merge.survey.records import (
    PROBE_BYTES,
    WINDOW_BYTES,
    answer_advice,
    block_at,
    has_returns_alone,
)
from kadmin.jobs.merge.survey.surveyed_file import SurveyedFile
from kadmin.jobs.merge.survey.tasks import SurveyResult, store_path
from kadmin.statechange.lines import NEWLINE

COUNT_BYTES: Final = 4 << 20

NO_LOG: Final = "no state-change log: no line with a date as log4j writes it"
NOT_TEXT: Final = (
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"PK\x03\x04", "zip"),
)
"""What files begin with that hold lines in a form that is not read."""


@dataclass(frozen=True, slots=True)
class ClockStep:
    """Where a file's clock goes back furthest: the line (from 1) and by how many ms."""

    label: str
    line: int
    step_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surveyed:
    """All that is known before the first line is merged; *files* has those with lines to merge."""

    files: tuple[SurveyedFile, ...]
    steps: tuple[ClockStep, ...]
    skipped: tuple[FileProblem, ...]
    damaged: tuple[FileProblem, ...]
    unread_bytes: tuple[int, ...]
    """Of each file, what was passed over because it lies outside the range of time."""
    lost_bytes: tuple[int, ...]
    """Of each file, what could not be read as lines; 0 where a .gz does not show how much."""


def combine_surveys(
    files: Sequence[LogFile],
    clocks: Sequence[Clock],
    sources: Sequence[int],
    results: Iterable[SurveyResult],
    *,
    store: Path,
    is_numbered: bool,
) -> Surveyed:
    """Return what the *results*, in any order, say of *files* together.

    Where stretches were passed over, their lines are counted if lines are to be numbered.
    """
    by_file: dict[int, list[SurveyResult]] = {}
    for result in results:
        by_file.setdefault(result.number, []).append(result)
    surveyed: list[SurveyedFile] = []
    steps: list[ClockStep] = []
    skipped: list[FileProblem] = []
    damaged: list[FileProblem] = []
    unread: list[int] = []
    lost: list[int] = []
    for number, (file, clock) in enumerate(zip(files, clocks, strict=True)):
        found = sorted(by_file.get(number, []), key=lambda result: result.begin)
        parts = tuple(part for result in found for part in result.parts)
        damage = [result.damage for result in found if result.damage is not None]
        is_passed_over = not found or found[0].is_passed_over
        if damage:
            damaged.append(FileProblem(file.label, damage[0]))
        elif not parts and not is_passed_over and file.size > 0:
            skipped.append(FileProblem(file.label, reason_for_none(file)))
        lost.append(sum(result.lost_bytes for result in found))
        unread.append(unread_bytes(file, parts) - lost[-1] if parts or is_passed_over else 0)
        if not parts:
            continue
        step = worst_step(parts)
        first_lines = number_lines(file, parts, counts_gaps=is_numbered or step is not None)
        if step is not None:
            index, line, step_ms = step
            steps.append(ClockStep(file.label, first_lines[index] + line, step_ms))
        surveyed.append(
            SurveyedFile(
                source=sources[number],
                number=number,
                path=str(store_path(store, number)) if file.is_gzip else file.path,
                identity=None if file.is_gzip else file.identity,
                is_stored=file.is_gzip,
                clock=clock,
                parts=parts,
                first_lines=tuple(first_lines),
            )
        )
    return Surveyed(
        files=tuple(surveyed),
        steps=tuple(steps),
        skipped=tuple(skipped),
        damaged=tuple(damaged),
        unread_bytes=tuple(unread),
        lost_bytes=tuple(lost),
    )


def reason_for_none(file: LogFile) -> str:
    """Return why *file* has no line with a date."""
    if file.is_gzip:
        return NO_LOG
    with opened(file.path, file.identity) as reader:
        begins = block_at(reader, 0, WINDOW_BYTES).tobytes()
    if (advice := answer_advice(begins.lstrip(b"\0"))) is not None:
        return advice
    if begins.startswith((b"{", b"[{", b"[\n")):
        command = "jq -c ." if begins.startswith(b"{") else "jq -c '.[]'"
        return f"it is JSON, but without an event on each line: put each on one with {command}"
    if has_returns_alone(begins.lstrip(b"\0")):
        return "its lines end in carriage returns alone: convert it with tr '\\r' '\\n'"
    found = next((name for each, name in NOT_TEXT if begins.startswith(each)), None)
    if found == "UTF-16":
        return "it is UTF-16, and logs are read as UTF-8: convert it with iconv -f UTF-16"
    if found is not None:
        return f"it is packed by {found}: unpack it first"
    return NO_LOG if file.size <= 2 * PROBE_BYTES else f"{NO_LOG} in its first or its last MiB"


def unread_bytes(file: LogFile, parts: Sequence[Part]) -> int:
    """Return how much of *file* no part covers; a .gz is read as a whole or not at all."""
    if file.is_gzip:
        return 0 if parts else file.size
    return file.size - sum(part.end - part.begin for part in parts)


def worst_step(parts: Sequence[Part]) -> tuple[int, int, int] | None:
    """Part, line in it and ms of the largest step back of a file's clock; None without any."""
    inner = [(part.step_ms, index, part.step_line) for index, part in enumerate(parts)]
    between = [
        (one.last_ms - other.first_ms, index, 0)
        for index, (one, other) in enumerate(pairwise(parts), start=1)
    ]
    # The first of the largest ones.
    step_ms, index, line = max(inner + between, key=lambda each: (each[0], -each[1], -each[2]))
    return (index, line, step_ms) if step_ms > 0 else None


def number_lines(file: LogFile, parts: Sequence[Part], *, counts_gaps: bool) -> list[int]:
    """Return the line (from 1) at which each of *parts* begins; too low behind gaps not counted."""
    numbers: list[int] = []
    line, end = 1, 0
    for part in parts:
        if part.begin > end and counts_gaps:
            line += count_lines(file, end, part.begin)
        numbers.append(line)
        line += part.line_count
        end = part.end
    return numbers


def count_lines(file: LogFile, begin: int, end: int) -> int:
    with opened(file.path, file.identity) as reader:
        return sum(
            int(np.count_nonzero(block_at(reader, at, min(COUNT_BYTES, end - at)) == NEWLINE))
            for at in range(begin, end, COUNT_BYTES)
        )
