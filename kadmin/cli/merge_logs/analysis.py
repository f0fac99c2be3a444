"""`kadmin merge-logs --analyze` and `--brief`: who led each partition when, and why did it move?

Options in, one analysis, its document to standard output.
"""

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from kadmin.cli.session import Session
from kadmin.errors import KadminError, UsageError

if TYPE_CHECKING:
    from kadmin.cli.merge_logs.plan import Job
    from kadmin.jobs.engine import Engine
    from kadmin.jobs.merge.survey.time_bounds import TimeBounds
    from kadmin.jobs.story.gather import Selection
    from kadmin.jobs.story.tell import Analysis

ONLY_FOR_LINES: Final = (
    *("broker", "controller_epoch", "kind", "level", "only_partitioned", "show_source"),
    *("form", "out", "count"),
)
"""Options that choose or write lines, and mean nothing to a story of all that is said."""

OPTION_NAMES: Final = {"form": "--format"}

CHOOSE_HINT: Final = "choose by --topic, --partition, --start-time and --end-time"
INSTEAD: Final = {
    "form": "--output json, yaml or csv has another form",
    "out": "send standard output there: > FILE",
    "show_source": "--with-lines shows lines and their files",
    "count": "leave it out",
}
"""What does for an analysis what these do for lines."""


def check_analysis(options: dict[str, Any]) -> None:
    """Refuse options that do not go with an analysis, or only with one.

    Raises:
        UsageError: there is such a one.
    """
    is_asked = options["analyze"] or options["brief"]
    if options["analyze"] and options["brief"]:
        raise UsageError("--analyze and --brief are two answers", hint="give one of them")
    for name in ONLY_FOR_LINES:
        if is_asked and options[name] not in (None, False, ()):
            option = OPTION_NAMES.get(name, f"--{name.replace('_', '-')}")
            raise UsageError(
                f"{option} does not go with {'--analyze' if options['analyze'] else '--brief'}",
                hint=INSTEAD.get(name, CHOOSE_HINT),
            )
    if is_asked and options["order"] == "file":
        raise UsageError("--order file is for lines alone", hint="leave it out")
    if is_asked and options["causal"]:
        raise UsageError(
            "--causal is for lines alone: stories go by leader epochs, whatever the clocks say",
            hint="leave it out; --correct-clocks sets the times right",
        )
    for name in ("partition", "around", "with_lines", "html"):
        if not is_asked and options[name]:
            raise UsageError(
                f"--{name.replace('_', '-')} goes with --analyze or --brief alone",
                hint="add --analyze",
            )
    if options["html"] == "" or (options["html"] or "").endswith("/"):
        raise UsageError("--html names no file", hint="name one: --html incident.html")
    if options["around"] is not None and not options["partition"]:
        raise UsageError("--around is about single partitions", hint="add --partition orders-0")


def selection(options: dict[str, Any]) -> "Selection":
    """Return the partitions that are asked for.

    Raises:
        UsageError: a word of `--partition` is no partition.
    """
    from kadmin.cli.merge_logs.option_values import wanted_lines
    from kadmin.jobs.story.gather import Selection

    wanted = wanted_lines(options)
    if options["partition"] and (wanted.topics or wanted.topic_regex):
        raise UsageError(
            "--partition and --topic choose the same", hint="give --partition for single ones"
        )
    return Selection(
        topics=wanted.topics,
        topic_regex=wanted.topic_regex,
        partitions=wanted.partitions,
        named=tuple(named_partition(word) for word in named_words(options["partition"])),
    )


def named_words(texts: Sequence[str]) -> list[str]:
    return [word.strip() for text in texts for word in text.split(",")]


def named_partition(word: str) -> tuple[str, int]:
    """Return `orders-3` as a topic and a number."""
    topic, _, number = word.rpartition("-")
    if not topic or not number.isascii() or not number.isdigit() or len(number) > 9:
        raise UsageError(
            f"'{word}' is no partition", hint="name it as the logs do: --partition orders-3"
        )
    return topic, int(number)


