"""Series of the process that any client library of Prometheus has, as jmx_exporter's.

Source: `process_*` among Prometheus's guidelines for client libraries, and ProcessCollector of
prometheus_client, to which tests compare these.
"""

import os
import resource
from pathlib import Path
from typing import Final

from cluster.metrics.exposition import Exposition, Type

PROC: Final = Path("/proc")
TICKS: Final = os.sysconf("SC_CLK_TCK")
PAGE_SIZE: Final = os.sysconf("SC_PAGE_SIZE")


def add_process(exposition: Exposition) -> None:
    """Add the CPU time, memory, start and open files of this process, where /proc has them.

    To count open files takes the longer the more there are: a thread may do it.
    """
    try:
        # The name of the program comes before, in which there may be spaces and parentheses.
        fields = (PROC / "self/stat").read_text().rpartition(") ")[2].split()
        boot = next(
            int(line.split()[1])
            for line in (PROC / "stat").read_text().splitlines()
            if line.startswith("btime ")
        )
        # Listing them takes one itself.
        open_fds = len(os.listdir(PROC / "self/fd")) - 1
    except OSError:
        return
    user, system, started, virtual, resident = (int(fields[at]) for at in (11, 12, 19, 20, 21))
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    for name, type_, meaning, value in (
        (
            "cpu_seconds_total",
            Type.COUNTER,
            "CPU time, of users and system.",
            (user + system) / TICKS,
        ),
        ("resident_memory_bytes", Type.GAUGE, "Resident memory.", resident * PAGE_SIZE),
        ("virtual_memory_bytes", Type.GAUGE, "Virtual memory.", virtual),
        ("start_time_seconds", Type.GAUGE, "The start, since the epoch.", boot + started / TICKS),
        ("open_fds", Type.GAUGE, "Open files and sockets.", open_fds),
        ("max_fds", Type.GAUGE, "The most that may be open.", limit),
    ):
        exposition.add_sample(f"process_{name}", type_, meaning, value)
