"""How do all tables on a terminal look?"""

from rich.box import SIMPLE_HEAD
from rich.table import Table


def new_table(*columns: str) -> Table:
    """An empty table in kadmin's one style: a dim head over a line, no frame, no blank lines."""
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim")
    for column in columns:
        table.add_column(column)
    return table
