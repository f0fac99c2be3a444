"""One run of `kadmin merge-logs`: what does it do, by its options?

Finds the logs and makes the request.  Merges nothing.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kadmin.app.spark import is_submitted
from kadmin.cli.session import Session
from kadmin.errors import UsageError

if TYPE_CHECKING:
    from kadmin.jobs.factory import Factory
    from kadmin.jobs.merge.inputs.find import Inputs
    from kadmin.jobs.merge.inputs.sources import Source
    from kadmin.jobs.merge.request import MergeRequest
    from kadmin.statechange.filters import LineFilter

COUNTED_BYTES_MAX: Final = 64 << 20
"""Of more than this, all lines as plain text are not counted by kind unless that is asked for: it
takes longer than the merge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What one run does: the request, and where its result goes.

    *out* is None for standard output; *has_parts* if it names a directory.
    """

    inputs: "Inputs"
    wanted: "LineFilter"
    request: "MergeRequest"
    form: str
    out: str | None
    has_parts: bool


def plan(
    session: Session,
    paths: Sequence[str],
    options: dict[str, Any],
    master: str | None,
    conf: Mapping[str, str],
    directory: Path,
) -> Job:
    """Check the options and find the logs, which Spark's *master* with *conf* is to merge.

    Logs of several containers in one file are taken apart into *directory*.

    Raises:
        UsageError: options that mean nothing, or contradict each other.
        KadminError: a path means no file.
        OddInput: the merge is strict, and what a directory holds cannot be read.
    """
    from kadmin.cli.merge_logs import option_values
    from kadmin.jobs.merge.clocks import clock, find_zone
    from kadmin.jobs.merge.inputs.find import find_inputs
    from kadmin.jobs.merge.inputs.sources import group, writers_of_lines
    from kadmin.jobs.merge.inputs.streams import separated
    from kadmin.jobs.merge.request import MergeRequest, OddInput
    from kadmin.jobs.merge.slices.line_filter import record_filter
    from kadmin.jobs.merge.slices.plan import SEARCH_SLICE_BYTES, SLICE_BYTES, Order

    is_of_lines = not (options["analyze"] or options["brief"])
    output = session.settings.output if is_of_lines else "text"
    form = option_values.form(options["form"], output, options["out"])
    check_destination(session, form, options)
    wanted = option_values.wanted_lines(options)
    common_zone = option_values.common_zone(options["time_zone"])
    zone = find_zone(common_zone)
    times = option_values.time_range(options["start_time"], options["end_time"], zone)
    clocks = option_values.clocks(options["clock_offset"], options["time_zone"])
    named = [*paths, *filter(None, (options["logs"] or "").split(","))]
    inputs = find_inputs(named, options["logs_regex"])
    if options["strict"] and inputs.left_out:
        raise OddInput(inputs.left_out)
    check_overwriting(inputs, "--out", options["out"])
    check_overwriting(inputs, "--html", options["html"])
    sources = group(separated(inputs.files, directory), writers_of_lines)
    size = sum(file.content_bytes for file in inputs.files)
    counts = options["count"] or not wanted.is_open or size <= COUNTED_BYTES_MAX
    has_parts = is_directory(options["out"])
    is_numbered = form != "text"
    kept = record_filter(wanted)
    is_search = kept is not None and bool(kept.substrings) and not is_numbered
    return Job(
        inputs=inputs,
        wanted=wanted,
        request=MergeRequest(
            sources=sources,
            clocks=clocks,
            clock=clock(common_zone=common_zone),
            times=times,
            order=Order(options["order"]),
            record_filter=kept,
            formatter=formatter(
                session, form, sources, options, counts=counts, has_parts=has_parts
            ),
            is_numbered=is_numbered,
            is_strict=options["strict"],
            keeps_duplicates=options["keep_duplicates"],
            unpacked_max=options["max_unpacked"],
            slice_bytes=SEARCH_SLICE_BYTES if is_search else SLICE_BYTES,
            master=master,
            conf=conf,
        ),
        form=form,
        out=options["out"],
        has_parts=has_parts,
    )


def request_here(job: Job) -> "MergeRequest":
    """Return the request of *job*, without Spark where that is not worth its start."""
    from kadmin.jobs.merge.engines import without_idle_spark

    return without_idle_spark(job.request, is_submitted=is_submitted())


def check_inputs(paths: Sequence[str], options: dict[str, Any]) -> None:
    """Refuse a run that names no logs, or standard input, or uses both of Kafka's options."""
    has_both = options["logs"] is not None and options["logs_regex"] is not None
    if "-" in paths and not os.path.lexists("-"):
        raise UsageError(
            "the logs cannot come from standard input, which is read only once",
            hint="write them into a file first: cat > logs.txt",
        )
    named = [*paths, options["logs"], options["logs_regex"]]
    if has_both or not any(named):
        raise UsageError(
            'provide arguments to exactly one of the two options "[logs]" or "[logs-regex]"',
            hint="or name files and directories alone: kadmin merge-logs collected/",
        )


def check_destination(session: Session, form: str, options: dict[str, Any]) -> None:
    """Refuse a result that cannot go where it shall."""
    if options["out"] == "":
        raise UsageError(
            "--out names nothing",
            hint="name a file: --out merged.log, or leave it out for standard output",
        )
    if form != "text" and options["show_source"] is not None:
        raise UsageError(
            f"--show-source does not go with --format {form}", hint="it has a column source"
        )
    if form == "parquet" and options["out"] is None and session.output.is_terminal:
        raise UsageError(
            "parquet is not for a terminal", hint="name a file: --out incident.parquet"
        )


def check_overwriting(inputs: "Inputs", option: str, out: str | None) -> None:
    """Refuse to replace one of the logs by the result."""
    if out is None or not os.path.exists(out):
        return
    for file in inputs.files:
        if os.path.exists(file.path) and os.path.samefile(file.path, out):
            raise UsageError(f"{option} {out} is one of the logs", hint="name another file")


def is_directory(out: str | None) -> bool:
    """Return whether *out* names a directory; a URI does by its last slash, before its options."""
    if out is None:
        return False
    path = out.partition("?")[0] if "://" in out else out
    return path.endswith("/") or os.path.isdir(path)


def formatter(
    session: Session,
    form: str,
    sources: "Sequence[Source]",
    options: dict[str, Any],
    *,
    counts: bool,
    has_parts: bool,
) -> "Factory":
    """Return what workers make of their slices."""
    from kadmin.jobs.factory import Factory

    if form == "parquet":
        return Factory(f"kadmin.jobs.merge.output.typed:{'parquet' if has_parts else 'arrow'}")
    if form == "csv":
        return Factory("kadmin.jobs.merge.output.typed:csv", {"has_header": has_parts})
    if form == "json":
        return Factory("kadmin.jobs.merge.output.typed:json")
    is_shown = options["out"] is None and session.output.is_terminal
    shows_source = options["show_source"]
    if shows_source is None:
        shows_source = is_shown and len(sources) > 1
    if is_shown:
        from kadmin.render.merge_logs.summary import terminal_marks

        marks = terminal_marks(session.output)
        arguments = {"marks": marks, "shows_source": shows_source}
        return Factory("kadmin.jobs.merge.output.counted_text:marked_text", arguments)
    if counts:
        return Factory(
            "kadmin.jobs.merge.output.counted_text:counted_text", {"shows_source": shows_source}
        )
    return Factory(
        f"kadmin.jobs.merge.output.plain_text:{'text_with_source' if shows_source else 'text'}"
    )
