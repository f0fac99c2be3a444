"""The configs by Kafka's protocol: `kadmin.admin.ports.ConfigAdmin`.

A concurrent change of the same key is not noticed: brokers accept no fence.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial

from kafka.errors import ClusterAuthorizationFailedError, TopicAuthorizationFailedError

from cluster.model import fault as subjects
from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.fault import Fault
from cluster.model.ids import BrokerId
from cluster.model.outcome import Committed
from kadmin.admin.answers import ConfigSnapshot
from kadmin.admin.ports import Fence, Outcome
from kadmin.admin.wire.alter_configs import alter_resource
from kadmin.admin.wire.connection import WireConnection
from kadmin.admin.wire.credentials import (
    SINCE,
    WHAT,
    alter_credentials,
    read_credentials,
    require_credentials,
    tells_credentials,
)
from kadmin.admin.wire.describe_configs import (
    ALL_BROKERS,
    DENIALS,
    Described,
    config_values,
    overrides_of,
    read_brokers,
    read_topics,
)
from kadmin.admin.wire.outcomes import outcome
from kadmin.admin.wire.quotas import alter_quotas, read_quotas
from kadmin.admin.wire.snapshot import known_topics, names_to_ask, registration
from kadmin.arguments.entities import EntitySelection, Wanted
from kadmin.arguments.topics import TopicSelection
from kadmin.errors import KadminError, RefusedError
from kadmin.plan.broker_names import NoSuchBroker, hosts_of
from kadmin.plan.config_plan import QUOTA_KINDS, ConfigPlan, is_secret
from kadmin.plan.config_values import ConfigValue
from kadmin.plan.entity_options import options_of, order_of, parts_of
from kadmin.plan.scram import HASHES


class BrokerNotAlive(KadminError):
    """A broker that is not there is asked for its own configs."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"broker {name} is not alive, and only it can show or change its configs",
            hint=f"kadmin configs --zookeeper HOST:PORT --describe --broker {name}",
        )
        self.name = name


class TwoRequests(RefusedError):
    """Quotas and credentials go to brokers in two requests; one might be carried out alone."""

    def __init__(self, entity: ConfigEntity) -> None:
        super().__init__(
            f"quotas and SCRAM credentials of {entity} cannot be changed at once over the wire",
            hint="one command for each; or in one transaction: kadmin configs --zookeeper"
            f" HOST:PORT --alter {options_of(entity)} …",
        )


