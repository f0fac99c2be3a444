"""The alternate screen of a terminal: what is seen there of a result that is shown again and again?

It begins with the head, and what there is no room for is counted.  Who leaves it finds the terminal
as it was.
"""

import io
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TextIO

from kadmin.render.output import Output

ENTER: Final = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
"""Another screen, without a cursor; what is too long ends at the edge."""
LEAVE: Final = "\x1b[?7h\x1b[?25h\x1b[?1049l"
HOME: Final = "\x1b[H"
REST_OF_LINE: Final = "\x1b[K"
REST_OF_SCREEN: Final = "\x1b[J"

NOTES_SHARE: Final = 6
"""Where room is short, notes take no more than one line of so many."""


class Sheet(io.StringIO):
    """What is written in one round, as to a terminal."""

    def isatty(self) -> bool:
        return True


class AlternateScreen:
    """The other screen of *output*'s terminal, on which each round takes the place of the last."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._body = ""

    def __enter__(self) -> "AlternateScreen":
        self._write(ENTER)
        return self

    def __exit__(self, *_error: object) -> None:
        self._write(LEAVE)

    @contextmanager
    def round(self) -> Iterator[None]:
        """Keep what is written meanwhile for `paint`: results, and notes that a terminal gets."""
        output = self._output
        stdout, stderr = output.stdout, output.stderr
        sheet, notes = Sheet(), Sheet()
        output.stdout = sheet
        if stderr.isatty():
            output.stderr = notes
        try:
            yield
        finally:
            output.stdout, output.stderr = stdout, stderr
            # During an outage the last result stays to be read.
            self._body = sheet.getvalue() or self._body
            self._notes = notes.getvalue()

    def paint(self, title: str) -> None:
        """Show the last round below *title*."""
        size = shutil.get_terminal_size()
        lines = composed(
            title,
            self._body.splitlines(),
            self._notes.splitlines(),
            rows=size.lines,
            columns=size.columns,
        )
        painted = "\n".join(line + REST_OF_LINE for line in lines)
        self._write(HOME + painted + REST_OF_SCREEN)

    def _write(self, text: str) -> None:
        stream: TextIO = self._output.stdout
        stream.write(text)
        stream.flush()


def composed(
    title: str, body: Sequence[str], notes: Sequence[str], *, rows: int, columns: int
) -> list[str]:
    """Return the *rows* of a screen: the title, the notes, and of *body* as much as there is
    room for."""
    note_lines = [line for note in notes for line in textwrap.wrap(note, columns)]
    if 1 + len(note_lines) + len(body) > rows:
        # What there is room for is worth more than how it is spaced.
        note_lines = list(notes[: rows // NOTES_SHARE])
        body = [line for line in body if line.strip()]
    room = rows - 1 - len(note_lines)
    shown = list(body[:room])
    if len(body) > room:
        hidden = len(body) - room + 1
        shown[-1:] = [f"… {hidden} more lines than this terminal has"]
    return [title, *note_lines, *shown]
