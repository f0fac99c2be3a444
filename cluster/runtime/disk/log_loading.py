"""The loading of all logs when a broker starts: directories are locked, logs opened and recovered.

The findings of recovery are logged to server.log.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from threading import Lock
from typing import Final

from cluster.broker.configs.broker_configs import BrokerConfigs
from cluster.broker.configs.supported_configs import PRODUCER_EXPIRATION
from cluster.broker.configs.topic_configs import (
    EffectiveTopicConfigs,
    unserved_log_config,
)
from cluster.broker.ports import Clock
from cluster.coordination.client_requests import TopicOverrides
from cluster.formats.errors import CorruptFileError
from cluster.model.api_error import ApiError
from cluster.model.ids import BrokerId
from cluster.runtime.disk.disk_threads import run_on_threads
from cluster.runtime.disk.settled_clock import SettledClock
from cluster.runtime.errors import LogsRefused
from cluster.settings.broker_settings import BrokerSettings
from cluster.settings.errors import InvalidSettings
from cluster.storage.directories.log_directory import LogDirectory
from cluster.storage.directories.log_manager import Loaded, LogManager
from cluster.storage.directories.properties import read_meta_properties
from cluster.storage.errors import InvalidLogConfig, LogDirectoryRefused
from cluster.storage.files import Files
from cluster.storage.log_config import LogConfig
from cluster.storage.recovery.findings import Finding

FINDINGS_MAX: Final = 10
"""How many lines one log may get."""

logger: Final = logging.getLogger(__name__)


def owner_of(files: Files, directories: tuple[str, ...]) -> BrokerId | None:
    """The broker id in the directories' meta.properties; None when they have none.

    Raises:
        InvalidSettings: there are several.
    """
    owners = set()
    for directory in directories:
        try:
            owner = read_meta_properties(files, directory)
        except (OSError, CorruptFileError):
            # Opening the directory later reports the problem.
            continue
        if owner is not None:
            owners.add(owner.broker_id)
    if len(owners) > 1:
        ids = ", ".join(str(owner) for owner in sorted(owners))
        raise InvalidSettings([f"log.dirs are of several brokers ({ids}): give broker.id"])
    return owners.pop() if owners else None


async def load_logs(
    files: Files,
    settings: BrokerSettings,
    configs: BrokerConfigs,
    overrides_of: Callable[[tuple[str, ...]], Awaitable[TopicOverrides]],
    broker_id: BrokerId,
    cluster_id: str,
    registered_incarnation: int,
    clock: Clock,
) -> tuple[LogManager, SettledClock]:
    """Lock the log directories and open all logs; recovery may take long, on a thread.

    *overrides_of* reads the configs of topics; *registered_incarnation* is the number of the
    broker's last start, as ZooKeeper knows it.  Also returned: the clock for retention.

    Raises:
        LogsRefused: a directory belongs to another broker, or none of them works.
    """
    try:
        logs = LogManager.open(files, settings.log_directories, broker_id, cluster_id)
    except LogDirectoryRefused as error:
        raise LogsRefused(str(error)) from error
    logs.begin_incarnation(registered_incarnation)
    settled_clock = SettledClock(clock, files, logs, logger.warning)
    logs.share_with_threads(Lock)
    logs.expire_producers_after(configs.number(PRODUCER_EXPIRATION))
    topics = {
        of.topic
        for one in logs.online
        for of in (*one.survey.partitions, *(copied for copied, _ in one.survey.futures))
    }
    overrides = await overrides_of(tuple(topics))

    unserved: dict[str, str] = {}
    """Why topics cannot be served, by name; their logs are opened all the same."""

    def config_of(topic: str) -> LogConfig:
        own = overrides[topic]
        if isinstance(own, ApiError):
            unserved[topic] = str(own.message)
            return unserved_log_config(configs.topic_defaults, {})
        try:
            return EffectiveTopicConfigs.parse(configs.topic_defaults, own).log
        except InvalidLogConfig as error:
            unserved[topic] = str(error)
            return unserved_log_config(configs.topic_defaults, own)

    for directory in logs.directories:
        for problem in directory.problems:
            logger.warning("%s", problem)
        for name in directory.survey.foreign:
            logger.warning("%s/%s is not ours and is left alone", directory.path, name)
    log_failures(logs.directories)
    usable = logs.online
    try:
        loaded = await asyncio.to_thread(
            lambda: list(logs.load(config_of, clock.now_ms(), run_on_threads))
        )
    except LogDirectoryRefused as error:
        raise LogsRefused(str(error)) from error
    log_failures(usable)
    if not logs.online:
        for directory in logs.directories:
            directory.release()
        raise LogsRefused(f"{', '.join(settings.log_directories)}: none of them can be used")
    log_loaded(loaded, unserved, len(logs.online))
    return logs, settled_clock


def log_failures(directories: Sequence[LogDirectory]) -> None:
    for directory in directories:
        if directory.health.failure is not None:
            logger.error("%s", directory.health.failure)


def log_loaded(loaded: Sequence[Loaded], unserved: Mapping[str, str], directory_count: int) -> None:
    """Log what concerns operators: nothing for most logs."""
    reports = [one.report for one in loaded if one.report is not None]
    for one in loaded:
        place = f"{one.partition} in {one.directory}"
        if one.partition.topic in unserved:
            logger.error(
                "The log of %s cannot be served until its topic's configs are mended: %s",
                place,
                unserved[one.partition.topic],
            )
        if one.report is None:
            logger.error("The log of %s cannot be opened: %s", place, one.problem)
        elif one.report.found_damage:
            logger.warning(
                "The log of %s has lost what was not whole: %d bytes cut, %d segments set aside",
                place,
                one.report.cut_size,
                len(one.report.dropped),
            )
        if one.report is not None:
            log_findings(place, one.report.findings)
    if loaded:
        logger.info(
            "%d logs are open in %d directories; recovery has read %d bytes and made the indexes"
            " of %d segments",
            len(reports),
            directory_count,
            sum(report.scanned_size for report in reports),
            sum(len(report.reindexed) for report in reports),
        )


def log_findings(place: str, findings: Sequence[Finding]) -> None:
    """Log the problems of one log; a compacted log may have a gap in each segment."""
    for finding in findings[:FINDINGS_MAX]:
        logger.warning("The log of %s: %s", place, finding)
    if len(findings) > FINDINGS_MAX:
        logger.warning("The log of %s: and %d more of these", place, len(findings) - FINDINGS_MAX)
