"""Merged state-change logs: how do they look on a terminal, and what is said afterwards?

Knows the words of kinds and levels; what became of the lines is handed to it.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from kadmin.render.output import Document, Output
from kadmin.render.tables import FittedTable
from kadmin.statechange.kinds import KIND_MEANINGS, Kind, Level
from kadmin.wording import amount, counted, log_time

if TYPE_CHECKING:
    from kadmin.jobs.merge.output.counted_text import Marks
    from kadmin.jobs.merge.summary import Summary
    from kadmin.jobs.merge.survey.results import ClockStep
    from kadmin.jobs.merge.survey.time_bounds import TimeBounds
    from kadmin.render.tables import FittedTable

LEVEL_STYLES: Final = {
    Level.FATAL: "bold white on red",
    Level.ERROR: "bold red",
    Level.WARN: "yellow",
}
"""Grave lines are summed up by their level, all others by their kind."""

KIND_STYLES: Final = {
    Kind.ELECTED: "bold green",
    Kind.LEADER_START: "green",
    Kind.COMPLETED: "green",
    Kind.PARTITION_STATE: "cyan",
    Kind.REPLICA_STATE: "cyan",
    Kind.ISR_CHANGE: "magenta",
    Kind.TRANSITION_FAILED: "red",
    Kind.RESPONSE_ERROR: "red",
    Kind.REFUSED: "red",
    Kind.FAILED: "red",
    Kind.TRUNCATED: "yellow",
    Kind.CACHED: "dim",
    Kind.SUMMARY: "dim",
    Kind.NOISE: "dim",
    Kind.CONTINUATION: "dim",
}

TIME_STYLE: Final = "bright_black"
SOURCE_STYLE: Final = "bold blue"
PARTITION_STYLE: Final = "bold"

SOURCES_MAX: Final = 20
"""Of more sources, the summary does not name all."""

SMALL_STEP_MS: Final = 10
"""Threads that race for the log put lines out of order by less."""


def terminal_marks(output: Output) -> "Marks":
    """Return what a terminal is sent around the parts of a line; nothing where it shows no
    colours."""
    from rich.style import Style

    from kadmin.jobs.merge.output.counted_text import Marks

    color_system = output.console()._color_system

    def mark(style: str) -> str:
        shown = Style.parse(style).render("\0", color_system=color_system)
        return shown.partition("\0")[0]

    shown = Style.parse("bold").render("\0", color_system=color_system)
    return Marks(
        reset=shown.partition("\0")[2],
        time=mark(TIME_STYLE),
        source=mark(SOURCE_STYLE),
        partition=mark(PARTITION_STYLE),
        levels={str(level): mark(style) for level, style in LEVEL_STYLES.items()},
        kinds={str(kind): mark(style) for kind, style in KIND_STYLES.items()},
    )


def kinds_document() -> Document:
    """Return what `--kind` takes, and what each one means."""
    return Document(
        schema="kadmin.merge-logs.kinds/1",
        body=lambda: {
            "kinds": [
                {"kind": str(kind), "meaning": meaning} for kind, meaning in KIND_MEANINGS.items()
            ]
        },
        columns=("kind", "meaning"),
        rows=lambda: [(str(kind), meaning) for kind, meaning in KIND_MEANINGS.items()],
        lines=lambda: aligned(list(KIND_MEANINGS.items())),
        pretty=kinds_table,
    )


def kinds_table() -> "FittedTable":
    table = FittedTable("Kind")
    table.add_column("What the line is about", least=30)
    for kind, meaning in KIND_MEANINGS.items():
        table.add_row(str(kind), meaning)
    return table


def summary_lines(summary: "Summary", *, seconds: float) -> Iterator[str]:
    """Return what became of all lines, for a reader; numbers with commas."""
    read = sum(source.read_lines for source in summary.sources)
    wanted = sum(source.wanted_lines for source in summary.sources)
    kept = sum(source.kept_lines for source in summary.sources)
    size = sum(source.size_bytes for source in summary.sources)
    unread = sum(source.unread_bytes for source in summary.sources)
    lost = sum(source.lost_bytes for source in summary.sources)
    undated = sum(source.undated_lines for source in summary.sources)
    yield (
        f"merged {kept:,} of {counted(read, 'line')} from "
        f"{counted(len(summary.sources), 'source')} ({amount(size)}) in {seconds:.1f} s"
    )
    filtered = wanted - kept - summary.duplicate_lines
    left_out = [
        f"{read - wanted:,} outside the times" if read > wanted else "",
        f"{filtered:,} by other filters" if filtered else "",
        f"{summary.duplicate_lines:,} that two sources have, merged once"
        if summary.duplicate_lines
        else "",
        f"{amount(unread)} outside the times not even read" if unread else "",
        f"{amount(lost)} that could not be read" if lost else "",
    ]
    if any(left_out):
        yield "  left out: " + ", ".join(filter(None, left_out))
    if summary.time_bounds is not None:
        yield f"  the logs hold lines {time_bounds_text(summary.time_bounds)}"
    if undated:
        yield f"  {counted(undated, 'line')} before the first dated one of a file, kept with it"
    yield from source_lines(summary)
    yield from count_lines(summary.counts)


def written_line(out: str, parts: Sequence[str]) -> str:
    """Return where the result is now: in the file *out*, or in files of the names *parts* in it."""
    if not parts:
        return f"wrote {out}"
    last = f" to {parts[-1]}" if len(parts) > 1 else ""
    return f"wrote {counted(len(parts), 'file')} into {out}: {parts[0]}{last}"


def time_bounds_text(bounds: "TimeBounds") -> str:
    later = "" if bounds.is_last_known else " or later"
    return f"from {log_time(bounds.first_ms)} to {log_time(bounds.last_ms)}{later}"


def source_lines(summary: "Summary") -> Iterator[str]:
    if len(summary.sources) > 1:
        rows = [
            (f"  source {source.name}", f"{source.kept_lines:,} of {source.read_lines:,}")
            for source in summary.sources[:SOURCES_MAX]
        ]
        yield from aligned(rows)
    if len(summary.sources) > SOURCES_MAX:
        yield f"  … and {counted(len(summary.sources) - SOURCES_MAX, 'source')} more"


def count_lines(counts: Mapping[str, int]) -> Iterator[str]:
    """Return the merged lines by level and by kind, the most frequent first."""
    by_name: dict[str, dict[str, int]] = {"level": {}, "kind": {}}
    for key, number in counts.items():
        name, _, word = key.partition(":")
        by_name[name][word] = number
    for name, numbers in by_name.items():
        ordered = sorted(numbers.items(), key=lambda each: (-each[1], each[0]))
        shown = ", ".join(
            f"{'none' if word == '-' else word} {number:,}" for word, number in ordered
        )
        if shown:
            yield f"  {name}s: {shown}"
    if counts:
        yield f"  not understood: {by_name['kind'].get(Kind.OTHER, 0):,}"


def step_lines(steps: Sequence["ClockStep"]) -> Iterator[str]:
    """Return the files whose clocks go back; those that go back by little in one line."""
    small = [step for step in steps if step.step_ms < SMALL_STEP_MS]
    if len(small) > 1:
        furthest = max(step.step_ms for step in small)
        yield f"{len(small):,} files: their clocks go back by up to {furthest} ms"
    for step in steps:
        if step.step_ms >= SMALL_STEP_MS or len(small) == 1:
            yield step_text(step)


def step_text(step: "ClockStep") -> str:
    """Describe where a file's clock goes back, and how far."""
    distance = f"{step.step_ms:,} ms"
    if step.step_ms >= 10_000:
        distance += f" ({timedelta(seconds=step.step_ms // 1000)})"
    return f"{step.label}: its clock goes back by up to {distance}, at line {step.line:,}"


def aligned(rows: Sequence[tuple[str, str]]) -> Iterator[str]:
    width = max(len(first) for first, _ in rows)
    return (f"{first:<{width}}  {second}" for first, second in rows)
