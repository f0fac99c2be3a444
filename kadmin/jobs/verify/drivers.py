"""Spark's drivers for comparisons.

Imports nothing that takes long, so that one that is needed in any case can start first.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Final

from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.started import driver_ahead, started_driver

if TYPE_CHECKING:
    from kadmin.jobs.verify.request import VerifyRequest

APP_NAME: Final = "kadmin verify-replicas"


def ahead(master: str | None, conf: Mapping[str, str]) -> AbstractContextManager[Driver | None]:
    """What `driver_ahead` gives, for a comparison."""
    return driver_ahead(APP_NAME, master, conf)


def driver_of(request: "VerifyRequest") -> AbstractContextManager[Driver]:
    """What `started_driver` gives, as *request* wants it."""
    assert request.master is not None, "without a master there is no Spark"
    return started_driver(APP_NAME, request.master, request.conf)
