"""Which class-data archive makes a server's JVM start faster, and how does it come to be?

An archive is a cache and never needed: missing, damaged or of another Java, the server starts
without it.  After such a start a process in the background makes one, which nobody waits for.
"""

from collections.abc import Sequence
from pathlib import Path

from kadmin.local.java import Java


def archive_flags(java: Java, jars: Sequence[Path]) -> list[str]:
    """The JVM flags that use the archive; none where there is no sound one."""
    return []
