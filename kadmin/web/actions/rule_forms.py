"""Forms about configs and ACLs, as actions."""

from cluster.model.acl import ResourceType
from cluster.model.config_entity import ConfigEntity, Entity, EntityKind
from cluster.model.ids import BrokerId
from kadmin.app.actions.acls import ChangeAcls
from kadmin.app.actions.action import Action
from kadmin.app.actions.configs import ChangeConfigs
from kadmin.arguments.acls import (
    Whom,
    filters_of,
    hosts_of,
    operations_of,
    plain_request,
    principals_of,
)
from kadmin.arguments.entities import checked
from kadmin.plan.acls import CLUSTER_NAME, PatternFilter
from kadmin.plan.broker_names import refuse_unknown_brokers
from kadmin.plan.config_plan import check_request, is_secret
from kadmin.plan.config_warnings import ConfigRequest
from kadmin.plan.scram import HASHES
from kadmin.quoting import quoted
from kadmin.web.actions.fields import BadField, Values
from kadmin.web.actions.topic_forms import existing
from kadmin.web.visit import Visit

RESOURCES = {
    "topic": ResourceType.TOPIC,
    "group": ResourceType.GROUP,
    "cluster": ResourceType.CLUSTER,
    "transactional-id": ResourceType.TRANSACTIONAL_ID,
}


def configs(visit: Visit, values: Values) -> Action:
    kind = EntityKind(values.choice("kind"))
    added, deleted = values.pairs("add"), values.names("delete")
    if not added and not deleted:
        raise BadField(values.label("add"), "is empty, and so is what is to be removed")
    if kind is EntityKind.USERS and not HASHES.keys().isdisjoint(added):
        raise BadField(
            values.label("add"),
            "credentials are not typed into a page",
            "kadmin configs --alter --user NAME --add-config 'SCRAM-SHA-256=[password=…]'",
        )
    for key in added:
        if is_secret(kind, key):
            raise BadField(
                values.label("add"),
                f"{key} is or may be a secret, which is not typed into a page",
                f"kadmin configs --alter --{kind.removesuffix('s')} NAME --add-config {key}=…",
            )
    entities = entities_of(visit, kind, values)
    request = ConfigRequest(add=added, delete=deleted)
    session = visit.of.new_session()
    if added and kind is EntityKind.BROKERS and entities[0].root.name is not None:
        broker_id = BrokerId(int(entities[0].root.name))
        refuse_unknown_brokers(visit.look.observed.snapshot, [broker_id])
    check_request(entities[0], request, asks_brokers=session.asks_brokers)
    return ChangeConfigs(entities=entities, added=added, deleted=deleted)


def entities_of(visit: Visit, kind: EntityKind, values: Values) -> tuple[ConfigEntity, ...]:
    if kind is EntityKind.TOPICS:
        names = existing(visit, values.needed_names("names"))
        return tuple(ConfigEntity(Entity(kind, name)) for name in names)
    lines = values.lines("names")
    if not lines:
        return (ConfigEntity(Entity(kind, None)),)
    if len(lines) > 1:
        raise BadField(values.label("names"), f"one of {kind} at a time")
    return (ConfigEntity(checked(Entity(kind, lines[0]))),)


def acls(visit: Visit, values: Values) -> Action:
    kind = RESOURCES[values.choice("kind")]
    names = (CLUSTER_NAME,) if kind is ResourceType.CLUSTER else values.lines("names")
    if not names:
        raise BadField(values.label("names"), "is empty, and needed")
    pattern = values.choice("pattern")
    if not values.lines("principals"):
        raise BadField(values.label("principals"), "is empty, and needed")
    principals = principals_of(values.lines("principals"))
    hosts = hosts_of(values.lines("hosts"))
    operations = operations_of(values.names("operations"))
    is_allowed = values.choice("permission") == "allow"
    whom = (
        Whom(allowed=principals, allowed_hosts=hosts)
        if is_allowed
        else Whom(denied=principals, denied_hosts=hosts)
    )
    request = plain_request(
        filters_of({kind: names}, PatternFilter(pattern)),
        whom,
        operations,
        is_removal=values.choice("action") == "remove",
    )
    side = "allow" if is_allowed else "deny"
    words = [f"--{side}-principal {quoted(each)}" for each in principals]
    words += [f"--{side}-host {quoted(each)}" for each in hosts]
    words += [f"--operation {each}" for each in operations]
    if kind is ResourceType.CLUSTER:
        words.append("--cluster")
    else:
        words += [f"--{values.choice('kind')} {quoted(name)}" for name in names]
        if pattern == "prefixed":
            words.append("--resource-pattern-type prefixed")
    return ChangeAcls(request=request, options=" ".join(words))
