"""A directory for the temporary files of one job."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kadmin.jvm.interrupts import deferring_interrupts


@contextmanager
def temporary_directory(prefix: str) -> Iterator[Path]:
    """Make a directory that is removed behind the block, also after an interrupt at any moment."""
    directory: Path | None = None
    try:
        with deferring_interrupts():
            directory = Path(tempfile.mkdtemp(prefix=prefix))
        yield directory
    finally:
        with deferring_interrupts():
            if directory is not None:
                shutil.rmtree(directory, ignore_errors=True)
