"""The output of a command: where does a result go, in which form, and where the notes?

Results on standard output, all else on standard error.  Knows no command's content: a command
hands over a `Document`, which can be shown in every form.
"""

import os
import select
import signal
import sys
import termios
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

from kadmin.called_name import as_called
from kadmin.csv_cells import csv_line, unevaluated
from kadmin.errors import RefusedError
from kadmin.render.pager import page, pager_command
from kadmin.render.visible import visible, visible_json, visible_lines
from kadmin.settings.keys import OutputFormat
from kadmin.settings.resolve import Settings

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.segment import Segment

LINES_PER_WRITE = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One result in every form; each form is made only when it is asked for.

    *schema* is a name and a version, `kadmin.topics.list/1`; a field that is removed or changes
    its meaning makes a new version.  *body* has the fields beside it.  *rows* has one tuple per
    record, as long as *columns*, for CSV.  *lines* is plain text for pipes.  *pretty* is what a
    terminal gets instead of the lines, None where lines are best; *screen* are fewer lines for it.
    """

    schema: str
    body: Callable[[], Mapping[str, object]]
    columns: Sequence[str]
    rows: Callable[[], Iterable[Sequence[object]]]
    lines: Callable[[], Iterable[str]]
    pretty: "Callable[[], RenderableType] | None" = None
    screen: Callable[[], Iterable[str]] | None = None


class Output:
    """The streams of one run of kadmin."""

    def __init__(
        self,
        *,
        form: OutputFormat = OutputFormat.TEXT,
        color: bool = True,
        quiet: bool = False,
        cluster: str = "",
        pager: str | None = None,
        stdout: TextIO | None = None,
        stderr: TextIO | None = None,
    ) -> None:
        self.form = form
        self.color = color
        self.quiet = quiet
        self.cluster = cluster
        self.pager = pager
        self.is_mute = False
        self.has_shown = False
        self.stdout = stdout or sys.stdout
        self.stderr = stderr or sys.stderr

    @classmethod
    def of_settings(cls, settings: Settings) -> "Output":
        return cls(
            form=settings.output,
            color=not settings.flag("no_color"),
            quiet=settings.flag("quiet"),
            cluster=settings.shown_cluster,
            # Without a keyboard the pager could not be left.
            pager=pager_command() if sys.stdin.isatty() and not settings.flag("no_pager") else None,
        )

    @property
    def is_terminal(self) -> bool:
        return self.stdout.isatty()

    @property
    def rows(self) -> int:
        """How many lines a terminal shows."""
        import shutil

        return shutil.get_terminal_size().lines

    def shows_tables(self, *, plain: bool = False) -> bool:
        """Return whether results stand in tables, where they have some: as text, on a terminal."""
        return self.form is OutputFormat.TEXT and self.is_terminal and not plain

    def show(self, document: Document, *, plain: bool = False) -> None:
        """Write *document* to standard output in the form that was asked for.

        *plain* keeps to the lines on a terminal, too.
        """
        self.has_shown = True
        if self.form is OutputFormat.JSON:
            self.show_json(document)
        elif self.form is OutputFormat.YAML:
            self.show_yaml(document)
        elif self.form is OutputFormat.CSV:
            cell_of = shown_csv_cell if self.is_terminal else csv_cell
            self.stdout.write(csv_line(document.columns))
            self.stdout.writelines(csv_line(list(map(cell_of, row))) for row in document.rows())
        elif document.pretty is not None and self.shows_tables(plain=plain):
            console = self.console()
            with console.capture() as capture:
                # Not cropped: what is wider is a command to be copied.
                console.print(Harmless(document.pretty()), crop=False)
            self.put(capture.get())
        elif document.screen is not None and self.shows_tables(plain=plain):
            self.put("".join(chunks(document.screen())))
        elif self.pager is not None and self.is_terminal:
            self.put("".join(chunks(document.lines())))
        else:
            for text in chunks(document.lines()):
                self.stdout.write(text)

    def put(self, text: str) -> None:
        """Write *text*, which is a result; by the pager where the terminal is too short for it."""
        is_shown = False
        if self.pager is not None and self.is_terminal and text.count("\n") >= self.rows:
            is_shown = page(text, self.pager)
        if not is_shown:
            self.stdout.write(text)

    def line(self, text: str, *, is_json: bool = False) -> None:
        """Write one line of a result that is made piece by piece.

        As it is into a pipe: it may be the content of records.
        """
        if self.is_terminal:
            text = visible_json(text) if is_json else visible_lines(text)
        self.stdout.write(text + "\n")

    def preface(self, lines: Iterable[str]) -> None:
        """Write *lines* to standard output at once, ahead of a result that is text.

        Nothing in other forms, whose result is one document.
        """
        if self.form is OutputFormat.TEXT:
            for text in chunks(map(as_called, lines)):
                self.stdout.write(text)
            self.stdout.flush()

    def flush(self) -> None:
        """Write what waits for standard output.

        Raises:
            OSError: it takes no more.
        """
        self.stdout.flush()

    def show_json(self, document: Document) -> None:
        import json

        # Indenting takes Python's slow encoder, as would json.dump: worth it for eyes only.
        indent = 2 if self.is_terminal else None
        text = json.dumps(full_body(document), indent=indent, ensure_ascii=False)
        self.stdout.write(visible_json(text))
        self.stdout.write("\n")

    def show_yaml(self, document: Document) -> None:
        import json

        import yaml

        dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
        text = json.dumps(full_body(document), ensure_ascii=False)
        # YAML would leave those as they are that only JSON's own escapes were made for.
        is_harmless = visible_json(text) == text
        yaml.dump(
            json.loads(text),
            self.stdout,
            Dumper=dumper,
            sort_keys=False,
            allow_unicode=is_harmless,
        )

    def console(self) -> "Console":
        """Return a rich console on standard output."""
        from rich.console import Console

        return Console(
            file=self.stdout,
            # Without colours there is no bold either: nothing but the text.
            color_system="auto" if self.color else None,
            highlight=False,
            # Texts come from the cluster: a rack or an IPv6 address may look like markup.
            markup=False,
            emoji=False,
        )

    def bytes_stream(self) -> BinaryIO:
        """Return standard output for results that are bytes already; what was written before is
        out."""
        self.stdout.flush()
        return self.stdout.buffer

    def visible_bytes_stream(self) -> BinaryIO:
        """Return the same for bytes that others wrote: on a terminal only lines and tabs do
        anything."""
        stream = self.bytes_stream()
        if not self.is_terminal:
            return stream
        from kadmin.render.visible_stream import VisibleStream

        return cast(BinaryIO, VisibleStream(stream))

    def check_reader(self) -> None:
        """Raise BrokenPipeError if the reader of standard output is gone.

        A write would raise it, too; this is for commands that wait for something to write.
        """
        poll = select.poll()
        try:
            poll.register(self.stdout.fileno(), 0)
        except OSError:
            return  # No file: it has no reader that could leave.
        if poll.poll(0):
            raise BrokenPipeError

    def note(self, line: str) -> None:
        """Write a line that is not the result to standard error; nothing when quiet."""
        if not self.quiet:
            self.tell(line)

    def warn(self, text: str) -> None:
        """Warn the operator in one line of what he should look at; also when quiet."""
        self.tell(f"warning: {visible(text)}")

    def mute(self) -> None:
        """Write no notes and warnings from now on: where they would get into the result."""
        self.is_mute = True

    def tell(self, line: str) -> None:
        if self.is_mute:
            return
        # A closed standard error, or a full disk under it, must not stop a change halfway.
        with suppress(OSError):
            self.stderr.write(visible_lines(as_called(line)) + "\n")

    def ask(self, question: str) -> None:
        """Ask *question* on the terminal; only `y` and `yes` are a yes.

        Raises:
            RefusedError: the answer was no, there was none, or there is no terminal to ask on.
        """
        if not can_ask():
            raise RefusedError(
                "not confirmed, and there is no terminal to ask on; nothing was written",
                hint="add --yes to go ahead without being asked",
            )
        answer = ""
        # What was typed before the question was seen is no answer to it.
        termios.tcflush(sys.stdin, termios.TCIFLUSH)
        try:
            sys.stderr.write(f"{visible(as_called(question))} [y/N]: ")
            sys.stderr.flush()
            await_line()
            answer = sys.stdin.readline()
        finally:
            if not answer:  # Ctrl-C or Ctrl-D: what follows begins on a line of its own.
                sys.stderr.write("\n")
        if answer.strip().lower() not in ("y", "yes"):
            raise RefusedError("not confirmed; nothing was written")


def await_line() -> None:
    """Wait until the terminal has a line, or its end.

    A Ctrl-C ends it at any time: one just before a read would wait in Python until that returns.
    """
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    former = signal.set_wakeup_fd(wakes)
    try:
        select.select([sys.stdin, woken], [], [])
    finally:
        signal.set_wakeup_fd(former)
        os.close(woken)
        os.close(wakes)


def can_ask() -> bool:
    """Return whether there is a terminal to ask on."""
    return sys.stdin.isatty() and sys.stderr.isatty()


@dataclass(frozen=True, slots=True)
class Harmless:
    """*renderable*, whose texts do nothing to a terminal."""

    renderable: "RenderableType"

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[Segment]":
        for segment in console.render(self.renderable, options):
            yield segment if segment.control else segment._replace(text=visible_lines(segment.text))


def full_body(document: Document) -> dict[str, object]:
    return {"schema": document.schema, **document.body()}


def csv_cell(cell: object) -> object:
    """Write *cell* as the other forms do, a bool as JSON does, and never as a formula."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if cell is None or isinstance(cell, int | float):
        return cell
    return unevaluated(str(cell))


def shown_csv_cell(cell: object) -> object:
    """Return the same for eyes."""
    made = csv_cell(cell)
    return visible(made) if isinstance(made, str) else made


def chunks(lines: Iterable[str]) -> Iterator[str]:
    """Join *lines*, each with its newline, into texts of many that do nothing to a terminal."""
    batch: list[str] = []
    for line in lines:
        batch.append(line)
        if len(batch) == LINES_PER_WRITE:
            yield visible_lines("\n".join(batch) + "\n")
            batch.clear()
    if batch:
        yield visible_lines("\n".join(batch) + "\n")
