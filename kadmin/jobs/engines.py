"""The choice of an engine: Spark for a master, else processes of this machine, or this process.

Imports nothing that takes long, so that an engine that is needed in any case can start first.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from kadmin.jobs.engine import Engine, InProcessEngine
from kadmin.jobs.spark.master_url import check_master
from kadmin.jobs.temporary import temporary_directory
from kadmin.jvm.interrupts import deferring_interrupts, ending_in_order


@contextmanager
def started_engine(
    app_name: str,
    master: str | None,
    conf: Mapping[str, str],
    *,
    processes: int = 1,
    workers_max: int | None = None,
    is_whole: Callable[[], bool] = lambda: True,
) -> Iterator[Engine]:
    """Yield an engine on Spark's *master* with *conf*, or of so many *processes*; ended behind the
    block.

    It is abandoned if the block fails, or its work *is_whole* not at the end.  No more than
    *workers_max* workers are at work at a time.

    Raises:
        UsageError: the master has no address.
        UnreachableError: it does not answer.
        KadminError: there is no Java.
    """
    if master is not None:
        check_master(master)
    with temporary_directory("kadmin-spark-") as directory:
        engine: Engine = InProcessEngine()
        is_abandoned = True
        try:
            # An interrupt shall find an engine that it can end.
            with deferring_interrupts():
                if master is not None:
                    engine = spark_engine(app_name, master, conf, directory, workers_max)
                elif processes > 1:
                    from kadmin.jobs.processes import ProcessEngine

                    engine = ProcessEngine(min(processes, workers_max or processes))
            yield engine
            is_abandoned = not is_whole()
        finally:
            with deferring_interrupts():
                engine.close(is_abandoned=is_abandoned)


def spark_engine(
    app_name: str,
    master: str,
    conf: Mapping[str, str],
    directory: Path,
    workers_max: int | None,
) -> Engine:
    from kadmin.jobs.spark.engine import WORKERS_MAX, SparkEngine
    from kadmin.jobs.spark.session import Session

    session = Session(app_name, master, conf, directory)
    return SparkEngine(session, workers_max=workers_max or WORKERS_MAX)


@contextmanager
def engine_ahead(
    app_name: str, master: str | None, conf: Mapping[str, str]
) -> Iterator[Engine | None]:
    """Start an engine on a *master* elsewhere; yield None for any other.

    Spark starts while libraries are imported and inputs are found.  On this machine little work is
    done sooner without Spark, and only the inputs show how much it is.

    Raises:
        What `started_engine` raises.
    """
    if master is None or master.startswith("local"):
        yield None
        return
    with ending_in_order(), started_engine(app_name, master, conf) as engine:
        yield engine
