"""Tables on a terminal: how do all of them look?"""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

GAP = "  "


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


def new_table(*columns: str) -> Table:
    """An empty table in kadmin's one style: a dim head over a line, no frame, no blank lines."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column)
    return table
