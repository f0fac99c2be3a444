"""Moves between log directories: who is where, who goes where, and what cannot be?"""

from dataclasses import replace

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId
from kadmin.plan.log_dirs import LogDir, LogDirs, ReplicaLog
from kadmin.plan.reassignment.dir_moves import (
    DirMove,
    Replica,
    dir_moves,
    dir_problems,
    given_up,
    running_dir_moves,
    taken_back,
)
from kadmin.plan.reassignment.progress import Progress
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.plan.reassignment.targets import Target
from tests.kadmin.builders import ids
from tests.kadmin.plan.reassignment.builders import part


def log(name: str, size_bytes: int, *, future: bool = False) -> ReplicaLog:
    lag_records = 12 if future else 3
    return ReplicaLog(
        partition=part(name), size_bytes=size_bytes, lag_records=lag_records, is_future=future
    )


LOG_DIRS: LogDirs = {
    BrokerId(1): [
        LogDir(path="/a", replicas=(log("t-0", 100), log("t-1", 100), log("t-2", 100))),
        LogDir(path="/b", replicas=(log("t-1", 40, future=True), log("u-0", 7))),
    ],
    BrokerId(2): [
        LogDir(path="/a", error_code=ErrorCode.KAFKA_STORAGE_ERROR),
        LogDir(path="/b", replicas=(log("t-0", 90),)),
    ],
}


def wanted(**paths: str) -> dict[Replica, DirMove]:
    """`t_0_1="/b"` has the replica of t-0 on broker 1 be in /b."""
    targets = {}
    for name, path in paths.items():
        topic, number, broker = name.split("_")
        targets[part(f"{topic}-{number}")] = Target(ids(broker), (path,))
    return {move.replica: move for move in dir_moves(targets, LOG_DIRS)}


@pytest.mark.parametrize(
    ("replica", "path", "progress", "is_asked", "left", "line"),
    [
        ("t_0_1", "/a", Progress.DONE, False, 0, "of replica t-0-1 completed successfully."),
        ("t_0_1", "/b", Progress.MISMATCH, True, 100, "t-0 on broker 1 is not being moved from"),
        ("t_1_1", "/b", Progress.MOVING, False, 60, "of replica t-1-1 is still in progress."),
        ("t_1_1", "/c", Progress.MOVING, True, 100, "is being moved to log dir /b instead of /c."),
        # Back to where it is: what is on its way has to be given up.
        ("t_1_1", "/a", Progress.MOVING, True, 100, "is being moved to log dir /b instead of /a."),
        ("u_1_1", "/b", Progress.MISSING, True, 0, "cannot be found in any live log directory on"),
        ("t_1_2", "/b", Progress.MISSING, True, 0, "There is likely an offline log directory on"),
        ("t_0_3", "/b", Progress.MISSING, True, 0, "cannot be found in any live log directory on"),
    ],
)
def test_a_replica_is_where_it_is_to_be_or_not(
    replica: str, path: str, progress: Progress, is_asked: bool, left: int, line: str
) -> None:
    (move,) = wanted(**{replica: path}).values()

    assert move.lag_records == (12 if progress is Progress.MOVING else None)

    assert progress is move.progress
    assert is_asked is move.is_asked
    assert left == move.bytes_left
    assert line in str(move)


def test_replicas_come_in_order_of_broker_and_those_of_any_directory_are_none() -> None:
    targets = {
        part("t-0"): Target(ids("2,1"), ("/b", "/a")),
        part("t-10"): Target(ids("1,2"), ("/b", "any")),
        part("t-9"): Target(ids("1"), ("/b",)),
        part("u-0"): Target(ids("1")),
    }

    assert ["t-0-1", "t-9-1", "t-10-1", "t-0-2"] == [
        str(move.replica) for move in dir_moves(targets, LOG_DIRS)
    ]


def test_what_brokers_do_not_have_is_told_with_all_replicas() -> None:
    moves = wanted(t_0_1="/c", t_1_1="/c", t_2_2="/a", u_0_3="/a", u_1_1="/b").values()

    assert [
        "broker 3 does not list its log directories: u-0-3",
        "log directory /c of broker 1 is none of its (/a, /b): t-0-1, t-1-1",
        "log directory /a of broker 2 has failed (/b): t-2-2",
    ] == list(dir_problems(moves, LOG_DIRS))


def test_what_is_being_copied_is_found_and_goes_back_to_where_it_is() -> None:
    (move,) = running_dir_moves(LOG_DIRS)
    (back,) = given_up([move])

    assert ("t-1-1", "/a", "/b", "/b", 60) == (
        str(move.replica),
        move.path,
        move.future,
        move.target,
        move.bytes_left,
    )
    assert ("/a", True) == (back.target, back.is_asked)
    assert () == given_up([replace(move, path=None)])


def test_a_rollback_names_the_directories_that_replicas_are_taken_from() -> None:
    moves = wanted(t_0_1="/b", u_1_1="/b").values()
    before = {part("t-0"): Target(ids("1,2")), part("u-1"): Target(ids("1"))}

    assert {
        part("t-0"): Target(ids("1,2"), ("/a", "any")),
        part("u-1"): Target(ids("1"), ("any",)),
    } == taken_back(before, moves)


def test_what_is_being_copied_counts_for_no_replica() -> None:
    assert {1: 100} == sizes_of(LOG_DIRS)[part("t-1")]
    assert {1: 100, 2: 90} == sizes_of(LOG_DIRS)[part("t-0")]
