"""The machine on which something was measured."""

import os
import platform
from collections.abc import Iterator
from pathlib import Path


def machine_facts() -> Iterator[tuple[str, str]]:
    """Return what figures depend on: processors, memory, system, Python and librdkafka."""
    from kadmin.records.client import library_version

    yield "processors", f"{os.cpu_count()} × {processor()}"
    pages, page_size = os.sysconf("SC_PHYS_PAGES"), os.sysconf("SC_PAGE_SIZE")
    yield "memory", f"{pages * page_size / 1024**3:.1f} GiB"
    yield "system", f"{platform.system()} {platform.release()} ({platform.machine()})"
    yield "Python", platform.python_version()
    yield "librdkafka", library_version()


def processor() -> str:
    """Return the model of the processors."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def load_average() -> float:
    """Return how many processes wanted a processor in the last minute, on average."""
    return os.getloadavg()[0]
