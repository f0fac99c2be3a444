"""The entities whose configs a command line means, as the cluster has them."""

from cluster.model.config_entity import ConfigEntity, EntityKind, topic_entity
from cluster.model.ids import BrokerId
from kadmin.admin.ports import ConfigAdmin
from kadmin.arguments.entities import EntitySelection, Wanted
from kadmin.arguments.topics import TopicSelection, selection_of
from kadmin.cli.session import Session
from kadmin.errors import KadminError, hint_for_missing
from kadmin.plan.broker_names import refuse_unknown_brokers

ALL_CLIENTS_OF_ALL_USERS = EntitySelection(Wanted(EntityKind.USERS), Wanted(EntityKind.CLIENTS))


class NoSuchUser(KadminError):
    """A user without quotas and credentials, which is all that the cluster stores about users."""

    def __init__(self, name: str, known: list[str]) -> None:
        super().__init__(
            f"there is no user '{name}': no quota is set for it, and no credential",
            hint=hint_for_missing(
                name, known, listed_by="kadmin configs --describe --entity-type users"
            ),
        )
        self.name = name


class NoQuota(KadminError):
    """A client or an address for which no quota is set, which is all that the cluster stores about
    them."""

    def __init__(self, entity: ConfigEntity, known: list[str]) -> None:
        named = entity.child or entity.root
        name = str(named.name)
        what = "client" if named.kind is EntityKind.CLIENTS else "IP address"
        whose = "" if entity.child is None else f" of {entity.root}"
        types = " ".join(
            f"--entity-type {each.kind}" for each in (entity.root, entity.child) if each is not None
        )
        super().__init__(
            f"there is no {what} '{name}'{whose}: no quota is set for it",
            hint=hint_for_missing(name, known, listed_by=f"kadmin configs --describe {types}"),
        )
        self.entity = entity


def entities_of(admin: ConfigAdmin, selection: EntitySelection) -> list[ConfigEntity]:
    """Return the entities that are meant; a topic that is named must exist.

    Raises:
        NoSuchTopic: it does not, or no topic matches.
    """
    root = selection.root.entity
    if selection.root.kind is not EntityKind.TOPICS or root is None:
        return admin.find(selection)
    topics = selection_of([str(root.name)], is_regex=False)
    names = topics.require(admin.topic_names(topics))
    return [topic_entity(name) for name in names]


def require_user(admin: ConfigAdmin, name: str) -> None:
    """Raise NoSuchUser unless the user *name* has, or had, configs of its own or of its clients."""
    found = admin.find(EntitySelection(Wanted(EntityKind.USERS)))
    if all(each.root.name != name for each in found):
        found = admin.find(ALL_CLIENTS_OF_ALL_USERS)
        known = sorted({each.root.name for each in found if each.root.name is not None})
        if name not in known:
            raise NoSuchUser(name, known)


def require_quota(admin: ConfigAdmin, entity: ConfigEntity) -> None:
    """Raise NoQuota where *entity*, which has no configs, is a client or an address with a name."""
    named = entity.child or entity.root
    if named.kind not in (EntityKind.CLIENTS, EntityKind.IPS) or named.name is None:
        return
    all_of_kind = Wanted(named.kind)
    if entity.child is None:
        found = admin.find(EntitySelection(all_of_kind))
    else:
        found = admin.find(EntitySelection(Wanted(EntityKind.USERS, entity.root), all_of_kind))
    names = {(each.child or each.root).name for each in found}
    raise NoQuota(entity, sorted(name for name in names if name is not None))


def is_absent_broker(admin: ConfigAdmin, entity: ConfigEntity) -> bool:
    """Return whether *entity* is one broker, which is not alive and has no configs of its own."""
    if entity.kind is not EntityKind.BROKERS or entity.root.name is None:
        return False
    snapshot = admin.snapshot([entity])
    has_configs = any(config.values for config in snapshot.configs.values()) or snapshot.faults
    return not has_configs and BrokerId(int(entity.root.name)) not in snapshot.brokers


def require_broker(session: Session, entity: ConfigEntity, remedy: str | None = None) -> None:
    """Raise NoSuchBroker, with *remedy*, unless *entity*, a dead broker, has replicas."""
    with session.topics() as topics:
        snapshot = topics.snapshot(TopicSelection())
    refuse_unknown_brokers(snapshot, [BrokerId(int(str(entity.root.name)))], remedy)
