"""The clients of the ensemble, matched with the brokers that are registered there."""

import socket
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from kadmin.app.session import Session

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from cluster.model.broker import BrokerRegistration
    from cluster.model.ids import BrokerId
    from kadmin.plan.zookeeper_clients import ClientReport

GAPS_MAX: Final = 3
"""So many paths that may not be read are named."""


def read_clients(session: Session, admin_port: int | None) -> "ClientReport":
    """Ask each server for its clients, and name them.

    Raises:
        UnreachableError: no server opens a session.
    """
    from kadmin.admin.zookeeper.client_probe import ask_clients
    from kadmin.admin.zookeeper.migration.reading import has_migration_node, read_old_consumers
    from kadmin.admin.zookeeper.snapshot import read_snapshot
    from kadmin.arguments.topics import TopicSelection
    from kadmin.plan.migration.evidence import Damage
    from kadmin.plan.zookeeper_clients import NO_SESSION, report_on

    now_ms = time.time_ns() // 1_000_000
    settings = session.settings.zookeeper()
    _, slash, chroot = settings.connect.partition("/")
    with session.connect() as connection:
        snapshot = connection.read(
            read_snapshot(settings.connect, TopicSelection(), with_topics=False)
        )
        damages: list[Damage] = []
        groups = connection.read(read_old_consumers(damages))
        has_node = connection.read(has_migration_node())
        answers = ask_clients(settings, admin_port)
        own, _ = connection.client.client_id or (NO_SESSION, b"")
    controller = snapshot.controller
    report = report_on(
        answers,
        f"{slash}{chroot}",
        addresses_of(snapshot.brokers),
        None if controller is None or controller.is_kraft else controller.broker_id,
        own,
        has_kraft=(controller is not None and controller.is_kraft) or has_node,
    )
    used = tuple(group for group in groups if group.is_in_use(now_ms))
    gaps = tuple(
        f"old consumers at {damage.path}: {damage.reason}" for damage in damages[:GAPS_MAX]
    )
    return replace(report, old_consumers=used, unlooked=(*report.unlooked, *gaps))


def addresses_of(
    brokers: "Mapping[BrokerId, BrokerRegistration]",
) -> "dict[str, tuple[BrokerId, ...]]":
    """Return the addresses of *brokers*, as far as their host names are known here."""
    found: dict[str, tuple[BrokerId, ...]] = {}
    for broker in brokers.values():
        for address in set(resolved(end.host for end in broker.endpoints if end.host)):
            found[address] = (*found.get(address, ()), broker.broker_id)
    return found


def resolved(hosts: "Iterable[str]") -> "Iterable[str]":
    for host in set(hosts):
        with suppress(OSError):
            yield from {str(each[4][0]) for each in socket.getaddrinfo(host, None)}
