"""`kadmin merge-logs`: what do the state-change logs of all brokers say, in order?

Options in, one merge, its result to a stream or to files, a summary on standard error.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import click

from kadmin.app.spark import chosen_master, spark_settings
from kadmin.cli.frame import command
from kadmin.cli.options import WholeNumber, argument, option
from kadmin.cli.session import Session
from kadmin.cli.spark_options import mute_if_submitted, spark_options
from kadmin.errors import KadminError
from kadmin.extras import Extra, require_extra
from kadmin.statechange.kinds import Kind, Level

if TYPE_CHECKING:
    from kadmin.cli.merge_logs.plan import Job
    from kadmin.jobs.engine import Engine
    from kadmin.jobs.merge.output.slice_output import PartFiles, SliceOutput

INPUTS: Final = "Logs"
FILTERS: Final = "Filters (a line must pass all that are given)"
RESULT: Final = "Order and result"
ANALYSIS: Final = "Analysis (instead of lines)"

SUFFIXES: Final = {"text": ".log", "json": ".jsonl", "csv": ".csv", "parquet": ".parquet"}
"""The forms, and how files of each are called."""


class KindWord(click.Choice):  # type: ignore[type-arg]  # generic only for newer click
    """A kind of line; there are too many to list them all in an error."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        from difflib import get_close_matches

        near = get_close_matches(str(value), list(Kind), n=1)
        question = f"did you mean '{near[0]}'?" if near else "--list-kinds lists them all"
        return f"there is no kind '{value}'; {question}"


