"""The class-data archive of a release: one file beside its jars that lets its JVMs start sooner.

A broker writes it when it ends in order; all later brokers and tools of the release map it instead
of reading and verifying their classes.  It is a cache: a JVM starts without one that is missing,
damaged, or of another Java.
"""

import os
import shutil
from functools import cache
from pathlib import Path
from typing import Final

from kadmin.jvm.archive import file_name

SILENT: Final = "-Xlog:disable"
"""What a JVM says of an archive would stand among what its program prints."""


def find_archive(java: str, class_path: str) -> Path | None:
    """The archive for *java* and the jars of *class_path*, if there is a sound one."""
    stem = stem_of(java)
    found = Path(class_path).parent.glob(f"{stem}-*.jsa")
    return next((path for path in sorted(found) if is_sound(stem, path)), None)


def stem_of(java: str) -> str:
    program = Path(java).resolve().stat()
    return f"classes-{program.st_mtime_ns:x}-{program.st_size:x}"


@cache
def is_sound(stem: str, path: Path) -> bool:
    """Whether the file has the checksum of its name: a JVM dies of an archive that is cut off."""
    return path.name == file_name(stem, path)


def class_data_flags(java: str, class_path: str, written: Path | None = None) -> tuple[str, ...]:
    """The JVM flags that use the archive; if there is none, they write it to *written* at the end
    of the JVM.
    """
    found = find_archive(java, class_path)
    if found is not None:
        return (SILENT, "-Xshare:auto", f"-XX:SharedArchiveFile={found}")
    # A JVM with an agent uses an archive, and dies where it is to write one.
    if written is None or "-javaagent" in os.environ.get("JAVA_TOOL_OPTIONS", ""):
        return ()
    return (SILENT, f"-XX:ArchiveClassesAtExit={written}")


def keep(written: Path, java: str, class_path: str) -> None:
    """Put what a JVM has *written*, if anything, into its place, if nothing is there."""
    if written.exists() and find_archive(java, class_path) is None:
        directory = Path(class_path).parent
        partial = directory / f"classes.{os.getpid()}.partial"
        shutil.copy(written, partial)
        partial.rename(directory / file_name(stem_of(java), partial))