class WireConfigs:
    """The `ConfigAdmin` of a connection to brokers.

    *warn* takes a sentence for the operator about what brokers do not return.  Where it
    *leaves_out_silent* brokers, each of them is a fault beside the configs of the others.
    """

    def __init__(
        self,
        connection: WireConnection,
        warn: Callable[[str], None],
        *,
        leaves_out_silent: bool = False,
    ) -> None:
        self.connection = connection
        self.warn = warn
        self.leaves_out_silent = leaves_out_silent
        self.has_warned = False

    def absence(self) -> None:
        """Return None: brokers that answer are a cluster."""

    def topic_names(self, selection: TopicSelection) -> Sequence[str]:
        names = self.known_names(names_to_ask(selection))
        # Of a topic that is missing one wants to hear which are not.
        return self.known_names(None) if selection.missing(names) else names

    def known_names(self, names: Sequence[str] | None) -> Sequence[str]:
        """Return which of the topics *names* there are; None asks for all."""
        topics = self.connection.metadata(names)["topics"]
        # Configs have a right of their own: of these it is asked when they are read.
        hidden = [topic["name"] for topic in topics if topic["error_code"] in DENIALS]
        visible = known_topics(topic for topic in topics if topic["error_code"] not in DENIALS)
        return tuple(sorted([*hidden, *(topic.name for topic in visible)]))

    def find(self, selection: EntitySelection) -> list[ConfigEntity]:
        """Find the entities of *selection*; without names, all live brokers and their defaults."""
        named = selection.only_one()
        if named is not None:
            return [named]
        kind = selection.root.kind
        if kind in QUOTA_KINDS:
            return sorted(self.limited(selection), key=order_of)
        if kind is EntityKind.TOPICS:
            return [ConfigEntity(Entity(kind, name)) for name in self.known_names(None)]
        names = [None, *self.live_brokers()]
        return sorted((ConfigEntity(Entity(kind, name)) for name in names), key=order_of)

    def limited(self, selection: EntitySelection) -> set[ConfigEntity]:
        """Return who has quotas or credentials, of the users, clients or addresses of
        *selection*."""
        found = set(read_quotas(self.connection, selection.parts))
        if selection.parts == (Wanted(EntityKind.USERS),):
            users = self.credentials(None)
            found |= {ConfigEntity(Entity(EntityKind.USERS, user)) for user in users}
        return found

    def live_brokers(self) -> list[str]:
        return [str(broker["node_id"]) for broker in self.connection.metadata([])["brokers"]]

    def read(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, ConfigOverrides], Sequence[Fault]]:
        if not entities:
            return {}, ()
        if entities[0].root.kind in QUOTA_KINDS:
            return self.read_limits(entities), ()
        found, faults = self.described(entities)
        return {
            entity: ConfigOverrides(values=overrides_of(entity.root, answer))
            for entity, answer in found.items()
        }, faults

    def read_limits(self, entities: Sequence[ConfigEntity]) -> dict[ConfigEntity, ConfigOverrides]:
        """Return the quotas and credentials of users, clients or addresses."""
        parts = parts_of(entities[0])
        is_one = len(entities) == 1
        wanted = [Wanted(part.kind, part if is_one else None) for part in parts]
        values = read_quotas(self.connection, wanted)
        users = [entity.root.name for entity in entities if entity.root.name is not None]
        if len(parts) == 1 and parts[0].kind is EntityKind.USERS and users:
            for user, credentials in self.credentials(users if is_one else None).items():
                entity = ConfigEntity(Entity(EntityKind.USERS, user))
                values[entity] = credentials | values.get(entity, {})
        return {entity: ConfigOverrides(values=values.get(entity, {})) for entity in entities}

    def credentials(self, users: Sequence[str] | None) -> dict[str, dict[str, str]]:
        if tells_credentials(self.connection):
            return read_credentials(self.connection, users)
        if not self.has_warned:
            self.warn(f"{WHAT} are left out: brokers describe them from Kafka {SINCE} on")
        self.has_warned = True
        return {}

    def described(
        self, entities: Sequence[ConfigEntity], *, with_synonyms: bool = False
    ) -> tuple[dict[ConfigEntity, Described], Sequence[Fault]]:
        """Read the configs of the topics or brokers *entities*; deleted topics are left out.

        Configs that may not be read are a fault if others were read.

        Raises:
            BrokerNotAlive: one of the brokers.
            NoSuchBroker: one of them is none of the cluster.
            AuthorizationError: none of it may be read.
        """
        denied: list[str] = []
        silent: dict[str, str] = {}
        by_name = {entity.root.name or ALL_BROKERS: entity for entity in entities}
        if entities[0].kind is EntityKind.TOPICS:
            read: Callable[..., dict[str, Described]] = read_topics
        else:
            self.require_alive(by_name)
            read = partial(read_brokers, silent=silent if self.leaves_out_silent else None)
        answers = read(self.connection, list(by_name), with_synonyms=with_synonyms, denied=denied)
        if denied and not answers:
            is_topic = entities[0].kind is EntityKind.TOPICS
            error = TopicAuthorizationFailedError if is_topic else ClusterAuthorizationFailedError
            raise error(f"configs of {by_name[denied[0]]}")
        found = {entity: answers[name] for name, entity in by_name.items() if name in answers}
        return found, [
            *(
                subjects.hidden(subjects.config(by_name[name]), f"the configs of {by_name[name]}")
                for name in denied
            ),
            *(
                subjects.unavailable(
                    subjects.config(by_name[name]), f"the configs of {by_name[name]}", reason
                )
                for name, reason in sorted(silent.items())
            ),
        ]

    def require_alive(self, names: Collection[str]) -> None:
        """Raise NoSuchBroker or BrokerNotAlive for those of *names* that no live broker has."""
        alive = self.live_brokers()
        dead = [name for name in names if name not in (ALL_BROKERS, *alive)]
        if not dead:
            return
        topics = self.connection.metadata(None)["topics"]
        hosts = hosts_of(known_topics(topic for topic in topics if topic["error_code"] == 0))
        known = hosts.union(map(BrokerId, map(int, alive)))
        missing = {BrokerId(int(name)) for name in dead} - hosts
        if missing:
            raise NoSuchBroker(missing, known)
        raise BrokerNotAlive(dead[0])

    def read_all(
        self, entities: Sequence[ConfigEntity]
    ) -> tuple[Mapping[ConfigEntity, Sequence[ConfigValue]], Sequence[Fault]]:
        if not entities:
            return {}, ()
        found, faults = self.described(entities, with_synonyms=True)
        return {entity: config_values(entity.root, one) for entity, one in found.items()}, faults

    def snapshot(self, entities: Sequence[ConfigEntity]) -> ConfigSnapshot:
        names = [str(entity.root.name) for entity in entities if entity.kind is EntityKind.TOPICS]
        metadata = self.connection.metadata(names)
        protocol = self.connection.settings.protocol
        brokers = [registration(broker, protocol) for broker in metadata["brokers"]]
        topics = {topic.name: topic.assignment for topic in known_topics(metadata["topics"])}
        configs, faults = self.read(entities)
        gone = {
            str(entity.root.name)
            for entity in entities
            if entity.kind is EntityKind.TOPICS and entity not in configs
        }
        return ConfigSnapshot(
            configs=configs,
            faults=tuple(faults),
            brokers={broker.broker_id: broker for broker in brokers},
            topics=topics,
            missing_topics=frozenset(gone | (set(names) - topics.keys())),
            is_from_brokers=True,
        )

    def fence(self) -> Fence:
        return self.connection.fence()

    def dry_run(self, plans: Sequence[ConfigPlan]) -> None:
        """Have the brokers validate each of *plans* without changing anything.

        There is no such request for credentials: only whether brokers support any is checked.
        """
        if not self.connection.settings.tls and any(map(sets_secret, plans)):
            self.warn(
                "a password goes to the brokers where others can read it on its way, or a hash that"
                " is as good as it; --broker-tls keeps it to them"
            )
        for plan in plans:
            if plan.changes:
                self.ask(plan, validates_only=True)

    def write(self, fence: Fence, plan: ConfigPlan) -> Outcome:
        if not plan.changes:
            return Committed()
        with self.connection.changing(f"change configs of {plan.entity}"):
            return self.ask(plan, validates_only=False)

    def ask(self, plan: ConfigPlan, *, validates_only: bool) -> Outcome:
        code, reason = self.send(plan, validates_only=validates_only)
        return outcome(code, f"change configs of {plan.entity}", str(plan.entity), reason)

    def send(self, plan: ConfigPlan, *, validates_only: bool) -> tuple[int, str | None]:
        """Send *plan* by the request that is made for it; the answer's error code and reason."""
        connection = self.connection
        if plan.entity.root.kind not in QUOTA_KINDS:
            return alter_resource(connection, plan, validates_only=validates_only)
        names = {change.name for change in plan.changes}
        if not names & HASHES.keys():
            return alter_quotas(connection, plan, validates_only=validates_only)
        if names - HASHES.keys():
            raise TwoRequests(plan.entity)
        require_credentials(connection)
        return (0, None) if validates_only else alter_credentials(connection, plan)


def sets_secret(plan: ConfigPlan) -> bool:
    """Return whether *plan* sends brokers a value that must not be shown."""
    return any(
        change.after is not None and is_secret(plan.entity.kind, change.name)
        for change in plan.changes
    )
