"""Engines for merges: which one, and for how many of them?

Imports nothing that takes long, so that one that is needed in any case can start first.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kadmin.jobs.engine import Engine, InProcessEngine
from kadmin.jobs.spark.master_url import check_master
from kadmin.jobs.temporary import temporary_directory
from kadmin.jvm.interrupts import deferring_interrupts

if TYPE_CHECKING:
    from kadmin.jobs.merge.request import MergeRequest

APP_NAME: Final = "kadmin merge-logs"

WORKER_MODULE: Final = "kadmin.jobs.merge.slices.merge_slice"
"""What workers import while the survey still goes on."""


@contextmanager
def engine_ahead(master: str | None, conf: Mapping[str, str]) -> Iterator[Engine | None]:
    """An engine on *master*, which begins to start; None where inputs tell which one is meant.

    Raises:
        KadminError: the master is none, or does not answer.
    """
    from kadmin.jobs.spark.started import driver_ahead

    with driver_ahead(APP_NAME, master, conf) as driver:
        if driver is None:
            yield None
            return
        from kadmin.jobs.spark.engine import SparkEngine

        with running(partial(SparkEngine, driver, imports=WORKER_MODULE)) as engine:
            yield engine


@contextmanager
def shared_engine(request: "MergeRequest") -> Iterator[Engine]:
    """The engine that *request* wants, for several merges, each of which is taken to its end.

    Raises:
        KadminError: the master is none.
    """
    with temporary_directory("kadmin-engine-") as directory:
        check_master_of(request)
        with running(partial(start_engine, request, directory)) as engine:
            yield engine


@contextmanager
def running(
    start: Callable[[], Engine], is_whole: Callable[[], bool] = lambda: True
) -> Iterator[Engine]:
    """The engine that *start* gives, ended behind the block.

    It is abandoned if the block fails, or its work *is_whole* not at the end.
    """
    engine: Engine = InProcessEngine()
    is_abandoned = True
    try:
        # An interrupt shall find an engine that it can end.
        with deferring_interrupts():
            engine = start()
        yield engine
        is_abandoned = not is_whole()
    finally:
        with deferring_interrupts():
            engine.close(is_abandoned=is_abandoned)


def check_master_of(request: "MergeRequest") -> None:
    if request.master is not None:
        check_master(request.master)


def start_engine(request: "MergeRequest", directory: Path) -> Engine:
    """The engine that *request* wants, which begins to start."""
    if request.master is None:
        if request.processes == 1:
            return InProcessEngine()
        from kadmin.jobs.processes import ProcessEngine

        return ProcessEngine(min(request.processes, workers_max(request)))
    from kadmin.jobs.spark.driver import Driver
    from kadmin.jobs.spark.engine import SparkEngine

    driver = Driver(APP_NAME, request.master, request.conf, directory)
    return SparkEngine(driver, imports=WORKER_MODULE, workers_max=workers_max(request))


def workers_max(request: "MergeRequest") -> int:
    """How many workers may find work: a small merge does not start one for each core."""
    files = [file for source in request.sources for file in source.files]
    return max(sum(1 + file.content_bytes // request.slice_bytes for file in files), 1)
