"""Drivers for as long as a block: one for work that is known, or one ahead of its work."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from kadmin.jobs.spark.driver import Driver
from kadmin.jobs.spark.master_url import check_master
from kadmin.jobs.temporary import temporary_directory
from kadmin.jvm.interrupts import deferring_interrupts, ending_in_order


@contextmanager
def started_driver(app_name: str, master: str, conf: Mapping[str, str]) -> Iterator[Driver]:
    """A driver whose JVM is starting, with a directory of its own.

    Whoever gives it work ends it; if nobody did, its JVM ends behind the block.

    Raises:
        UsageError: the master has no address.
        UnreachableError: it does not answer.
        KadminError: there is no Java.
    """
    check_master(master)
    with temporary_directory("kadmin-spark-") as directory:
        driver: Driver | None = None
        try:
            with deferring_interrupts():
                driver = Driver(app_name, master, conf, directory)
            yield driver
        finally:
            with deferring_interrupts():
                if driver is not None:
                    driver.kill()


@contextmanager
def driver_ahead(
    app_name: str, master: str | None, conf: Mapping[str, str]
) -> Iterator[Driver | None]:
    """A driver for a master elsewhere, which is always meant; None for any other.

    Its JVM starts while libraries are imported and inputs are found.  On this machine little work
    is done sooner without Spark, and only the inputs tell how much it is.

    Raises:
        What `started_driver` raises.
    """
    if master is None or master.startswith("local"):
        yield None
        return
    with ending_in_order(), started_driver(app_name, master, conf) as driver:
        yield driver
