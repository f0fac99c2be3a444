"""The jars of the embedded ZooKeeper: which does it need, and where are they?

They are among the jars that PySpark ships; PySpark itself is located, never imported.  Knows
nothing of how a server is started.
"""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final

from kadmin.errors import KadminError
from kadmin.extras import Extra, installer, pyspark_directory

SERVER_JARS: Final = (
    "zookeeper",
    "zookeeper-jute",
    "slf4j-api",
    "metrics-core",
    "snappy-java",
    # log4j without its core logs by its simple logger to standard error.  The core would cost 0.12
    # s of every start, and a file is enough here.
    "log4j-api",
    "log4j-slf4j2-impl",
)
"""All that a plain server loads; with all of PySpark's jars its start takes twice as long."""

NETTY_JARS: Final = (
    "netty-buffer",
    "netty-codec",
    "netty-codec-base",
    "netty-common",
    "netty-handler",
    "netty-resolver",
    "netty-tcnative-classes",
    "netty-transport",
    "netty-transport-classes-epoll",
    "netty-transport-native-unix-common",
)
"""What `NettyServerCnxnFactory` needs besides, the only way to TLS for clients."""


class MissingJars(KadminError):
    """A jar that PySpark's releases carry is not there."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(
            f"PySpark has no jar {', '.join(names)};"
            " the embedded ZooKeeper is made of PySpark's jars",
            hint=f"{installer()} --force-reinstall 'pyspark>=4.0'",
        )


def class_path(*, with_netty: bool = False) -> tuple[Path, ...]:
    """Return the jars of a server, always in the same order (a class-data archive depends on it).

    Raises:
        MissingExtra: PySpark is not installed.
        MissingJars: it is not whole.
    """
    return pick(installed_jars(), SERVER_JARS + (NETTY_JARS if with_netty else ()))


def pick(by_name: Mapping[str, Path], names: Sequence[str]) -> tuple[Path, ...]:
    missing = [name for name in names if name not in by_name]
    if missing:
        raise MissingJars(missing)
    return tuple(by_name[name] for name in names)


@cache
def installed_jars() -> dict[str, Path]:
    """Return PySpark's jars by name; raises MissingExtra when it is not installed."""
    return jars_in(pyspark_directory("the embedded ZooKeeper", Extra.CLUSTER) / "jars")


def jars_in(directory: Path) -> dict[str, Path]:
    """Return the jars of *directory* by name without version; those of one platform are left
    out."""
    jars = {}
    for path in sorted(directory.glob("*.jar")):
        match = re.fullmatch(r"(.+?)-[0-9]+(?:\.[0-9]+)+(?:\.Final)?\.jar", path.name)
        if match is not None:
            jars[match[1]] = path
    return jars
