"""PySpark's daemon on this machine, started faster.

PySpark's workers import PySpark from a zip and compile it anew each time, which takes a second.
Here it comes from where it is installed, and once for all workers.  Runs as a process that Spark
starts (`python -m kadmin.jobs.spark.python_daemon`); knows no work.
"""

import gc
import importlib
import sys

ZIP = "pyspark.zip"


def main() -> None:
    """Be the daemon: fork a worker whenever Spark asks."""
    sys.path[:] = [path for path in sys.path if not path.endswith(ZIP)]
    # Not pyarrow: it starts a thread, and a process with threads must not fork.
    for name in ("numpy", "pyspark.worker"):
        importlib.import_module(name)
    # PySpark collects garbage after each task; what all workers share is none.
    gc.freeze()
    importlib.import_module("pyspark.daemon").manager()


if __name__ == "__main__":
    main()
