"""Tables on a terminal: how do all of them look?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

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


@dataclass(frozen=True, slots=True)
class Forms:
    """A cell in shorter and shorter forms: the first one that fits is shown."""

    forms: Sequence[Text]


Cell: TypeAlias = str | Text | Forms
Row = TypeVar("Row")


def shortened(words: Sequence[Sequence[str]], style: str = "", *, separator: str = ", ") -> Forms:
    """Return a cell of *words*, which are worth less and less.

    Each has its own forms, longest first.

    Where the shortest forms of all are too long, the last words are only counted.
    """
    depth = max((len(forms) for forms in words), default=0)
    texts = [
        separator.join(forms[min(level, len(forms) - 1)] for forms in words)
        for level in range(depth)
    ]
    short = [forms[-1] for forms in words]
    texts += [
        f"{separator.join(short[:count])}{separator}+{len(short) - count}"
        for count in range(len(short) - 1, 0, -1)
    ]
    return Forms([Text(text, style) for text in texts or [""]])


def shortened_paths(paths: Iterable[str]) -> Mapping[str, Forms]:
    """Return a cell for each of *paths*: without the directories that all of them begin with
    where there is no room, so that they stay different."""
    parts = {path: path.split("/") for path in paths}
    lists = list(parts.values())
    common = 0
    while lists and all(len(each) > common + 1 for each in lists):
        if len({each[common] for each in lists}) > 1:
            break
        common += 1
    if len(lists) == 1:
        common = min(common, len(lists[0]) - 2)
    return {
        path: Forms([Text(path), *([Text("/".join(["…", *each[common:]]))] if common > 1 else [])])
        for path, each in parts.items()
    }


@dataclass(frozen=True, slots=True)
class Phrases:
    """Phrases beside each other, with line breaks only between them.

    Lines after the first begin *indent* further to the right.
    """

    phrases: Sequence[Text]
    gap: str = GAP
    indent: int = 0

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        line = Text()
        for phrase in self.phrases:
            gap = self.gap if line else ""
            if line and line.cell_len + len(gap) + phrase.cell_len > options.max_width:
                yield line
                line, gap = Text(), " " * self.indent
            line = line + Text(gap) + phrase
        yield line


@dataclass(frozen=True, slots=True)
class Labelled:
    """A text whose lines all begin behind its label."""

    label: Text
    text: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        indent = self.label.cell_len
        head = self.label
        for line in self.text.wrap(console, max(options.max_width - indent, 1)):
            yield head + line
            head = Text(" " * indent)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column of a `FittedTable`.

    *worth* decides when it is left out, those that are worth least first; None is never.  *least*
    is the width down to which its cells are broken before a column is left out, and further where
    none is left that may be; None is for cells that never are.  For a cell that has forms it is the
    width down to which shorter forms are chosen; it is broken only where the shortest is wider.
    """

    heading: str
    justify: JustifyMethod
    worth: int | None
    least: int | None


@dataclass(frozen=True, slots=True)
class Shown(Generic[Row]):
    """A column of a table of rows: its heading, its cell in each row, and how it is fitted."""

    heading: str
    cell: Callable[[Row], Cell]
    right: bool = False
    worth: int | None = None
    least: int | None = None


def table_of(rows: Iterable[Row], *columns: Shown[Row] | None) -> "FittedTable":
    """Return the table of *rows*; a column that is None is not there."""
    shown = [column for column in columns if column is not None]
    table = FittedTable()
    for column in shown:
        table.add_column(
            column.heading,
            justify="right" if column.right else "left",
            worth=column.worth,
            least=column.least,
        )
    for row in rows:
        table.add_row(*(column.cell(row) for column in shown))
    return table


def dashed(value: object) -> str:
    """Return *value* as a cell, with a dash for none."""
    return "-" if value is None else str(value)


class FittedTable:
    """A table that leaves out whole columns where the terminal has no room for them.

    In kadmin's one style: a dim head over a line, no frame, no blank lines.  A column without a
    heading is shown only where one of its cells is not empty.  Without *has_head* it continues
    another one with the same columns.
    """

    def __init__(self, *headings: str, has_head: bool = True) -> None:
        self._has_head = has_head
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

    @property
    def column_count(self) -> int:
        return len(self._columns)

    def add_row(self, *cells: Cell, style: str | None = None) -> None:
        """Add a row with one cell for each column."""
        assert len(cells) == len(self._columns)
        # Before anything is measured: an escape is wider than the character for which it stands.
        self._rows.append((tuple(map(harmless, cells)), style))

    def fitted(self, width: int) -> tuple[Table, list[str]]:
        """Return the table within *width*, and the headings of what is left out.

        Where what stays is wider all the same, those cells are broken that may be.
        """
        columns = range(len(self._columns))
        cells = [[row[number] for row, _ in self._rows] for number in columns]
        natural = [
            max(width_of(column.heading), *map(width_of, cells[number]), 0)
            for number, column in enumerate(self._columns)
        ]
        least = [
            natural[number] if column.least is None else min(column.least, natural[number])
            for number, column in enumerate(self._columns)
        ]
        kept = [number for number in columns if natural[number] > 0]
        by_worth = sorted(
            (column.worth, -number)
            for number, column in enumerate(self._columns)
            if column.worth is not None and number in kept
        )
        left_out = []
        for _, number in by_worth:
            if sum(least[each] for each in kept) + COLUMN_GAP * (len(kept) - 1) <= width:
                break
            kept.remove(-number)
            left_out.append(-number)
        room = width - COLUMN_GAP * (len(kept) - 1)
        widths = dict(
            zip(kept, shared([(least[each], natural[each]) for each in kept], room), strict=True)
        )
        table = Table(
            box=SIMPLE_HEAD,
            show_header=self._has_head,
            show_edge=False,
            pad_edge=False,
            header_style="dim",
        )
        for number in kept:
            column = self._columns[number]
            table.add_column(
                column.heading,
                justify=column.justify,
                no_wrap=column.least is None,
                overflow="fold",
            )
        for row, style in self._rows:
            table.add_row(*(form_of(row[number], widths[number]) for number in kept), style=style)
        return table, [self._columns[number].heading for number in sorted(left_out)]

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


def shared(columns: Sequence[tuple[int, int]], room: int) -> list[int]:
    """Return the widths of *columns*, each with its least and its natural one, in *room*: the
    widest give first, none more than it can."""
    widths = [natural for _, natural in columns]
    while sum(widths) > room:
        able = [number for number, (least, _) in enumerate(columns) if widths[number] > least]
        if not able:
            break
        widths[max(able, key=lambda number: widths[number])] -= 1
    return widths


def form_of(cell: Cell, width: int) -> str | Text:
    """Return the first form of *cell* that is no wider than *width*, or the shortest."""
    if not isinstance(cell, Forms):
        return cell
    return next((form for form in cell.forms if width_of(form) <= width), cell.forms[-1])


def harmless(cell: Cell) -> Cell:
    """Return *cell*, which does nothing to a terminal."""
    if isinstance(cell, Forms):
        return Forms([harmless_text(form) for form in cell.forms])
    return visible_lines(cell) if isinstance(cell, str) else harmless_text(cell)


def harmless_text(text: Text) -> Text:
    shown = visible_lines(text.plain)
    return text if shown == text.plain else Text(shown, text.style)


def width_of(cell: Cell) -> int:
    """Return the width of the widest line of *cell*, in its longest form."""
    if isinstance(cell, Forms):
        return max(map(width_of, cell.forms))
    text = cell if isinstance(cell, str) else cell.plain
    return max(map(cell_len, text.split("\n")))
