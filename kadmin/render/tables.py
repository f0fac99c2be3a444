"""Tables on a terminal: how do all of them look?"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import (
    Console,
    ConsoleOptions,
    JustifyMethod,
    RenderableType,
    RenderResult,
)
from rich.table import Table
from rich.text import Text

from kadmin.render.visible import visible_lines

GAP = "  "
"""Between phrases."""

COLUMN_GAP = 3
"""Between columns: rich pads each by one on both sides of a separator, here a space."""

Cell: TypeAlias = str | Text


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases beside each other, with line breaks only between them."""

    phrases: Sequence[Text]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for phrase in self.phrases:
            gap = len(GAP) if line else 0
            if line and line.cell_len + gap + phrase.cell_len > options.max_width:
                yield line
                line, gap = Text(), 0
            line = line + Text(" " * gap) + phrase
        yield line


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a `FittedTable`.

    *worth* says when it is left out, those that are worth least first; None is never.  *least* is
    the width down to which its cells are broken before a column is left out, and further where
    none is left that may be; None is for cells that never are.
    """

    heading: str
    justify: JustifyMethod
    worth: int | None
    least: int | None


class FittedTable:
    """A table that leaves out whole columns where the terminal has no room for them.

    In kadmin's one style: a dim head over a line, no frame, no blank lines.
    """

    def __init__(self, *headings: str) -> None:
        self._columns: list[Column] = []
        self._rows: list[tuple[Sequence[Cell], str | None]] = []
        for heading in headings:
            self.add_column(heading)

    def add_column(
        self,
        heading: str,
        *,
        justify: JustifyMethod = "left",
        worth: int | None = None,
        least: int | None = None,
    ) -> None:
        self._columns.append(Column(heading=heading, justify=justify, worth=worth, least=least))

    def add_row(self, *cells: Cell, style: str | None = None) -> None:
        """One cell for each column."""
        assert len(cells) == len(self._columns)
        # Before anything is measured: an escape is wider than the character for which it stands.
        self._rows.append((tuple(map(harmless, cells)), style))

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """The table within *width*, and the headings of what is left out.

        Where what stays is wider all the same, those cells are broken that may be.
        """
        widths = [
            max(map(width_of, (column.heading, *(cells[number] for cells, _ in self._rows))))
            for number, column in enumerate(self._columns)
        ]
        least = [
            widths[number] if column.least is None else min(column.least, widths[number])
            for number, column in enumerate(self._columns)
        ]
        kept = list(range(len(self._columns)))
        by_worth = sorted(
            (column.worth, -number)
            for number, column in enumerate(self._columns)
            if column.worth is not None
        )
        for _, number in by_worth:
            if sum(least[each] for each in kept) + COLUMN_GAP * (len(kept) - 1) <= width:
                break
            kept.remove(-number)
        table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
        for number in kept:
            column = self._columns[number]
            table.add_column(
                column.heading,
                justify=column.justify,
                no_wrap=column.least is None,
                overflow="fold",
            )
        for cells, style in self._rows:
            table.add_row(*(cells[number] for number in kept), style=style)
        left_out = [
            column.heading for number, column in enumerate(self._columns) if number not in kept
        ]
        return table, left_out

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Screen([self])


@dataclass(frozen=True, slots=True)
class Screen:
    """Parts one below the other; which columns the tables leave out is said once, at the end."""

    parts: Sequence[RenderableType]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        left_out: dict[str, None] = {}
        for part in self.parts:
            if isinstance(part, FittedTable):
                table, headings = part.fitted(options.max_width)
                left_out |= dict.fromkeys(headings)
                yield table
            else:
                yield part
        if left_out:
            yield Text(
                f"left out at {options.max_width} columns: {', '.join(left_out)}"
                " (--output json has all)",
                "dim",
            )


def harmless(cell: Cell) -> Cell:
    """*cell*, which does nothing to a terminal."""
    plain = cell if isinstance(cell, str) else cell.plain
    shown = visible_lines(plain)
    if shown == plain:
        return cell
    return shown if isinstance(cell, str) else Text(shown, cell.style)


def width_of(cell: Cell) -> int:
    """The width of the widest line of *cell*."""
    text = cell if isinstance(cell, str) else cell.plain
    return max(map(cell_len, text.split("\n")))