@command("merge-logs", short_help="Merge the state-change logs of all brokers.")
@argument("paths", nargs=-1, metavar="[PATH]...")
@option(
    "--logs",
    metavar="FILE,FILE",
    section=INPUTS,
    help="The same as naming the files as PATH, separated by commas.",
)
@option(
    "--logs-regex",
    metavar="DIR/REGEX",
    section=INPUTS,
    help="The files of a directory in whose name the regular expression is found.",
)
@option(
    "--clock-offset",
    metavar="SOURCE=±MS",
    multiple=True,
    section=INPUTS,
    help="Add this to the times of a source: +250 for a clock that is 250 ms behind.",
)
@option(
    "--time-zone",
    metavar="[SOURCE=]ZONE",
    multiple=True,
    section=INPUTS,
    help="The time zone of a source, or of all others; UTC unless given.",
)
@option(
    "--correct-clocks",
    is_flag=True,
    section=INPUTS,
    help=("Correct the times of brokers whose clocks are proven wrong by orders between them."),
)
@option(
    "--max-unpacked",
    type=WholeNumber(min=1),
    metavar="BYTES",
    section=INPUTS,
    help="How much of a .gz is unpacked; otherwise 10 GiB, or 100 times its size if that is more.",
)
@option(
    "--strict", is_flag=True, section=INPUTS, help="Fail if a file is not a log, or is damaged."
)
@option(
    "--topic",
    multiple=True,
    metavar="TOPIC,TOPIC",
    completes="topics",
    section=FILTERS,
    help="Only lines that name one of these topics; may be repeated.",
)
@option(
    "--topic-regex",
    metavar="REGEX",
    section=FILTERS,
    help="Only lines that name a topic whose whole name matches the expression.",
)
@option("--partitions", metavar="N,N", section=FILTERS, help="Only these partitions of the topics.")
@option(
    "--start-time",
    metavar="TIME",
    section=FILTERS,
    help="From this time on: '2026-11-20 03:12:00,000', ISO 8601, or relative (-2h).",
)
@option("--end-time", metavar="TIME", section=FILTERS, help="Up to and including this time.")
@option(
    "--broker",
    metavar="ID,ID",
    multiple=True,
    completes="brokers",
    section=FILTERS,
    help="Only lines that these brokers wrote.",
)
@option(
    "--controller-epoch",
    metavar="N,N",
    multiple=True,
    section=FILTERS,
    help="Only lines with one of these controller epochs.",
)
@option(
    "--kind",
    metavar="KIND",
    multiple=True,
    type=KindWord([*map(str, Kind)]),
    section=FILTERS,
    help="Only lines of this kind; may be repeated (see --list-kinds).",
)
@option(
    "--level",
    metavar="LEVEL",
    type=click.Choice([*map(str, Level)], case_sensitive=False),
    section=FILTERS,
    help="Only lines of this level or a more severe one.",
)
@option(
    "--only-partitioned",
    is_flag=True,
    section=FILTERS,
    help="Only lines that name a partition, as Kafka's tool does.",
)
@option(
    "--keep-duplicates",
    is_flag=True,
    section=RESULT,
    help="Keep a line as often as sources have it; otherwise once, by time, writer and message.",
)
@option(
    "--order",
    type=click.Choice(("time", "file")),
    default="time",
    section=RESULT,
    help="By time alone, or never against the order in a source's own file.",
)
@option(
    "--causal",
    is_flag=True,
    section=RESULT,
    help="Put no line before the order that it obeys, whatever the clocks say.",
)
@option(
    "--show-source/--no-show-source",
    default=None,
    section=RESULT,
    help=("Put the source before each line; on a terminal this is done if there are several."),
)
@option(
    "--format",
    "form",
    type=click.Choice(tuple(SUFFIXES)),
    section=RESULT,
    help="Lines as they are, or typed rows; text unless the name of --out says otherwise.",
)
@option(
    "--out",
    metavar="PATH",
    section=RESULT,
    help="A file, a directory (ends in '/') or a URI instead of standard output.",
)
@option(
    "--count",
    is_flag=True,
    section=RESULT,
    help="Count lines by kind and level even if that takes longer than merging.",
)
@option("--list-kinds", is_flag=True, section=RESULT, help="List what --kind takes, and exit.")
@option(
    "--analyze",
    is_flag=True,
    section=ANALYSIS,
    help="Tell who led each partition, when, decided by whom, and why it moved; worst first.",
)
@option(
    "--brief",
    is_flag=True,
    section=ANALYSIS,
    help="Instead of --analyze: one line an event: time, partition, leader, ISR, controller, why.",
)
@option(
    "--partition",
    metavar="TOPIC-N",
    multiple=True,
    section=ANALYSIS,
    help="Only this partition, in full; may be repeated.",
)
@option(
    "--around",
    metavar="TIME",
    section=ANALYSIS,
    help="Who led the partition at this time, and what came just before and after.",
)
@option(
    "--html",
    metavar="FILE",
    section=ANALYSIS,
    help=(
        "Also write a page with a timeline: one file that fetches nothing. Needs"
        " kadmin-kafka[html]."
    ),
)
@option(
    "--with-lines",
    is_flag=True,
    section=ANALYSIS,
    help="Show the lines that prove each event below it, with their files.",
)
@spark_options("merges without Spark, sooner for a few MB")
def merge_logs(session: Session, paths: tuple[str, ...], **options: Any) -> None:
    """Merge state-change logs of any Kafka release into one, in order of time.

    PATH is a file, a directory, a glob or a URI (file, hdfs, s3), including .gz and rolled files;
    stack traces stay with their line. Lines are ordered by time, then source, then position, the
    same on every run. A source is one broker's log; it is named by the broker's id if the path or
    the lines reveal it. A summary of what was read, kept and not understood goes to standard error
    (under spark-submit, which mixes it into the result, only with --out). Needs
    kadmin-kafka[spark] where it uses Spark: from 8 GiB on, or with --master of a cluster.

    It exits with 0 also where no line is kept; a warning names a topic or broker that no line of
    small logs has.

    \b
    Examples:
      kadmin merge-logs collected/ --topic orders --partitions 0
      kadmin merge-logs collected/ --start-time '2026-11-20 03:10' --end-time '2026-11-20 03:15'
      kadmin merge-logs collected/ --level ERROR --show-source
      kadmin merge-logs 'broker-*/state-change.log*' --out incident.parquet
      kadmin merge-logs collected/ --analyze --partition orders-0 --around '2026-11-20 03:12:30'
      kadmin merge-logs collected/ --analyze --html incident.html
    """
    if options["list_kinds"]:
        from kadmin.render.merge_logs.summary import kinds_document

        session.output.show(kinds_document())
        return
    from kadmin.cli.merge_logs.analysis import analyze, check_analysis
    from kadmin.cli.merge_logs.plan import check_inputs, plan, request_here
    from kadmin.jobs.merge.engines import engine_ahead
    from kadmin.jobs.temporary import temporary_directory
    from kadmin.jvm.interrupts import ending_in_order

    check_analysis(options)
    if options["html"] is not None:
        require_extra("merge-logs --html", Extra.HTML, "plotly")
    check_inputs(paths, options)
    conf = spark_settings(options["conf"], options["properties_file"])
    master = chosen_master(options["master"], conf)
    with (
        ending_in_order(),
        temporary_directory("kadmin-streams-") as directory,
        engine_ahead(master, conf) as engine,
    ):
        job = plan(session, paths, options, master, conf, directory)
        if job.out is None:
            mute_if_submitted(session)
        for problem in job.inputs.repeated:
            session.output.warn(f"{problem.label}: {problem.reason}")
        for problem in job.inputs.left_out:
            session.output.warn(f"{problem.label}: {problem.reason}; left out")
        if options["analyze"] or options["brief"]:
            analyze(session, job, engine, options)
        else:
            carry_out(
                session,
                replace(job, request=request_here(job)),
                engine,
                corrects_clocks=options["correct_clocks"],
                is_causal=options["causal"],
            )


