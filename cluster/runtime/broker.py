"""A broker as a process: `python -m cluster.runtime.broker server.properties`.

Reads the arguments and the settings, runs the broker until it is asked to stop, and returns the
exit status.  SIGTERM and SIGINT ask for an orderly shutdown; a second one ends the process at once.
"""

import gc

if __name__ == "__main__":
    # None of what is imported is garbage, and looking for some takes a fifth of the start's CPU.
    gc.disable()

import argparse
import asyncio
import logging
import os
import resource
import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Coroutine, Sequence
from typing import Any, Final

from cluster.broker.configs.supported_configs import LOGS_DIRECTORY, LOGS_VARIABLE
from cluster.runtime.direct_loop import DirectLoop
from cluster.runtime.errors import BrokerFailure, ExitStatus
from cluster.runtime.free_memory import give_back_after_work
from cluster.runtime.garbage import begin_collecting, keep_survivors
from cluster.runtime.hourly_logs import start_logging
from cluster.settings.broker_settings import BrokerSettings
from cluster.settings.errors import InvalidSettings
from cluster.settings.properties_file import (
    Given,
    parse_override_options,
    parse_properties,
    read_variable,
)
from cluster.storage.health import reason_of

FIRST_PROCESS: Final = 1
FILE_SIZE_MAX: Final = 16 * 1024**2
SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
SWITCH_INTERVAL_S: Final = 0.0002
"""How long the loop waits for a thread that computes, as the log cleaner's, after each system call.
With Python's own 5 ms a request takes tens of them beside a cleaning (`bench.compaction`)."""

logger: Final = logging.getLogger("cluster.runtime.broker")


def parse_arguments(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m cluster.runtime.broker",
        description="Run a broker of a log cluster that ZooKeeper coordinates.",
    )
    parser.add_argument("properties", help="server.properties, in Kafka's format and names")
    parser.add_argument(
        "--override",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of server.properties with another value",
    )
    return parser.parse_args(arguments)


def read_properties(path: str) -> dict[str, Given]:
    """Read the file at *path*.

    Raises:
        InvalidSettings: there is no such file, or it is not in Java's format of properties.
    """
    try:
        with open(path, "rb") as file:
            content = file.read(FILE_SIZE_MAX + 1)
    except OSError as error:
        raise InvalidSettings([f"cannot read {path}: {error.strerror}"]) from error
    if len(content) > FILE_SIZE_MAX:
        raise InvalidSettings([f"cannot read {path}: it has more than {FILE_SIZE_MAX:,} bytes"])
    return parse_properties(content.removeprefix(BOM_UTF8).decode("latin-1"), path)


def main(arguments: Sequence[str]) -> int:
    """Run a broker, and return the exit status."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    options = parse_arguments(arguments)
    try:
        given = (
            read_variable(os.environ, LOGS_VARIABLE, LOGS_DIRECTORY)
            | read_properties(options.properties)
            | parse_override_options(options.override)
        )
        settings = BrokerSettings.parse(given, working_directory=os.getcwd())
        start_logging(settings.logs_directory)
    except InvalidSettings as error:
        sys.stderr.write(f"{error}\n")
        return ExitStatus.USAGE
    except BrokerFailure as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_status
    except OSError as error:
        hint = f"set {LOGS_DIRECTORY}, or {LOGS_VARIABLE} in the environment, to a directory"
        sys.stderr.write(f"cannot write logs: {reason_of(error)}\nhint: {hint}\n")
        return ExitStatus.FAILED
    raise_file_limit()
    for sentence in settings.ignored:
        logger.warning("%s", sentence)
    try:
        with asyncio.Runner(loop_factory=DirectLoop) as runner:
            return runner.run(run(settings))
    finally:
        logging.shutdown()


async def run(settings: BrokerSettings) -> int:
    """Run a broker until a signal comes, or it fails."""
    # Imported here, so that an error in the settings is reported without waiting for it.
    from cluster.runtime.process import BrokerProcess

    begin_collecting()
    asked_to_end = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in SIGNALS:
        loop.add_signal_handler(number, end_once, loop, asked_to_end)
    process = BrokerProcess(settings)
    status = ExitStatus.DONE
    try:
        await until_asked(process.start(), asked_to_end)
        keep_survivors()
        give_back_after_work(loop)
        await until_asked(process.until_failed(), asked_to_end)
    except InvalidSettings as error:
        logger.error("%s", error)
        status = ExitStatus.USAGE
    except BrokerFailure as error:
        logger.error("%s", error)
        status = error.exit_status
    await process.stop()
    return status


def end_once(loop: asyncio.AbstractEventLoop, asked_to_end: asyncio.Event) -> None:
    """Ask for an orderly shutdown; the next signal ends the process at once."""
    logger.info("The broker is asked to end")
    asked_to_end.set()
    for number in SIGNALS:
        loop.remove_signal_handler(number)
        # The kernel drops signals that the first process of a container does not handle itself.
        is_first = os.getpid() == FIRST_PROCESS
        signal.signal(number, exit_at_once if is_first else signal.SIG_DFL)


def exit_at_once(number: int, _frame: object) -> None:
    os._exit(128 + number)


def raise_file_limit() -> None:
    """Allow as many open files as possible: each partition has several, and each client has one."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        logger.info("The limit of open files is raised from %d to %d", soft, hard)


async def until_asked(work: Coroutine[Any, Any, None], asked_to_end: asyncio.Event) -> None:
    """Wait for *work*, which is cancelled when the broker is asked to stop."""
    if asked_to_end.is_set():
        work.close()
        return
    working = asyncio.ensure_future(work)
    asking = asyncio.ensure_future(asked_to_end.wait())
    await asyncio.wait((working, asking), return_when=asyncio.FIRST_COMPLETED)
    asking.cancel()
    if not working.done():
        working.cancel()
        await asyncio.wait((working,))
    if not working.cancelled():
        working.result()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
