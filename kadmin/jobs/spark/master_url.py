"""The URL of a Spark master: is it one, is one there, and which jobs are meant for it?

Asks only whether its port takes connections; starts nothing.
"""

import re
import socket
from collections.abc import Mapping
from typing import Final

from kadmin.errors import UnreachableError, UsageError

SMALL_BYTES: Final = 8 << 30
"""Less is read by processes of this machine sooner than by Spark on it."""

CONNECT_TIMEOUT_S: Final = 5.0
PORT_MAX: Final = 65_535

ADDRESS: Final = re.compile(r"(?P<host>[^/:]+|\[[0-9a-fA-F:.]+\]):(?P<port>[0-9]{1,5})")

LOCAL: Final = re.compile(r"local(?:\[([0-9]+|\*)\])?")

MASTER: Final = re.compile(
    r"local|local\[(N|\*)(\s*,\s*N)?\]|local-cluster\[(\s*N\s*,){2}\s*N\s*\]|yarn"
    r"|(spark|k8s)://.+".replace("N", r"0*[1-9]\d{0,5}"),
    re.ASCII,
)
"""As Spark's SparkContext takes it, and its SparkSubmit before."""

TASK_FAILURES_MAX: Final = "4"
"""Spark's own number for clusters; on one machine it gives up at the first failure."""


def is_master(text: str) -> bool:
    """Return whether Spark would understand it; no connection is opened."""
    return MASTER.fullmatch(text) is not None


def is_local(master: str) -> bool:
    """Return whether it is threads of one JVM on this machine that do the work."""
    return re.fullmatch(r"local(\[[^]]*])?", master) is not None


def is_for_spark(
    master: str | None,
    conf: Mapping[str, str],
    size_bytes: int,
    small_bytes: int = SMALL_BYTES,
) -> bool:
    """Return whether a job over *size_bytes* is meant for Spark's *master* with *conf*, its
    settings.

    On this machine only what is not small, unless a setting asks for Spark.
    """
    if master is None:
        return False
    return bool(conf) or not is_local(master) or size_bytes >= small_bytes


def local_cores(master: str) -> int | None:
    """Return how many cores a local *master* names; None for all that there are."""
    match = re.fullmatch(r"local(?:\[(\d+|\*).*])?", master)
    assert match is not None, f"{master} is not local"
    return None if match[1] == "*" else int(match[1] or 1)


def check_master(master: str) -> None:
    """Raise if no server listens at a standalone master's address, which Spark tries for minutes.

    Raises:
        UsageError: it has no address.
        UnreachableError: no server listens there.
    """
    if not master.startswith("spark://"):
        return
    reasons = []
    for address in master.removeprefix("spark://").split(","):
        match = ADDRESS.fullmatch(address)
        if match is None or int(match["port"]) > PORT_MAX:
            raise UsageError(
                f"--master {master}: '{address}' is no host and port",
                hint="name it like --master spark://spark1:7077, or 'local[*]' for this machine",
            )
        try:
            place = match["host"].strip("[]"), int(match["port"])
            with socket.create_connection(place, CONNECT_TIMEOUT_S):
                return
        except (OSError, UnicodeError) as error:
            reasons.append(f"{address}: {getattr(error, 'strerror', None) or error}".lower())
    raise UnreachableError(
        f"the Spark master {master} does not answer ({'; '.join(reasons)})",
        hint="see whether it runs there, or let this machine work: --master 'local[*]'",
    )


def is_plain(master: str) -> bool:
    """Return whether it is threads of one JVM, or a standalone master, that does the work.

    What schedulers start elsewhere (YARN, Kubernetes, Spark's own trial cluster) is made by files
    and settings of this machine.
    """
    return master.startswith("spark://") or is_local(master)


def with_retries(master: str, conf: Mapping[str, str]) -> str:
    """Return *master* with retries of what a killed worker did, where it is one of this machine."""
    match = LOCAL.fullmatch(master)
    if match is None:
        return master
    return f"local[{match[1] or 1},{conf.get('spark.task.maxFailures', TASK_FAILURES_MAX)}]"
