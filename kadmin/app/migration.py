"""The evidence of a migration: ZooKeeper's part first, and beside it what brokers answer."""

import time
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kadmin.app.session import Session
from kadmin.errors import KadminError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cluster.model.ids import BrokerId
    from kadmin.admin.metrics.endpoints import Endpoint
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.plan.migration.evidence import MigrationEvidence
    from kadmin.plan.migration.store_diff import StoreReport
    from kadmin.plan.migration.stores import MetadataImage

LOOK_AGAIN_S: Final = (1.0,)
"""The pauses before what differs is read again: a write may be under way."""

OF_BROKERS: Final = "releases, authorizers and settings of brokers"
OF_CLIENTS: Final = "clients that Kafka 4.0 does not serve"


def read_migration(
    session: Session, *, asks_brokers: bool, default_min_isr: int = 1
) -> "MigrationEvidence":
    """Read what a migration depends on; what cannot be had of brokers is named in the evidence.

    Raises:
        UnreachableError: no ZooKeeper answers.
        UsageError: none is named.
    """
    with session.connect() as connection:
        found = evidence_of(connection)
        found = replace(found, default_min_isr=default_min_isr)
        if not asks_brokers:
            return replace(found, unlooked=(f"{OF_BROKERS} (--no-brokers)",))
        return with_brokers(session, connection, found)


def evidence_of(connection: "Connection") -> "MigrationEvidence":
    from kadmin.admin.zookeeper.migration.reading import read_migration_evidence, read_restricted

    now_ms = time.time_ns() // 1_000_000
    connect = connection.settings.connect
    found = connection.read(read_migration_evidence(connect, now_ms))
    return replace(found, connect=connect, restricted=read_restricted(connection))


def with_brokers(
    session: Session, connection: "Connection", found: "MigrationEvidence"
) -> "MigrationEvidence":
    """Return *found* with the configs of the registered brokers, as far as they answer."""
    brokers = tuple(found.snapshot.brokers)
    if not brokers:
        return found
    try:
        with session.budget.sharing(), session.connect_brokers(connection) as wire:
            return described(wire, found, brokers)
    except KadminError as error:
        gap = f"{OF_BROKERS}: {error.message}"
        return replace(found, unlooked=(*found.unlooked, gap))


def described(
    wire: "WireConnection", found: "MigrationEvidence", brokers: "Sequence[BrokerId]"
) -> "MigrationEvidence":
    from kadmin.admin.wire.describe_configs import read_brokers
    from kadmin.plan.migration.brokers import ASKED
    from kadmin.plan.migration.evidence import BrokerAnswer

    silent: dict[str, str] = {}
    denied: list[str] = []
    by_broker = read_brokers(wire, list(map(str, brokers)), denied=denied, silent=silent)
    answers = {
        type(brokers[0])(int(name)): BrokerAnswer(
            configs={config.name: config.value for config in configs if config.name in ASKED}
        )
        for name, configs in by_broker.items()
    }
    gaps = tuple(f"{OF_BROKERS}: broker {name} does not allow it" for name in denied)
    return replace(
        found,
        answers=answers,
        silent=tuple(broker for broker in brokers if str(broker) in silent),
        unlooked=(*found.unlooked, *gaps),
    )


def with_metrics(
    session: Session, found: "MigrationEvidence", endpoints: "Sequence[Endpoint]"
) -> "MigrationEvidence":
    """Return *found* with the requests of old clients that *endpoints* of brokers have counted."""
    from kadmin.admin.metrics.endpoints import read_endpoints
    from kadmin.plan.migration.old_clients import old_requests

    with session.budget.spending() as left_s:
        answers = read_endpoints(endpoints, left_s, is_usual=True)
    return replace(
        found,
        old_requests={
            name: tuple(old_requests(each))
            for name, each in answers.items()
            if not isinstance(each, str)
        },
        unlooked=(
            *found.unlooked,
            *(
                f"{OF_CLIENTS}: {name}: {each}"
                for name, each in answers.items()
                if isinstance(each, str)
            ),
        ),
    )


@contextmanager
def reading_log(session: Session, named: "str | Path") -> "Iterator[Callable[[], MetadataImage]]":
    """Hand out what reads the metadata log that is *named*: in a directory, or at the addresses of
    controllers, of whose log a copy is kept up to date as long as the block lasts.

    That raises:
        UnreadableMetadataLogError: the directory has no log that can be read.
        UnreachableError: no active controller answers.
    """
    from kadmin.app.metadata_log import read_image

    if isinstance(named, Path):
        yield lambda: read_image(named)
        return
    from kadmin.admin.wire.metadata_log import MetadataLogCopy
    from kadmin.jobs.temporary import temporary_directory

    with temporary_directory("kadmin-metadata-") as directory:
        copy = MetadataLogCopy(session.brokers_at(named), directory)

        def read() -> "MetadataImage":
            copy.update(session.budget)
            return read_image(directory)

        yield read


def compare_stores(session: Session, read_log: "Callable[[], MetadataImage]") -> "StoreReport":
    """Compare ZooKeeper with the metadata log, and once more what differs.

    Raises:
        UnreadableMetadataLogError, UnreachableError: *read_log* has no log.
        UnreachableError: no ZooKeeper answers.
    """
    from kadmin.plan.migration.store_diff import differences, store_report
    from kadmin.plan.migration.stores import facts_of_zookeeper

    looks = []
    with session.connect() as connection:
        for pause_s in (0.0, *LOOK_AGAIN_S):
            time.sleep(pause_s)
            found = evidence_of(connection)
            image = read_log()
            looks.append((facts_of_zookeeper(found), image.facts()))
            if not differences(*looks[-1]):
                break
    return store_report(looks, image, found.migration, found.damages)
