"""What is being moved, as tables for a terminal."""

from collections.abc import Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from cluster.model.ids import BrokerId
from kadmin.plan.reassignment.dir_moves import DirMove
from kadmin.plan.reassignment.moves import Move
from kadmin.plan.reassignment.sizes import Ends, Sizes, bytes_left, lags
from kadmin.render.tables import FittedTable, Screen, Shown, shortened_paths, table_of
from kadmin.wording import amount

LAG: Final = "lag in records"


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
    return table_of(
        moves,
        Shown("moving", lambda move: str(move.partition), least=24),
        Shown("replicas", lambda move: ids_text(move.before.replicas), worth=1),
        Shown("adding", lambda move: ids_text(move.destinations)),
        Shown("removing", lambda move: ids_text(move.removing), worth=2),
        Shown("left", lambda move: left_text(bytes_left(move, sizes)), right=True),
        Shown(
            LAG,
            lambda move: lag_text(max(lags(move, ends).values(), default=None)),
            right=True,
            worth=3,
        ),
    )


def dirs_table(dirs: Sequence[DirMove]) -> FittedTable:
    paths = shortened_paths({path for move in dirs for path in (move.path or "-", move.target)})
    return table_of(
        dirs,
        Shown("replica", lambda move: str(move.replica), least=24),
        Shown("from", lambda move: paths[move.path or "-"], least=16, worth=1),
        Shown("to", lambda move: paths[move.target], least=16),
        Shown("left", lambda move: left_text(move.bytes_left), right=True),
        Shown(LAG, lambda move: lag_text(move.lag_records), right=True, worth=3),
    )


def left_text(size_bytes: int | None) -> str:
    return "-" if size_bytes is None else amount(size_bytes)


def lag_text(records: int | None) -> str:
    return "-" if records is None else f"{records:,}"


def ids_text(ids: Sequence[BrokerId]) -> str:
    return ",".join(map(str, ids)) or "-"
