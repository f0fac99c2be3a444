"""What is being moved, on a terminal: is it a table, and is what counts there on a narrow one?"""

import pytest

from cluster.model.ids import BrokerId
from kadmin.plan.reassignment.dir_moves import DirMove, Replica
from kadmin.plan.reassignment.moves import running_moves
from kadmin.render.output import Output
from kadmin.render.reassign.moves import list_document, list_total
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.reassignment.builders import part
from tests.kadmin.render.terminal import FakeTerminal

MOVES = running_moves(
    cluster(
        brokers("0 1 2 3"),
        topic("orders-of-a-continent", "3,0,1 2,1", adding="3", removing="0"),
        moving={part("orders-of-a-continent-1"): (BrokerId(2), BrokerId(0))},
    )
)
FIRST = part("orders-of-a-continent-0")
SIZES = {FIRST: {BrokerId(0): 3 << 20, BrokerId(1): 3 << 20, BrokerId(3): 1 << 20}}
ENDS = {FIRST: {BrokerId(0): 9000, BrokerId(1): 9000, BrokerId(3): 1000}}
DIR_MOVE = DirMove(
    replica=Replica(BrokerId(0), part("t-0")),
    target="/data/b",
    path="/data/a",
    future="/data/b",
    size_bytes=10,
)


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (
            100,
            [
                "moving                    replicas   adding   removing      left   lag in records",
                "orders-of-a-continent-0   3,0,1      3        0          2.0 MiB            8,000",
                "orders-of-a-continent-1   2,1        0        1                -                -",
            ],
        ),
        (
            60,
            [
                "moving                    adding      left   lag in records",
                "orders-of-a-continent-0   3        2.0 MiB            8,000",
                "orders-of-a-continent-1   0              -                -",
            ],
        ),
    ],
)
def test_on_a_terminal_it_is_a_table_that_fits(
    width: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(list_document(MOVES, [], SIZES, ENDS))

    shown = [line.rstrip() for line in terminal.getvalue().splitlines() if "─" not in line]
    assert expected == shown[: len(expected)]


def test_moves_between_directories_have_a_table_of_their_own() -> None:
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(list_document([], [DIR_MOVE], {}, {}))

    assert [
        "between log directories",
        "replica   from      to        left   lag in records",
        "t-0-0     /data/a   /data/b   10 B                -",
    ] == [line.rstrip() for line in terminal.getvalue().splitlines() if "─" not in line]


def test_where_nothing_moves_it_is_a_sentence() -> None:
    terminal = FakeTerminal()
    Output(color=False, stdout=terminal).show(list_document([], [], {}, {}))

    assert "No partition reassignments found.\n" == terminal.getvalue()


def test_a_total_tells_what_is_left_and_what_has_ended_meanwhile() -> None:
    moves = running_moves(cluster(brokers("1 2 3"), topic("t", "1,2,3", adding="3", removing="1")))
    sizes = {part("t-0"): {BrokerId(1): 5 << 20, BrokerId(2): 5 << 20, BrokerId(3): 1 << 20}}

    assert "moving: 1 partition" == list_total(moves, [], {})
    assert "moving: 1 partition; 4.0 MiB left" == list_total(moves, [], sizes)
    assert "moving: 1 partition; 4.0 MiB left; 1,321 ended since this watch began" == list_total(
        moves, [], sizes, ended=1321
    )
    two = [*moves, *running_moves(cluster(brokers("1 2"), topic("u", "1,2", adding="2")))]
    assert "moving: 2 partitions; at least 4.0 MiB left" == list_total(two, [], sizes)
    assert "moving: nothing; 1 ended since this watch began" == list_total([], [], {}, ended=1)
