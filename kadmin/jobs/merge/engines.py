"""Engines for merges.

Imports nothing that takes long, so that an engine that is needed in any case can start first.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from kadmin.jobs import engines
from kadmin.jobs.engine import Engine

if TYPE_CHECKING:
    from kadmin.jobs.merge.request import MergeRequest

APP_NAME: Final = "kadmin merge-logs"


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