def analyze(session: Session, job: "Job", engine: "Engine | None", options: dict[str, Any]) -> None:
    """Show the stories of the partitions that are asked for.

    With an *engine* that is there already, or with the one that the job asks for.

    Raises:
        KadminError: no file is a log, or no line is about these partitions.
    """
    from kadmin.cli.merge_logs.option_values import common_zone, moment
    from kadmin.cli.merge_logs.plan import request_here
    from kadmin.jobs.merge.clocks import find_zone
    from kadmin.jobs.story.tell import tell
    from kadmin.jvm.interrupts import ending_in_order
    from kadmin.render.job_progress import job_progress
    from kadmin.render.merge_logs.story import analysis_document, brief_document, story_document
    from kadmin.render.merge_logs.summary import step_lines

    started = time.monotonic()
    zone = find_zone(common_zone(options["time_zone"]))
    around = options["around"]
    around_ms = None if around is None else moment(around, zone)
    wanted = selection(options)
    request = request_here(job)
    with ending_in_order(), page_at(options["html"]) as page:
        with job_progress(session.output, hides_at_output=False) as progress:
            analysis = tell(
                request,
                wanted,
                corrects_clocks=options["correct_clocks"],
                report=progress.report,
                engine=engine,
            )
        for problem in analysis.summary.skipped + analysis.summary.damaged:
            session.output.warn(f"{problem.label}: {problem.reason}")
        for line in step_lines(analysis.summary.steps):
            session.output.warn(line)
        check_found(analysis, wanted)
        if page is not None:
            write_page(analysis, page)
    proves = options["with_lines"]
    if options["brief"]:
        document = brief_document(analysis, proves=proves)
    elif wanted.named:
        document = story_document(analysis, around_ms, proves=proves)
    else:
        document = analysis_document(analysis, proves=proves)
    session.output.show(document)
    for text in what_was_read(analysis, time.monotonic() - started):
        session.output.note(text)
    if options["html"] is not None:
        session.output.note(f"wrote {options['html']}")


def page_at(path: str | None) -> AbstractContextManager[Any]:
    """Return where a page is written that has its name when it is whole; None without a *path*.

    Raises:
        CannotWrite: there is no such directory, no room, or no right to write there.
    """
    from kadmin.jobs.merge.output.whole_files import whole_file

    return nullcontext() if path is None else whole_file(path)


def write_page(analysis: "Analysis", page: BinaryIO) -> None:
    from kadmin.render.timeline.page import timeline_page

    page.write(timeline_page(analysis).encode())


def check_found(analysis: "Analysis", wanted: "Selection") -> None:
    """Refuse to say nothing where something was asked for by name."""
    from kadmin.wording import listed

    summary = analysis.summary
    if summary.skipped and not any(source.read_lines for source in summary.sources):
        raise KadminError(
            "none of the files is a state-change log",
            hint="name the files that log4j's state.change.logger writes, state-change.log*",
        )
    if summary.time_bounds is not None and (wanted.topics or wanted.named):
        raise KadminError(
            no_line_within(summary.time_bounds),
            hint="give --start-time and --end-time within these",
        )
    topics = {story.topic for story in analysis.stories}
    if wanted.topics and not topics:
        numbers = listed(sorted(wanted.partitions or ()))
        these = f"partition {numbers}" if numbers else "a partition"
        narrower = "--partitions" if numbers else "--topic"
        raise KadminError(
            f"no line shows who leads {these} of {listed(wanted.topics)}",
            hint=f"see which are in the logs: leave {narrower} out",
        )
    known = {(story.topic, story.partition) for story in analysis.stories}
    missing = [name for name in wanted.named if name not in known]
    if missing:
        names = listed(f"{topic}-{number}" for topic, number in missing)
        raise KadminError(
            f"no line shows who leads {names}",
            hint="see which partitions are in the logs: leave --partition out",
        )


def what_was_read(analysis: "Analysis", seconds: float) -> list[str]:
    from kadmin.wording import counted, log_time

    coverage, bounds = analysis.coverage, analysis.summary.time_bounds
    lines = sum(source.read_lines for source in analysis.summary.sources)
    if bounds is not None:
        return [no_line_within(bounds)]
    if not lines:
        return ["there is no line in these files"]
    times = (
        f" from {log_time(coverage.first_ms)} to {log_time(coverage.last_ms)}"
        if coverage.brokers
        else ""
    )
    texts = [
        f"read {counted(lines, 'line')} about {counted(len(analysis.stories), 'partition')}{times}"
        f" in {seconds:.1f} s"
    ]
    if not analysis.stories:
        texts.append("no line shows who leads a partition")
    dated = counted(analysis.summary.dated_lines, "dated line")
    if repeated := analysis.summary.duplicate_lines:
        texts.append(f"{counted(repeated, 'line')} that two sources have, counted once")
    return [*texts, f"not understood: {analysis.summary.unknown_lines:,} of {dated}"]


def no_line_within(bounds: "TimeBounds") -> str:
    from kadmin.render.merge_logs.summary import time_bounds_text

    return f"no line is within the times: the logs hold lines {time_bounds_text(bounds)}"
