"""How is Kafka's own dump tool called, of any release?"""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from tests.interop.class_data import class_data_flags
from tests.support.waiting import OUTER_LIMIT_S


class Dump:
    """`kafka.tools.DumpLogSegments` of one release."""

    def __init__(self, java: str, class_path: str) -> None:
        self.command = (
            *(java, "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
            *class_data_flags(java, class_path),
            *("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8"),
            *("-cp", class_path, "kafka.tools.DumpLogSegments"),
        )

    def __call__(self, files: Sequence[Path], *options: str) -> list[str]:
        """What it prints of *files*; it must not fail."""
        names = ",".join(map(str, files))
        done = subprocess.run(
            [*self.command, *options, "--files", names],
            capture_output=True,
            text=True,
            timeout=OUTER_LIMIT_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout.splitlines()