def carry_out(
    session: Session,
    job: "Job",
    engine: "Engine | None",
    *,
    corrects_clocks: bool,
    is_causal: bool,
) -> None:
    """Merge, write results as they come, and report what became of every line.

    With an *engine* that is there already, or with the one that the job asks for.
    """
    from kadmin.cli.merge_logs.correction import corrected
    from kadmin.jobs.merge.merge import merge
    from kadmin.jvm.interrupts import ending_in_order
    from kadmin.render.job_progress import job_progress
    from kadmin.render.merge_logs.summary import step_lines, summary_lines, written_line

    started = time.monotonic()
    with (
        ending_in_order(),
        job_progress(session.output, hides_at_output=job.out is None) as progress,
        destination(session, job) as (stream, parts),
        corrected(
            session,
            job,
            engine,
            progress.report,
            corrects_clocks=corrects_clocks,
            is_causal=is_causal,
        ) as (request, shared),
        merge(replace(request, part_files=parts), progress.report, shared) as merged,
    ):
        parts_written = write(progress.watch(merged), stream, job.form)
        summary = merged.summary()
    session.output.stdout.flush()
    for problem in summary.skipped + summary.damaged:
        session.output.warn(f"{problem.label}: {problem.reason}")
    for line in step_lines(summary.steps):
        session.output.warn(line)
    if summary.skipped and not any(source.read_lines for source in summary.sources):
        raise KadminError(
            "none of the files is a state-change log",
            hint="name the files that log4j's state.change.logger writes, state-change.log*",
        )
    kept = sum(source.kept_lines for source in summary.sources)
    if not kept or len(job.wanted.topics) > 1 or len(job.wanted.brokers) > 1:
        from kadmin.cli.merge_logs.unknown_names import unknown_name_lines

        for line in unknown_name_lines(job.inputs.files, job.wanted):
            session.output.warn(line)
    for line in summary_lines(summary, seconds=time.monotonic() - started):
        session.output.note(line)
    if job.out is not None:
        session.output.note(written_line(job.out, parts_written))


@contextmanager
def destination(
    session: Session, job: "Job"
) -> "Iterator[tuple[BinaryIO | None, PartFiles | None]]":
    """Yield where the result goes: a stream of bytes, or part files that workers write."""
    from kadmin.jobs.merge.output.whole_files import part_files, whole_file

    if job.out is None:
        yield session.output.bytes_stream(), None
    elif job.has_parts:
        with part_files(job.out, SUFFIXES[job.form]) as parts:
            yield None, parts
    else:
        with whole_file(job.out) as stream:
            yield stream, None


def write(outputs: "Iterator[SliceOutput]", stream: BinaryIO | None, form: str) -> list[str]:
    """Write the results to *stream*, or let workers; gives the names of the files they wrote."""
    from kadmin.jobs.merge.output.json_csv import csv_header
    from kadmin.jobs.merge.output.streams import write_parquet, write_stream
    from kadmin.jobs.uris import shown
    from kadmin.statechange.typed import SCHEMA

    if stream is None:
        return [os.path.basename(shown(output.path or "")) for output in outputs]
    if form == "parquet":
        write_parquet(outputs, stream, SCHEMA)
    else:
        header = csv_header(SCHEMA).encode() if form == "csv" else b""
        write_stream(outputs, stream, header)
    return []
