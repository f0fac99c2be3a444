"""What is being moved, as tables for a terminal."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from cluster.model.ids import BrokerId
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.moves import Move
from kadmin.plan.reassignment.sizes import Ends, Sizes, bytes_left, lags
from kadmin.render.tables import Cell, FittedTable, Screen, shortened_paths
from kadmin.wording import amount


def list_tables(
    moves: Sequence[Move], dirs: Sequence[DirMove], sizes: Sizes, ends: Ends
) -> RenderableType:
    parts: list[RenderableType] = []
    if moves:
        # What has the most to copy first: the end of a long list is cut off while it is watched.
        unfinished_first = sorted(moves, key=lambda move: -(bytes_left(move, sizes) or 0))
        parts.append(moves_table(unfinished_first, sizes, ends))
    if dirs:
        dirs = sorted(dirs, key=lambda move: -move.bytes_left)
        parts += [Text("between log directories", "bold"), dirs_table(dirs)]
    return Screen(parts)


def moves_table(moves: Sequence[Move], sizes: Sizes, ends: Ends) -> FittedTable:
    table = FittedTable()
    table.add_column("moving", least=24)
    table.add_column("replicas", worth=1)
    table.add_column("adding")
    table.add_column("removing", worth=2)
    add_rest(table)
    for move in moves:
        behind = max(lags(move, ends).values(), default=None)
        table.add_row(
            str(move.partition),
            *map(ids_text, (move.before.replicas, move.destinations, move.removing)),
            *rest(bytes_left(move, sizes), behind),
        )
    return table


def dirs_table(dirs: Sequence[DirMove]) -> FittedTable:
    table = FittedTable()
    table.add_column("replica", least=24)
    table.add_column("from", least=16, worth=1)
    table.add_column("to", least=16)
    add_rest(table)
    paths = shortened_paths({path for move in dirs for path in (move.path or "-", move.target)})
    for move in dirs:
        table.add_row(
            str(move.replica),
            paths[move.path or "-"],
            paths[move.target],
            *rest(move.bytes_left, move.lag_records),
        )
    return table


def add_rest(table: FittedTable) -> None:
    table.add_column("left", justify="right")
    table.add_column("lag in records", justify="right", worth=3)


def rest(left_bytes: int | None, lag_records: int | None) -> tuple[Cell, Cell]:
    """What there is to do still; a dash where nobody tells."""
    return (
        "-" if left_bytes is None else amount(left_bytes),
        "-" if lag_records is None else f"{lag_records:,}",
    )


def ids_text(ids: Sequence[BrokerId]) -> str:
    return ",".join(map(str, ids)) or "-"
