"""The class-data archive of a release: one file beside its jars that lets its JVMs start sooner.

A broker writes it when it ends in order; all later brokers and tools of the release map it instead
of reading and verifying their classes.  It is a cache: a JVM starts without one that is missing,
damaged, or of another Java.
"""

import os
import shutil
from pathlib import Path
from typing import Final

SILENT: Final = "-Xlog:disable"
"""What a JVM says of an archive would stand among what its program prints."""


def archive(java: str, class_path: str) -> Path:
    """Where the archive for *java* and the jars of *class_path* is, or will be."""
    program = Path(java).resolve()
    of_java = f"{program.stat().st_mtime_ns:x}-{program.stat().st_size:x}"
    return Path(class_path).parent / f"classes-{of_java}.jsa"


def class_data_flags(java: str, class_path: str, written: Path | None = None) -> tuple[str, ...]:
    """The JVM flags that use the archive; if there is none, they write it to *written* at the end
    of the JVM.
    """
    found = archive(java, class_path)
    if found.exists():
        return (SILENT, "-Xshare:auto", f"-XX:SharedArchiveFile={found}")
    return () if written is None else (SILENT, f"-XX:ArchiveClassesAtExit={written}")


def keep(written: Path, java: str, class_path: str) -> None:
    """Put what a JVM has *written*, if anything, into its place, whole or not at all."""
    if written.exists():
        place = archive(java, class_path)
        partial = place.with_suffix(f".{os.getpid()}.partial")
        shutil.copy(written, partial)
        partial.rename(place)
