"""Engines for merges.

Imports nothing that takes long, so that an engine that is needed in any case can start first.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kadmin.jobs import engines
from kadmin.jobs.engine import Engine
from kadmin.jobs.spark.master_url import is_for_spark, local_cores

if TYPE_CHECKING:
    from kadmin.jobs.merge.request import MergeRequest

APP_NAME: Final = "kadmin merge-logs"

HERE_BYTES_MAX: Final = 64 << 20
"""So much is merged sooner by this process than others start."""


def without_idle_spark(request: "MergeRequest", *, is_submitted: bool) -> "MergeRequest":
    """Return *request*, without Spark where that is not worth its start.

    That is where its logs are small, and neither a master of other machines nor a setting asks for
    Spark.  The driver of a program that *is_submitted* to Spark is there already.
    """
    from kadmin.jobs.processes import core_count

    master = request.master
    size = sum(file.content_bytes for source in request.sources for file in source.files)
    if is_for_spark(master, request.conf, size):
        return request
    if size <= HERE_BYTES_MAX:
        return replace(request, master=None)
    if master is None:
        return replace(request, processes=core_count())
    if is_submitted:
        return request
    return replace(request, master=None, processes=local_cores(master) or core_count())


def engine_ahead(
    master: str | None, conf: Mapping[str, str]
) -> AbstractContextManager[Engine | None]:
    """Return what `engines.engine_ahead` gives, for a merge."""
    return engines.engine_ahead(APP_NAME, master, conf)


def shared_engine(
    request: "MergeRequest", is_whole: Callable[[], bool] = lambda: True
) -> AbstractContextManager[Engine]:
    """Return the engine that *request* wants, for one merge or several.

    Raises:
        What `engines.started_engine` raises.
    """
    files = [file for source in request.sources for file in source.files]
    # A small merge does not start a worker for each core.
    work = sum(1 + file.content_bytes // request.slice_bytes for file in files)
    return engines.started_engine(
        APP_NAME,
        request.master,
        request.conf,
        processes=request.processes,
        workers_max=max(work, 1),
        is_whole=is_whole,
    )
