"""The session of one run: its settings, and the way to the cluster.

Knows no terminal: a command, a page and a supervisor have one each.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Final, TypeVar

from kadmin.budget import Budget
from kadmin.errors import UnreachableError
from kadmin.settings.keys import Value

if TYPE_CHECKING:
    from kadmin.admin.ports import (
        AclAdmin,
        ConfigAdmin,
        ElectionAdmin,
        GroupAdmin,
        ReassignmentAdmin,
        TopicAdmin,
    )
    from kadmin.admin.wire.connection import WireConnection
    from kadmin.admin.wire.patience import Patience
    from kadmin.admin.wire.probe import Probe
    from kadmin.admin.zookeeper.connection import Connection, ZooKeeperSilent
    from kadmin.admin.zookeeper.ensemble_probe import EnsembleProbe
    from kadmin.plan.election import ElectionType
    from kadmin.settings.brokers import BrokerSettings
    from kadmin.settings.resolve import Settings


ELECTION_S: Final = 5.0
"""How long a read waits for ZooKeepers without a majority, where brokers can answer instead."""
NAME_BROKERS: Final = "name brokers, too, by --bootstrap-server: they answer what they know"

Port = TypeVar("Port")


class Session:
    """The settings of one run, the time that it may spend, and its connections.

    A subclass decides where notes and warnings go.
    """

    def __init__(self, flags: dict[str, Value]) -> None:
        self.flags = flags
        self._has_warned_of_secrets = False
        self.zookeeper_failure: ZooKeeperSilent | None = None
        """Why brokers are asked in the place of ZooKeeper, which is named; None where it is."""
        self._ensembles: dict[str, EnsembleProbe] = {}
        self._probes: dict[str, Probe] = {}

    def note(self, text: str) -> None:
        """Note *text*, which may be dropped."""
        raise NotImplementedError

    def warn(self, text: str) -> None:
        """Warn of *text*."""
        raise NotImplementedError

    @cached_property
    def settings(self) -> "Settings":
        from kadmin.settings.resolve import resolve

        return resolve(self.flags)

    @cached_property
    def budget(self) -> Budget:
        """The time that this command may spend waiting for servers."""
        return Budget(self.settings.timeout_s)

    @cached_property
    def patience(self) -> "Patience":
        """How long each broker is waited for."""
        from kadmin.admin.wire.patience import Patience

        return Patience()

    def look_again(self) -> None:
        """Begin another look at the cluster, which has its time anew; a broker that does not answer
        does not hold up the answers of the others."""
        self.budget.renew()
        self.patience.looks += 1
        self.zookeeper_failure = None

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
        probe = self._ensembles.get(zookeeper.connect)
        has_brokers = self.known_brokers is not None
        if probe is None and ("," in zookeeper.connect or has_brokers):
            from kadmin.admin.zookeeper.ensemble_probe import EnsembleProbe

            probe = self._ensembles[zookeeper.connect] = EnsembleProbe(zookeeper)
        with connect(
            zookeeper,
            note=self.note,
            log=log,
            budget=self.budget,
            probe=probe,
            patience_s=ELECTION_S if has_brokers else None,
        ) as connection:
            yield connection

    @contextmanager
    def asked(
        self,
        by_zookeeper: "Callable[[Connection], Port]",
        by_brokers: "Callable[[WireConnection], Port]",
    ) -> "Iterator[Port]":
        """Open a connection to ZooKeeper if it is named, else to brokers, and yield what the
        function for it makes of it; the connection is closed at the end.

        While no ZooKeeper opens a session, the brokers that are named beside it answer reads;
        nothing can be changed by them then.

        Raises:
            ZooKeeperSilent: no brokers are known.
        """
        with ExitStack() as stack:
            opened = None
            if not self.asks_brokers:
                opened = self.or_fall_back(lambda: stack.enter_context(self.connect()))
            if opened is None:
                yield by_brokers(stack.enter_context(self.connect_brokers()))
            else:
                yield by_zookeeper(opened)

    def or_fall_back(self, ask: "Callable[[], Port]") -> "Port | None":
        """What *ask* has of ZooKeeper; None where it opens no session, and brokers are asked from
        here on.

        Raises:
            ZooKeeperSilent: no brokers are known.
        """
        from kadmin.admin.zookeeper.connection import ZooKeeperSilent

        try:
            return ask()
        except ZooKeeperSilent as error:
            if self.known_brokers is None:
                self._forget_servers()
                # Only here: other commands need ZooKeeper, whatever brokers know.
                error.hint = f"{error.hint}; {NAME_BROKERS}"
                raise
            self.zookeeper_failure = error
            self.warn(
                f"{error.message} ('kadmin zookeeper' shows each server): what brokers know is"
                " shown, as they knew it when it was lost"
            )
            self._forget_servers()
        return None

    @property
    def known_brokers(self) -> str | None:
        """The brokers that are named, or that stand in the configuration file beside the ZooKeeper
        that is; None where there are none."""
        return self.settings.text("bootstrap_server") or self.settings.brokers_beside()

    def name_down_servers(self) -> None:
        """Warn of the ZooKeepers that are down, beside those that were used since the last time,
        and of the brokers that were named with others and do not answer.

        Called when the result is out, which waits for no server that is down.
        """
        for ensemble in self._ensembles.values():
            for server, reason in ensemble.down().items():
                self.warn(f"ZooKeeper {server} is down: {reason} ('kadmin zookeeper' shows all)")
        self.note_age()
        for probe in self._probes.values():
            down = [f"{address} ({reason})" for address, reason in probe.down().items()]
            if down:
                from kadmin.wording import listed

                self.warn(f"no broker answers at {listed(down)}")
        self._forget_servers()

    def note_age(self) -> None:
        """Note how old a result may be that had to wait for servers."""

    def leave_out_down_servers(self) -> None:
        """Do not warn of the servers that were used up to now: the result names them."""
        self._forget_servers()

    def _forget_servers(self) -> None:
        for ensemble in self._ensembles.values():
            ensemble.close()
        for probe in self._probes.values():
            probe.close()
        self._ensembles.clear()
        self._probes.clear()

    def brokers(self) -> "BrokerSettings":
        """How the brokers are reached that are meant: those named, or those ZooKeeper knows.

        Raises:
            UsageError: no cluster is named anywhere, or its settings make no safe connection.
        """
        self.settings.check_cluster()
        bootstrap = self.settings.text("bootstrap_server")
        if bootstrap is None and self.zookeeper_failure is None:
            found = self.or_fall_back(self.brokers_of_zookeeper)
            if found is not None:
                return found
        if bootstrap is None:
            bootstrap = self.known_brokers
        assert bootstrap is not None, "no one falls back to brokers that nobody knows"
        self.warn_of_exposed_secrets()
        return self.brokers_at(bootstrap)

    def brokers_of_zookeeper(self) -> "BrokerSettings":
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
            return self.brokers_at(bootstrap)
        found = read_bootstrap(connection, protocol_of_settings(self.settings))
        addresses = ",".join(address for listeners in found for address in listeners)
        return replace(self.brokers_at(addresses), same_broker=found)

    def brokers_at(self, bootstrap: str) -> "BrokerSettings":
        """How the brokers, or controllers, at *bootstrap* are reached; warns once of exposed
        secrets."""
        from kadmin.settings.brokers import broker_settings

        found = broker_settings(self.settings, bootstrap)
        if self.settings.text("command_config") is not None and not self._has_warned_of_secrets:
            from kadmin.settings.command_config import exposed_secrets

            self._has_warned_of_secrets = True
            path, keys = exposed_secrets(self.settings)
            if keys:
                self.warn(f"others can read {', '.join(keys)} in {path}: chmod 600 {path}")
        return found

    @property
    def asks_brokers(self) -> bool:
        """Whether brokers are named and no ZooKeeper, which knows more, is, or none serves."""
        if self.zookeeper_failure is not None:
            return True
        return self.settings.text("zookeeper") is None and self.names_brokers

    @property
    def names_brokers(self) -> bool:
        return self.settings.text("bootstrap_server") is not None

    @property
    def names_only_zookeeper(self) -> bool:
        """Whether the options name a ZooKeeper, and no brokers."""
        return "zookeeper" in self.flags and "bootstrap_server" not in self.flags

    @contextmanager
    def topics(self) -> Iterator["TopicAdmin"]:
        """Open a connection for topics; it is closed at the end."""

        def by_zookeeper(connection: "Connection") -> "TopicAdmin":
            from kadmin.admin.zookeeper.zookeeper_topics import ZooKeeperTopics

            return ZooKeeperTopics(connection)

        def by_brokers(brokers: "WireConnection") -> "TopicAdmin":
            from kadmin.admin.wire.wire_topics import WireTopics

            return WireTopics(brokers)

        with self.asked(by_zookeeper, by_brokers) as admin:
            yield admin

    @contextmanager
    def configs(self, *, by_brokers: bool = False) -> Iterator["ConfigAdmin"]:
        """Open a connection for configs; it is closed at the end.

        *by_brokers* is for what ZooKeeper would take unchecked.
        """

        def admin_by_zookeeper(connection: "Connection") -> "ConfigAdmin":
            from kadmin.admin.zookeeper.zookeeper_configs import ZooKeeperConfigs

            return ZooKeeperConfigs(connection)

        def admin_by_brokers(brokers: "WireConnection") -> "ConfigAdmin":
            from kadmin.admin.wire.wire_configs import WireConfigs

            return WireConfigs(brokers, self.warn)

        if by_brokers:
            with self.connect_brokers() as brokers:
                yield admin_by_brokers(brokers)
            return
        with self.asked(admin_by_zookeeper, admin_by_brokers) as admin:
            yield admin

    @contextmanager
    def acls(self) -> Iterator["AclAdmin"]:
        """Open a connection for ACLs; it is closed at the end."""

        def by_zookeeper(connection: "Connection") -> "AclAdmin":
            from kadmin.admin.zookeeper.zookeeper_acls import ZooKeeperAcls

            return ZooKeeperAcls(connection, self.warn)

        def by_brokers(brokers: "WireConnection") -> "AclAdmin":
            from kadmin.admin.wire.wire_acls import WireAcls

            return WireAcls(brokers)

        with self.asked(by_zookeeper, by_brokers) as admin:
            yield admin

    @contextmanager
    def elections(self, kind: "ElectionType") -> Iterator["ElectionAdmin"]:
        """Open a connection for elections of *kind*; it is closed at the end.

        Unclean elections go to the brokers: ZooKeeper takes none.
        """
        from kadmin.plan.election import ElectionType

        def by_zookeeper(connection: "Connection") -> "ElectionAdmin":
            from kadmin.admin.zookeeper.zookeeper_elections import ZooKeeperElections

            return ZooKeeperElections(connection)

        def by_brokers(brokers: "WireConnection") -> "ElectionAdmin":
            from kadmin.admin.wire.wire_elections import WireElections

            return WireElections(brokers, kind)

        if kind is ElectionType.UNCLEAN:
            with self.connect_brokers() as brokers:
                yield by_brokers(brokers)
            return
        with self.asked(by_zookeeper, by_brokers) as admin:
            yield admin

    @contextmanager
    def reassignments(self, *, by_brokers: bool = False) -> Iterator["ReassignmentAdmin"]:
        """Open a connection for reassignments; it is closed at the end.

        *by_brokers* is for requests that ZooKeeper does not take.
        """
        with ExitStack() as stack:

            def admin_by_zookeeper(connection: "Connection") -> "ReassignmentAdmin":
                from kadmin.admin.wire.late_replicas import LateReplicas
                from kadmin.admin.zookeeper.zookeeper_reassignments import ZooKeeperReassignments

                late = LateReplicas(lambda: self.connect_beside(connection))
                return ZooKeeperReassignments(connection, stack.enter_context(closing(late)))

            def admin_by_brokers(brokers: "WireConnection") -> "ReassignmentAdmin":
                from kadmin.admin.wire.wire_reassignments import WireReassignments
                from kadmin.admin.zookeeper.lease_beside import LeaseBeside

                lease = LeaseBeside(self.connect_zookeeper_beside)
                return WireReassignments(brokers, self.warn, lease)

            if by_brokers:
                yield admin_by_brokers(stack.enter_context(self.connect_brokers()))
            else:
                yield stack.enter_context(self.asked(admin_by_zookeeper, admin_by_brokers))

    @contextmanager
    def groups(self, *, in_zookeeper: bool = False) -> Iterator["GroupAdmin"]:
        """Open a connection for the groups of consumers that brokers keep, or for those of old
        consumers *in_zookeeper*; it is closed at the end.
        """
        if not in_zookeeper:
            from kadmin.admin.wire.wire_groups import WireGroups

            with self.connect_brokers() as brokers:
                yield WireGroups(brokers)
            return
        from kadmin.admin.wire.late_logs import LateLogs
        from kadmin.admin.zookeeper.zookeeper_groups import ZooKeeperGroups

        with (
            self.connect() as connection,
            closing(LateLogs(lambda: self.connect_logs(connection))) as logs,
        ):
            yield ZooKeeperGroups(connection, logs, self.warn)

    @contextmanager
    def both_groups(self) -> Iterator[tuple["GroupAdmin", "GroupAdmin"]]:
        """Open connections for the groups in ZooKeeper and for those of its brokers.

        Raises:
            OtherCluster: the brokers that are named are not those of this ZooKeeper.
        """
        from kadmin.admin.wire.wire_groups import WireGroups
        from kadmin.admin.zookeeper.bootstrap import require_same_cluster
        from kadmin.admin.zookeeper.zookeeper_groups import ZooKeeperGroups

        with self.connect() as connection, self.connect_brokers(connection) as brokers:
            cluster_id = brokers.metadata([]).get("cluster_id")
            require_same_cluster(connection, cluster_id, brokers.settings.bootstrap)
            of_brokers = WireGroups(brokers)
            yield ZooKeeperGroups(connection, of_brokers, self.warn), of_brokers

    @contextmanager
    def connect_logs(self, connection: "Connection") -> Iterator["WireConnection"]:
        """Connect to the brokers that have the logs of the groups that *connection* reads."""
        with self.budget.sharing(), self.connect_brokers(connection) as brokers:
            yield brokers

    @contextmanager
    def connect_beside(self, connection: "Connection") -> Iterator["WireConnection"]:
        """Connect to the brokers while *connection* reads what is required: they are not waited for
        long, and brokers that are down are not reported.
        """
        from dataclasses import replace

        from kadmin.admin.wire.late_brokers import PATIENCE_S
        from kadmin.admin.wire.opening import connect_brokers

        found = self.brokers_by(connection)
        found = replace(found, timeout_s=min(self.budget.left_s(), PATIENCE_S))
        log = sys.stderr if self.settings.flag("debug") else None
        with connect_brokers(found, log=log) as brokers:
            yield brokers

    @contextmanager
    def connect_zookeeper_beside(self, connect: str) -> Iterator["Connection"]:
        """Open a session to the ZooKeeper that brokers name, which is not waited for for long."""
        from dataclasses import replace

        from kadmin.admin.wire.late_brokers import PATIENCE_S
        from kadmin.admin.zookeeper.connection import connect as connect_zookeeper
        from kadmin.admin.zookeeper.ensemble_probe import EnsembleProbe
        from kadmin.settings.keys import parse_connect

        found = self.settings.zookeeper_at(parse_connect(connect))
        found = replace(found, timeout_s=min(self.budget.left_s(), PATIENCE_S))
        log = sys.stderr if self.settings.flag("debug") else None
        with (
            self.budget.spending(),
            closing(EnsembleProbe(found)) as probe,
            connect_zookeeper(found, log=log, probe=probe) as connection,
        ):
            yield connection

    @contextmanager
    def connect_brokers(self, by: "Connection | None" = None) -> Iterator["WireConnection"]:
        """Connect to the brokers that are meant, and close the connections at the end; where they
        are not named, *by* knows them."""
        from kadmin.admin.wire.opening import connect_brokers
        from kadmin.admin.wire.probe import Probe

        log = sys.stderr if self.settings.flag("debug") else None
        found = self.brokers() if by is None else self.brokers_by(by)
        probe = self._probes[found.bootstrap] = Probe(found)
        try:
            with connect_brokers(
                found, log=log, budget=self.budget, probe=probe, patience=self.patience
            ) as connection:
                connection.hindrance = self.zookeeper_failure
                yield connection
        except UnreachableError as error:
            if self.zookeeper_failure is None or error is self.zookeeper_failure:
                raise
            raise UnreachableError(
                f"the brokers cannot answer this without ZooKeeper: {error.message}",
                hint="'kadmin zookeeper' shows each server",
            ) from error

    def warn_of_exposed_secrets(self) -> None:
        path = self.settings.file.path
        for name in self.settings.exposed_secrets():
            self.warn(f"others can read {name} in {path}: chmod 600 {path}")
