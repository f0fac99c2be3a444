"""One run of a test, or two sides in turns: windows as they come, then the result."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kadmin.cli.perf.options import csv_directory
from kadmin.cli.session import Session
from kadmin.errors import KadminError, UsageError
from kadmin.extras import Extra, require_extra
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import OutputFormat, parse_bootstrap
from kadmin.wording import counted

if TYPE_CHECKING:
    from kadmin.records.perf.tally import Result, Window
    from kadmin.render.perf.csv_files import CsvFiles

ROUNDS: Final = 4
Emit = Callable[["Window"], None]


class NotAllDelivered(KadminError):
    """Some records of a test were refused."""

    def __init__(self, failed: int, topic: str) -> None:
        super().__init__(
            f"{counted(failed, 'record')} of the test failed",
            hint=f"kadmin topics --describe --topic {topic}",
        )


@dataclass(frozen=True, slots=True)
class Side:
    """What is measured: a cluster, and properties of the client beside those of all sides."""

    name: str
    settings: BrokerSettings
    properties: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A test as its command has it: *facts* for documents, and how it runs and is shown."""

    schema: str
    topic: str
    facts: Mapping[str, object]
    run: "Callable[[Side, Emit], Result]"
    lines: "Callable[[Result], Sequence[str]]"
    window_line: "Callable[[Window], str | None]"
    start: Callable[[], Sequence[str]] = tuple


def sides_of(session: Session, options: Mapping[str, Any]) -> tuple[Side, ...]:
    """Return the sides of --compare, or the only one there is.

    Raises:
        UsageError: options do not go together, or a file of figures cannot be written.
    """
    if options["hdr"] is not None:
        require_extra("kadmin perf --hdr", Extra.PERF, "hdrh")
    if options["compare"] is None:
        if options["rounds"] is not None:
            raise UsageError("--rounds is about --compare", hint="--compare A B")
        csv_directory(options)
        for name in ("svg", "hdr"):
            if options[name] is not None:
                check_writable(options[name], f"--{name}")
        return (Side(session.output.cluster, session.brokers(), {}),)
    for name in ("csv", "csv_reporter_enabled", "svg", "hdr"):
        if options[name]:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag} is of one run, and --compare makes many", hint="leave one out"
            )
    return tuple(side_of(session, text) for text in options["compare"])


def side_of(session: Session, text: str) -> Side:
    if "=" in text:
        from kadmin.records.properties import OTHERWISE, parse_properties

        given = parse_properties(text.split(","), "--compare")
        properties = {OTHERWISE.get(name, name): value for name, value in given.items()}
        return Side(text, session.brokers(), properties)
    servers = ("zookeeper", "bootstrap_server", "cluster")
    flags = {name: value for name, value in session.flags.items() if name not in servers}
    if ":" in text:
        flags["bootstrap_server"] = parse_bootstrap(text)
    else:
        flags["cluster"] = text
    return Side(text, Session(flags).brokers(), {})


def clusters_of(sides: Sequence[Side]) -> list[BrokerSettings]:
    """Return the clusters of *sides*, each once."""
    found: list[BrokerSettings] = []
    for side in sides:
        if side.settings not in found:
            found.append(side.settings)
    return found


def carry_out(
    session: Session, test: Test, sides: Sequence[Side], options: Mapping[str, Any]
) -> None:
    """Run *test* and show its result, or that of all rounds.

    Raises:
        NotAllDelivered: records failed.
        KeyboardInterrupt: Ctrl-C ended it; what was measured is shown.
    """
    if len(sides) > 1:
        compare(session, test, sides, options["rounds"] or ROUNDS)
        return
    from kadmin.render.perf.documents import result_document

    with csv_files(csv_directory(options), test.topic) as files:
        emit = emitter(session, test, files)
        result = test.run(sides[0], emit)
    if options["svg"] is not None:
        draw(options["svg"], result, f"kadmin perf {test.schema}: {test.topic}")
        session.output.note(f"wrote {options['svg']}")
    if options["hdr"] is not None:
        write_hdr(options["hdr"], result)
        session.output.note(f"wrote {options['hdr']}")
    for reason, count in result.tally.reasons.most_common():
        session.output.warn(f"{counted(count, 'record')} failed: {reason}")
    document = result_document(test.schema, test.facts, result, test.lines(result))
    session.output.show(document)
    session.output.flush()
    if result.is_interrupted:
        raise KeyboardInterrupt
    if result.tally.failed:
        raise NotAllDelivered(result.tally.failed, test.topic)


def emitter(session: Session, test: Test, files: "CsvFiles | None") -> Emit:
    """Return what takes windows: their lines are printed where the result is text."""
    is_text = session.output.form is OutputFormat.TEXT
    if is_text:
        session.output.preface(test.start())

    def emit(window: "Window") -> None:
        if files is not None and not window.is_warmup:
            files.write(window)
        line = test.window_line(window)
        if line is None:
            return
        if window.is_warmup or not is_text:
            session.output.note(f"warm-up: {line}" if window.is_warmup else line)
        else:
            session.output.line(line)
            session.output.flush()

    return emit


@contextmanager
def csv_files(directory: str | None, topic: str) -> "Iterator[CsvFiles | None]":
    if directory is None:
        yield None
        return
    from kadmin.render.perf.csv_files import CsvFiles

    files = CsvFiles(directory, topic)
    try:
        yield files
    finally:
        files.close()


def draw(path: str, result: "Result", title: str) -> None:
    from kadmin.render.perf.pictures import charts_of, svg

    write_file(path, svg(charts_of(result), title), "--svg")


def write_hdr(path: str, result: "Result") -> None:
    from kadmin.render.perf.hdr_log import hdr_log

    write_file(path, hdr_log(result), "--hdr")


def check_writable(path: str, option: str) -> None:
    """Refuse a file of *option* that cannot be written, before tests run for it.

    Raises:
        UsageError: it cannot be written; one that is there stays as it is.
    """
    is_new = not os.path.lexists(path)
    try:
        write_file(path, "", option, mode="a")
    except KadminError as error:
        raise UsageError(error.message, hint=error.hint) from error
    if is_new:
        os.unlink(path)


def write_file(path: str, text: str, option: str, mode: str = "w") -> None:
    """Write *text* to the file of *option*.

    Raises:
        KadminError: it cannot be written.
    """
    try:
        with open(path, mode, encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        raise KadminError(
            f"cannot write '{path}': {error.strerror}", hint=f"{option} takes a file to be written"
        ) from error


def compare(session: Session, test: Test, sides: Sequence[Side], rounds: int) -> None:
    from kadmin.records.perf.compare import turns
    from kadmin.render.perf.comparison import Round, comparison_document

    by_name = dict(zip("AB", sides, strict=True))
    done = []
    for number, name in turns(rounds):
        result = test.run(by_name[name], lambda _window: None)
        if result.is_interrupted:
            raise KeyboardInterrupt
        if result.tally.failed:
            raise NotAllDelivered(result.tally.failed, test.topic)
        session.output.note(
            f"round {number + 1} of {rounds}, {name}: {result.per_s:,.0f} records/sec"
        )
        done.append(Round(number, name, result))
    names = {name: side.name for name, side in by_name.items()}
    session.output.show(comparison_document(test.facts, names, done))
