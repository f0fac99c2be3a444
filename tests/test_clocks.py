"""Which modules read a wall clock, and what for: durations are not among it.

A wall clock is set forward and back, by people, by NTP, by a machine that goes on after a while.
What it says may be written down, shown, or compared with what others wrote down.
"""

import ast
import re
from collections.abc import Iterator
from typing import Final

import pytest

from tests.tidy import PACKAGES, sources

WATCHED: Final = (*PACKAGES, "tests/sim")
"""The simulator proves nothing if it reads a clock that is not its own."""

READERS: Final = {
    ("time", "time"),
    ("time", "time_ns"),
    ("time", "localtime"),
    ("time", "gmtime"),
    ("time", "ctime"),
    ("time", "asctime"),
    ("time", "strftime"),
    ("datetime", "now"),
    ("datetime", "today"),
    ("datetime", "utcnow"),
    ("date", "today"),
}
"""Of the standard library, by the name in front of the dot."""

READS: Final = re.compile(rf"\.({'|'.join(sorted({name for _, name in READERS}))})\b")
ASKS_PORT: Final = re.compile(r"\.wall_ms\b")

ALLOWED: Final = {
    # Ports and files.
    "cluster.runtime.environment": "the port: `wall_ms`",
    "cluster.runtime.disk.files": "a file's age: the kernel has written its time down",
    "cluster.runtime.hourly_logs": "the names of log files",
    "cluster.runtime.reporters.polled": "when metrics were measured, for Graphite and for people",
    "kadmin.local.server": "a process's age where there is no /proc: by its pid file",
    "kadmin.admin.oauth": "until when a token is valid",
    "kadmin.cli.rollback": "the name of a file",
    "kadmin.execute.supervision.reading": "when a run began and ended, for people",
    "kadmin.admin.zookeeper.old_member": "the name of a consumer, and since when it is registered",
    "kadmin.execute.reassign": "since when a lease of throttles is there, for people",
    # What is shown, or compared with the times of records, znodes and lines.
    "kadmin.app.evidence": "registrations and states have times",
    "kadmin.app.migration": "since when a phase lasts, and offsets of old consumers are unwritten",
    "kadmin.app.zookeeper_clients": "how old the offsets of old consumers are",
    "kadmin.app.snapshots": "when a snapshot was taken",
    "kadmin.cli.delete_records": "--before-time -2h",
    "kadmin.app.groups": "how long a record has been unread",
    "kadmin.cli.merge_logs.option_values": "--start -2h",
    "kadmin.cli.offsets": "--time -2h",
    "kadmin.cli.records.consume": "--offset @-2h",
    "kadmin.cli.reassign.plan": "when a plan was made",
    "kadmin.cli.verify_replicas.live": "--time, and the time of each line",
    "kadmin.records.perf.clock": "when a test began; how old the records are that it reads",
    "kadmin.cli.watching": "the time above what is shown",
}

WALL_MS: Final = {
    "cluster.api.flat_commit": "when offsets are committed",
    "cluster.api.list_offsets": "when segments were written to",
    "cluster.api.produce": "the times of records",
    "cluster.broker.replica_manager.appending": "the times of records",
    "cluster.group.context": "its core is given it",
    "cluster.group.core": "its core is given it",
    "cluster.group.ownership": "since when a group is in its state",
    "cluster.group.rebalance": "since when a group is in its state",
    "cluster.group.removal": "since when a group is in its state",
    "cluster.group.syncing": "the timestamps of stored groups",
    "cluster.api.offset_commit": "when offsets are committed, which retention goes by",
    "cluster.broker.coordinators.group_service": "the times of records, and of groups in them",
    "cluster.runtime.disk.settled_clock": "retention, by the times of records",
    "cluster.runtime.controller.controller": "the timestamp of /controller",
    "cluster.runtime.disk.log_scheduler": "retention, by the times of records",
    "cluster.runtime.process": "since when the controller's figures are counted, for people",
    "cluster.storage.cleaner.compaction": "until when tombstones stay, by retention's clock",
    "cluster.runtime.zookeeper.membership": "the timestamp of the registration",
    "tests.sim.clients": "the times of records",
    "tests.sim.controller": "the timestamp of /controller",
    "tests.sim.ports": "its port",
    "tests.sim.process": "the timestamp of the registration, files, retention",
}
"""Who asks the port, `cluster.broker.ports.Clock`, or has what it said."""


def reads(text: str) -> bool:
    return any(
        (last_name(node.value), node.attr) in READERS for node in attributes(text, READS)
    ) or any(("time", name) in READERS for name in imported_from_time(text))


def imported_from_time(text: str) -> Iterator[str]:
    if "from time import" in text:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module == "time":
                yield from (alias.name for alias in node.names)


def last_name(node: ast.expr) -> str | None:
    match node:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return None


def asks_port(text: str) -> bool:
    return any(node.attr == "wall_ms" for node in attributes(text, ASKS_PORT))


def attributes(text: str, looks_like: re.Pattern[str]) -> Iterator[ast.Attribute]:
    """Those of a module that may matter: parsed is only what *looks_like* finds something in."""
    if looks_like.search(text):
        nodes = ast.walk(ast.parse(text))
        yield from (node for node in nodes if isinstance(node, ast.Attribute))


def test_no_other_module_reads_a_wall_clock() -> None:
    assert {name for name, text in sources(WATCHED).items() if reads(text)} == ALLOWED.keys()


def test_no_other_module_asks_a_broker_for_the_wall_clock() -> None:
    assert {name for name, text in sources(WATCHED).items() if asks_port(text)} - {
        # A client of ZooKeeper carries it there.
        "cluster.coordination.writes"
    } == WALL_MS.keys()


@pytest.mark.parametrize(
    ("code", "is_found"),
    [
        ("import time\nbegan = time.time()", True),
        ("later(time.time_ns)", True),
        ("datetime.now(UTC)", True),
        ("datetime.datetime.now()", True),
        ("time.monotonic()", False),
        ("datetime.fromtimestamp(0)", False),
    ],
)
def test_a_reader_is_found(code: str, is_found: bool) -> None:
    assert reads(code) is is_found
