"""PySpark's daemon, started faster.

PySpark's workers import PySpark from a zip and compile it anew each time, which takes a second.
Here it comes from where it is installed, if it is, and once for all workers.  Runs as a process
that Spark starts, also on other machines, which have only this file: it knows no work, and nothing
of kadmin.
"""

import gc
import importlib
import sys
import zipimport
from collections.abc import Sequence
from contextlib import suppress
from importlib.machinery import PathFinder
from pathlib import Path

ZIP = "pyspark.zip"


def main() -> None:
    """Be the daemon: fork a worker whenever Spark asks."""
    sys.path[:] = path_of_installed(sys.path)
    # Not pyarrow: it starts a thread, and a process with threads must not fork.
    for name in ("numpy", "pyspark.worker"):
        # A worker that lacks one says so better.
        with suppress(ImportError):
            importlib.import_module(name)
    # PySpark collects garbage after each task; what all workers share is none.
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


def path_of_installed(path: Sequence[str]) -> list[str]:
    """*path* without PySpark's zip where the same PySpark is installed as well."""
    others = [each for each in path if not each.endswith(ZIP)]
    installed = PathFinder.find_spec("pyspark", others)
    if installed is None or installed.origin is None:
        return list(path)
    try:
        version = Path(installed.origin).with_name("version.py").read_bytes()
        packed = [
            zipimport.zipimporter(each).get_data(f"{each}/pyspark/version.py")
            for each in path
            if each.endswith(ZIP)
        ]
    except (OSError, ImportError):
        return list(path)
    return others if all(each == version for each in packed) else list(path)


if __name__ == "__main__":
    main()
