"""The session of one command: its settings, its output, and the way to the cluster."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from kadmin.settings.keys import Value

if TYPE_CHECKING:
    from kadmin.admin.ports import (
        AclAdmin,
        ConfigAdmin,
        ElectionAdmin,
        ReassignmentAdmin,
        TopicAdmin,
    )
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.probe import Probe
    from kadmin.admin.zookeeper.connection import Connection
    from kadmin.admin.zookeeper.glance import Glance
    from kadmin.plan.election import ElectionType
    from kadmin.render.output import Output
    from kadmin.settings.brokers import BrokerSettings
    from kadmin.settings.resolve import Settings


class Session:
    """One run of kadmin: the settings, the output, and the way to the cluster."""

    def __init__(self, flags: dict[str, Value]) -> None:
        self.flags = flags
        self.is_mute = False
        self._has_warned_of_secrets = False
        self._glances: dict[str, Glance] = {}
        self._probes: dict[str, Probe] = {}

    @cached_property
    def settings(self) -> "Settings":
        from kadmin.settings.resolve import resolve

        return resolve(self.flags)

    @cached_property
    def output(self) -> "Output":
        from kadmin.render.output import Output

        output = Output.of_settings(self.settings)
        if self.is_mute:
            output.mute()
        return output

    def aimed(self, text: str) -> str:
        """*text*, its commands aimed at the cluster that is meant here."""
        from kadmin.cli.aim import aimed

        return aimed(text, self.flags)

    def note(self, text: str) -> None:
        """Note *text*, unless that is not wanted, its commands aimed as those of `warn`."""
        self.output.note(self.aimed(text))

    def warn(self, text: str) -> None:
        """Warn of *text*, its commands aimed at the cluster that is meant here."""
        self.output.warn(self.aimed(text))

    @contextmanager
    def connect(self) -> Iterator["Connection"]:
        """Open a ZooKeeper session to the cluster that is meant, and close it at the end."""
        from kadmin.admin.zookeeper.connection import connect

        zookeeper = self.settings.zookeeper()
        if "command_config" in self.flags:
            # Brokers may be asked later, or not at all: a wrong file is no matter of luck.
            from kadmin.settings.brokers import with_file

            with_file(self.settings)
        self.warn_of_exposed_secrets()
        log = sys.stderr if self.settings.flag("debug") else None
        with connect(zookeeper, note=self.output.note, log=log) as connection:
            if "," in zookeeper.connect and zookeeper.connect not in self._glances:
                from kadmin.admin.zookeeper.glance import Glance

                self._glances[zookeeper.connect] = Glance(zookeeper, connection.server)
            yield connection

    def name_down_servers(self) -> None:
        """Warn of the ZooKeepers that are down, beside those that were used since the last time,
        and of the brokers that were named with others and do not answer.

        Called when the result is out, which waits for no server that is down.
        """
        for glance in self._glances.values():
            for server, reason in glance.down().items():
                self.warn(f"ZooKeeper {server} is down: {reason} ('kadmin zookeeper' shows all)")
        for probe in self._probes.values():
            down = [f"{address} ({reason})" for address, reason in probe.down().items()]
            if down:
                from kadmin.plan.wording import listed

                self.warn(f"no broker answers at {listed(down)}")
        self._forget_servers()

    def leave_out_down_servers(self) -> None:
        """Warn of none of those that were used up to now: the result tells of them."""
        self._forget_servers()

    def _forget_servers(self) -> None:
        self._glances.clear()
        self._probes.clear()

    def brokers(self) -> "BrokerSettings":
        """How the brokers are reached that are meant: those named, or those ZooKeeper knows.

        Raises:
            UsageError: no cluster is named anywhere, or its settings make no safe connection.
        """
        self.settings.check_cluster()
        bootstrap = self.settings.text("bootstrap_server")
        if bootstrap is not None:
            self.warn_of_exposed_secrets()
            return self._brokers_at(bootstrap)
        with self.connect() as connection:
            return self.brokers_by(connection)

    def brokers_by(self, connection: "Connection") -> "BrokerSettings":
        """How the brokers are reached that are named, or that *connection* knows.

        Raises:
            KadminError: none is alive, or none listens as it is asked for.
            UsageError: the settings make no safe connection.
        """
        from dataclasses import replace

        from kadmin.admin.zookeeper.bootstrap import read_bootstrap
        from kadmin.settings.brokers import protocol_of_settings

        bootstrap = self.settings.text("bootstrap_server")
        if bootstrap is not None:
            return self._brokers_at(bootstrap)
        found = read_bootstrap(connection, protocol_of_settings(self.settings))
        addresses = ",".join(address for listeners in found for address in listeners)
        return replace(self._brokers_at(addresses), same_broker=found)

    def _brokers_at(self, bootstrap: str) -> "BrokerSettings":
        """How the brokers at *bootstrap* are reached; warns once of exposed secrets."""
        from kadmin.settings.brokers import broker_settings

        found = broker_settings(self.settings, bootstrap)
        if self.settings.text("command_config") is not None and not self._has_warned_of_secrets:
            from kadmin.settings.command_config import exposed_secrets

            self._has_warned_of_secrets = True
            path, keys = exposed_secrets(self.settings)
            if keys:
                self.output.warn(f"others can read {', '.join(keys)} in {path}: chmod 600 {path}")
        return found

    @property
    def asks_brokers(self) -> bool:
        """Whether brokers are named and no ZooKeeper, which knows more, is."""
        return self.settings.text("zookeeper") is None and self.names_brokers

    @property
    def names_brokers(self) -> bool:
        return self.settings.text("bootstrap_server") is not None

    @contextmanager
    def topics(self) -> Iterator["TopicAdmin"]:
        """Open a connection to whoever is to be asked about topics, and close it at the end."""
        if self.asks_brokers:
            from kadmin.admin.wire.wire_topics import WireTopics

            with self.connect_brokers() as brokers:
                yield WireTopics(brokers)
            return
        from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics

        with self.connect() as connection:
            yield ZooKeeperTopics(connection)

    @contextmanager
    def configs(self) -> Iterator["ConfigAdmin"]:
        """Open a connection to whoever is to be asked about configs, and close it at the end."""
        if self.asks_brokers:
            from kadmin.admin.wire.wire_configs import WireConfigs

            with self.connect_brokers() as brokers:
                yield WireConfigs(brokers, self.output.warn)
            return
        from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs

        with self.connect() as connection:
            yield ZooKeeperConfigs(connection)

    @contextmanager
    def acls(self) -> Iterator["AclAdmin"]:
        """Open a connection to whoever is to be asked about ACLs, and close it at the end."""
        if self.asks_brokers:
            from kadmin.admin.wire.wire_acls import WireAcls

            with self.connect_brokers() as brokers:
                yield WireAcls(brokers)
            return
        from kadmin.admin.zookeeper.zookeeper_acls import ZooKeeperAcls

        with self.connect() as connection:
            yield ZooKeeperAcls(connection, self.output.warn)

    @contextmanager
    def elections(self, kind: "ElectionType") -> Iterator["ElectionAdmin"]:
        """Open a connection to whoever has leaders elected, and close it at the end.

        Brokers where any are named that have to be asked: ZooKeeper takes no unclean election.
        """
        from kadmin.plan.election import ElectionType

        if self.asks_brokers or kind is ElectionType.UNCLEAN:
            from kadmin.admin.wire.wire_elections import WireElections

            with self.connect_brokers() as brokers:
                yield WireElections(brokers, kind)
            return
        from kadmin.admin.zookeeper.zookeeper_elections import ZooKeeperElections

        with self.connect() as connection:
            yield ZooKeeperElections(connection)

    @contextmanager
    def reassignments(self, *, by_brokers: bool = False) -> Iterator["ReassignmentAdmin"]:
        """Open a connection to whoever has replicas moved, and close it at the end.

        *by_brokers* it is for what ZooKeeper does not take.
        """
        if self.asks_brokers or by_brokers:
            from kadmin.admin.wire.wire_reassignments import WireReassignments
            from kadmin.admin.zookeeper.lease_beside import LeaseBeside

            lease = LeaseBeside(self.connect_zookeeper_beside)
            with self.connect_brokers() as brokers:
                yield WireReassignments(brokers, self.output.warn, lease)
            return
        from contextlib import closing

        from kadmin.admin.wire.late_replicas import LateReplicas
        from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments

        with (
            self.connect() as connection,
            closing(LateReplicas(lambda: self.connect_beside(connection))) as replicas,
        ):
            yield ZooKeeperReassignments(connection, replicas)

    @contextmanager
    def connect_beside(self, connection: "Connection") -> Iterator["WireConnection"]:
        """Connect to the brokers while *connection* tells what has to be known: nobody waits for
        them for long, or hears of those that are down."""
        from dataclasses import replace

        from kadmin.admin.wire.late_replicas import PATIENCE_S
        from kadmin.admin.wire.opening import connect_brokers

        found = self.brokers_by(connection)
        found = replace(found, timeout_s=min(found.timeout_s, PATIENCE_S))
        log = sys.stderr if self.settings.flag("debug") else None
        with connect_brokers(found, log=log) as brokers:
            yield brokers

    @contextmanager
    def connect_zookeeper_beside(self, connect: str) -> Iterator["Connection"]:
        """Open a session to the ZooKeeper that brokers name, which is not waited for for long."""
        from dataclasses import replace

        from kadmin.admin.wire.late_replicas import PATIENCE_S
        from kadmin.admin.zookeeper.connection import connect as connect_zookeeper
        from kadmin.settings.keys import parse_connect

        found = self.settings.zookeeper_at(parse_connect(connect))
        found = replace(found, timeout_s=min(found.timeout_s, PATIENCE_S))
        log = sys.stderr if self.settings.flag("debug") else None
        with connect_zookeeper(found, log=log) as connection:
            yield connection

    @contextmanager
    def connect_brokers(self) -> Iterator["WireConnection"]:
        """Connect to the brokers that are meant, and close the connections at the end."""
        from kadmin.admin.wire.opening import connect_brokers

        log = sys.stderr if self.settings.flag("debug") else None
        with connect_brokers(self.brokers(), log=log) as connection:
            if connection.probe is not None:
                self._probes[connection.settings.bootstrap] = connection.probe
            yield connection

    def warn_of_exposed_secrets(self) -> None:
        path = self.settings.file.path
        for name in self.settings.exposed_secrets():
            self.output.warn(f"others can read {name} in {path}: chmod 600 {path}")
