"""The class-data archive that makes a server's JVM start faster.

Names it; `kadmin.jvm.archive` finds it, and `kadmin.local.archive_maker` makes it.
"""

from collections.abc import Sequence
from pathlib import Path

from kadmin.jvm.archive import Archive
from kadmin.jvm.java import Java


def server_archive(java: Java, jars: Sequence[Path]) -> Archive:
    """Return the archive of a ZooKeeper that is made of *jars*."""
    return Archive(
        name="zookeeper", maker="kadmin.local.archive_maker", java=java, jars=tuple(jars)
    )
