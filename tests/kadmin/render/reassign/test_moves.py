"""Reassignments: how much of a plan is shown, and do all forms tell of log directories?"""

from dataclasses import replace
from typing import Any

import pytest

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.topic import PartitionAssignment
from kadmin.plan.reassignment.dir_moves import DirMove, Replica, given_up
from kadmin.plan.reassignment.moves import Move, MovePlan, StartedMoves
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.status import PartitionProgress
from kadmin.plan.reassignment.targets import Target
from kadmin.render.output import Document
from kadmin.render.reassign.cancellation import cancellation_lines, cancelled_document
from kadmin.render.reassign.moves import (
    list_document,
    list_lines,
    plan_lines,
    started_document,
    verify_document,
)

OLD, NEW = BrokerId(1), BrokerId(2)


def moves_under_way(count: int) -> MovePlan:
    moves = tuple(
        Move(
            partition=TopicPartition("t", number),
            before=PartitionAssignment((OLD, NEW), adding=(NEW,), removing=(OLD,)),
            target=Target((OLD,)),
            leader=OLD,
            heading=(NEW,),
        )
        for number in range(count)
    )
    return MovePlan(moves=moves, before={})


def test_a_question_shows_some_of_what_is_given_up_and_a_dry_run_all() -> None:
    many = moves_under_way(23)

    asked = list(cancellation_lines(many))
    dry_run = list(cancelled_document(many, (), (), None, is_dry_run=True).lines())

    assert "  … and 3 more (--dry-run shows all)" == asked[-1]
    assert 1 + 20 + 1 == len(asked)
    assert [
        "plan: 23 moves are cancelled; their partitions keep the previous replicas, in this order",
        *(f"  t-{number}: 1,2 -> 1" for number in range(23)),
    ] == dry_run


GOING = DirMove(
    replica=Replica(NEW, TopicPartition("t", 1)),
    target="/b",
    path="/a",
    size_bytes=3072,
    future="/b",
    future_size_bytes=1024,
    lag_records=7,
)
TO_COME = DirMove(replica=Replica(NEW, TopicPartition("t", 0)), target="/b")
PLAN = replace(moves_under_way(1), dir_moves=(TO_COME, replace(GOING, target="/c")))
JUDGED = PartitionProgress(
    partition=TopicPartition("t", 0), progress=Progress.MOVING, replicas=(OLD, NEW), target=(NEW,)
)


@pytest.mark.parametrize(
    ("document", "rows"),
    [
        (
            started_document(
                StartedMoves(
                    plan=PLAN,
                    partitions=[TopicPartition("t", 0)],
                    replicas=[TO_COME.replica],
                    rate=None,
                    dir_rate=5,
                    rollback_file=None,
                )
            ),
            [
                ("t", 0, "started", "1,2", "1", "", "2", None, None),
                ("t", 0, "started", None, "/b", None, None, 2, None),
                ("t", 1, "not started", None, "/c", None, None, 2, "/a"),
            ],
        ),
        (
            cancelled_document(PLAN, [], [GOING.replica], None, is_dry_run=False),
            [
                ("t", 0, "not cancelled", "1,2", "1", "", "2", None, None),
                ("t", 0, "not cancelled", None, "/b", None, None, 2, None),
                ("t", 1, "cancelled", None, "/c", None, None, 2, "/a"),
            ],
        ),
        (
            verify_document([JUDGED], [GOING], None),
            [
                ("t", 0, "moving", "1,2", "2", None, None),
                ("t", 1, "moving", None, "/b", 2, "/a"),
            ],
        ),
        (
            list_document(PLAN.moves, [GOING], {}, {}),
            [
                ("t", 0, "1,2", "", "2", "1", None, None, None, None),
                ("t", 1, None, None, None, "/b", 2048, 7, 2, "/a"),
            ],
        ),
    ],
    ids=["execute", "cancel", "verify", "list"],
)
def test_rows_and_objects_tell_of_log_directories(
    document: Document, rows: list[tuple[object, ...]]
) -> None:
    body: Any = document.body()

    assert rows == list(document.rows())
    assert {len(document.columns)} == set(map(len, rows))
    of_dirs = [row for row in rows if row[-2] is not None]
    assert [(row[1], row[-1]) for row in of_dirs] == [
        (each["partition"], each["log_dir"]) for each in body["log_dirs"]
    ]


def test_lines_tell_of_log_directories() -> None:
    dirs_alone = MovePlan(moves=(), before={}, dir_moves=PLAN.dir_moves)

    assert [
        "plan: 2 replicas go to log directories that are asked for, 3.0 KiB to copy there",
        "  t-0-2: to come -> /b",
        "  t-1-2: /a -> /c",
    ] == list(plan_lines(dirs_alone, {}))
    assert [
        "plan: 1 replica stays in the previous log directory",
        "  t-1-2: /b -> /a",
    ] == list(cancellation_lines(replace(dirs_alone, dir_moves=given_up([GOING]))))
    assert [
        "No partition reassignments found.",
        "Current log directory moves:",
        "t-1-2: /a -> /b. left: 2.0 KiB. lag: 7 records.",
    ] == list(list_lines([], [GOING], {}, {}))
