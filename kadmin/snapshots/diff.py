"""The comparison of two saved clusters: what is there no more, what has come, what has changed?

What one of them could not read is never said to be gone, nor to be new.
"""

from collections.abc import Collection, Iterator
from itertools import chain

from cluster.model import fault as subjects
from cluster.model.acl import ResourcePattern
from cluster.model.config_entity import ConfigEntity, EntityKind
from cluster.model.error_codes import ErrorCode
from cluster.model.fault import Subject, Thing
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId
from kadmin.plan.acls import order_of as order_of_acl
from kadmin.plan.acls import rule_of
from kadmin.plan.config_plan import QUOTA_KINDS
from kadmin.plan.entity_options import order_of
from kadmin.snapshots.differences import (
    Difference,
    DiffReport,
    Kind,
    SideReport,
    in_order,
    only,
)
from kadmin.snapshots.partition_diff import topic_differences, unread_of, value_differences
from kadmin.snapshots.saved import SECTION_OF, SavedCluster, SavedGroup, Section, Source


def diff(
    before: SavedCluster,
    after: SavedCluster,
    names: tuple[str, str],
    sections: Collection[Section] = tuple(Section),
) -> DiffReport:
    """Compare the *sections* of two snapshots, which *names* call as the operator does."""
    found = chain(
        cluster_differences(before, after),
        broker_differences(before, after),
        topic_differences(before, after),
        config_differences(before, after),
        acl_differences(before, after),
        log_dir_differences(before, after),
        group_differences(before, after),
    )
    return DiffReport(
        before=side_of(before, names[0], sections),
        after=side_of(after, names[1], sections),
        sections=tuple(each for each in Section if each in sections),
        differences=in_order(only(found, sections)),
        uncompared=tuple(uncompared(before, after, names, sections)),
    )


def side_of(saved: SavedCluster, name: str, sections: Collection[Section]) -> SideReport:
    return SideReport(
        name=name,
        cluster_id=saved.cluster_id,
        taken_at_ms=saved.taken_at_ms,
        unread=tuple(
            dict.fromkeys(
                fault.text for fault in saved.faults if sections_of(fault.subject) & set(sections)
            )
        ),
    )


def sections_of(subject: Subject) -> set[Section]:
    """Return the sections that lack what *subject* is; configs may be quotas, too."""
    section = SECTION_OF[subject.thing]
    return {section, Section.QUOTAS} if section is Section.CONFIGS else {section}


def uncompared(
    before: SavedCluster,
    after: SavedCluster,
    names: tuple[str, str],
    sections: Collection[Section],
) -> Iterator[str]:
    if Section.GROUPS not in sections or before.groups is after.groups is None:
        return
    for saved, name in zip((before, after), names, strict=True):
        if saved.groups is None:
            yield f"groups: they are not in {name} (--groups reads them)"


def cluster_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    ids = before.cluster_id, after.cluster_id
    if None not in ids and ids[0] != ids[1]:
        yield Difference(Section.CLUSTER, Kind.OTHER_CLUSTER, "cluster id", *ids)
    if subjects.CONTROLLER in unread_of(before) | unread_of(after):
        return
    old, new = (
        None if each.cluster.controller is None else f"broker {each.cluster.controller.broker_id}"
        for each in (before, after)
    )
    epochs = before.cluster.controller_epoch, after.cluster.controller_epoch
    is_same_epoch = epochs[0] is None or epochs[1] is None or epochs[0].epoch == epochs[1].epoch
    if old == new and is_same_epoch:
        return
    if epochs[0] is not None and epochs[1] is not None:
        old, new = (
            None if text is None else f"{text}, epoch {epoch.epoch}"
            for text, epoch in zip((old, new), (epochs[0], epochs[1]), strict=True)
        )
    kind = Kind.CONTROLLER_LOST if new is None else Kind.CONTROLLER
    yield Difference(Section.CLUSTER, kind, "controller", old, new)


def broker_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    def of(kind: Kind, broker: BrokerId, old: str | None, new: str | None) -> Difference:
        return Difference(Section.BROKERS, kind, f"broker {broker}", old, new)

    unread = unread_of(before) | unread_of(after)
    if subjects.BROKERS in unread:
        return
    brokers = before.cluster.brokers, after.cluster.brokers
    for broker in sorted(brokers[0].keys() | brokers[1].keys()):
        old, new = (each.get(broker) for each in brokers)
        if old is None or new is None:
            if subjects.broker(broker) not in unread:
                kind = Kind.BROKER_ADDED if old is None else Kind.BROKER_REMOVED
                yield of(kind, broker, *(None if each is None else "live" for each in (old, new)))
            continue
        if old.rack != new.rack:
            yield of(Kind.RACK, broker, old.rack, new.rack)
        for partition in sorted(new.refused.keys() - old.refused.keys()):
            refused = f"broker {broker}: {partition}"
            yield Difference(Section.BROKERS, Kind.REFUSED, refused, None, new.refused[partition])
        if before.source is after.source:
            if old.endpoints != new.endpoints:
                texts = (", ".join(map(str, each.endpoints)) for each in (old, new))
                yield of(Kind.ENDPOINTS, broker, *texts)
            epochs = old.broker_epoch, new.broker_epoch
            if UNKNOWN_BROKER_EPOCH not in epochs and epochs[0] != epochs[1]:
                yield of(
                    Kind.BROKER_RESTARTED, broker, *(f"broker epoch {each}" for each in epochs)
                )


def config_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    entities = before.configs.keys() | after.configs.keys()
    for entity in sorted(entities, key=lambda each: (each.root.kind, order_of(each))):
        if hides_config(before, entity) or hides_config(after, entity):
            continue
        is_quota = entity.root.kind in QUOTA_KINDS
        yield from value_differences(
            Section.QUOTAS if is_quota else Section.CONFIGS,
            Kind.QUOTA if is_quota else Kind.CONFIG,
            str(entity),
            before.configs.get(entity, {}),
            after.configs.get(entity, {}),
        )


def configs_of_kind(kind: EntityKind) -> Subject:
    """Return the subject that is the configs of all entities of *kind*."""
    return Subject(Thing.CONFIG, kind)


def hides_config(saved: SavedCluster, entity: ConfigEntity) -> bool:
    """Return whether *saved* may lack configs of *entity* since they could not be read; a broker
    that is dead does not return its own."""
    root = entity.root
    is_silent = (
        saved.source is Source.BROKERS
        and root.kind is EntityKind.BROKERS
        and root.name is not None
        and not (root.name.isdecimal() and BrokerId(int(root.name)) in saved.cluster.brokers)
    )
    hidden = {subjects.CONFIGS, subjects.config(entity), configs_of_kind(root.kind)}
    return is_silent or not hidden.isdisjoint(unread_of(saved))


def acl_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    for resource in sorted(before.acls.keys() | after.acls.keys(), key=order_of_acl):
        if hides_acls(before, resource) or hides_acls(after, resource):
            continue
        old, new = (
            {rule_of(entry): None for entry in each.acls.get(resource, ())}
            for each in (before, after)
        )
        for rule in [*old, *new]:
            if (rule in old) != (rule in new):
                texts = (str(rule) if rule in each else None for each in (old, new))
                yield Difference(Section.ACLS, Kind.ACL, str(resource), *texts)


def hides_acls(saved: SavedCluster, resource: ResourcePattern) -> bool:
    """Return whether *saved* may lack rules of *resource*: all are unread, those of some kinds,
    which are named by a path, or its own."""
    names = {each.name for each in unread_of(saved) if each.thing is Thing.ACLS}
    return any(name in ("", str(resource)) or name.startswith("/") for name in names)


def log_dir_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    """Compare the directories of the brokers that answered both times; sizes differ always."""
    for broker in sorted(before.log_dirs.keys() & after.log_dirs.keys()):
        old, new = (
            {directory.path: directory.error_code for directory in each.log_dirs[broker]}
            for each in (before, after)
        )
        for path in sorted(old.keys() | new.keys()):
            if path not in new:
                kind = Kind.LOG_DIR_REMOVED
            elif new[path] != ErrorCode.NONE and old.get(path, ErrorCode.NONE) == ErrorCode.NONE:
                kind = Kind.LOG_DIR_FAILED
            elif path not in old or old[path] != new[path]:
                kind = Kind.LOG_DIR_ADDED
            else:
                continue
            texts = (state_of(each.get(path)) for each in (old, new))
            yield Difference(Section.LOG_DIRS, kind, f"broker {broker}: {path}", *texts)


def state_of(error_code: int | None) -> str | None:
    if error_code is None:
        return None
    return "works" if error_code == ErrorCode.NONE else f"failed (error code {error_code})"


def group_differences(before: SavedCluster, after: SavedCluster) -> Iterator[Difference]:
    if before.groups is None or after.groups is None:
        return
    for name in sorted(before.groups.keys() | after.groups.keys()):
        old, new = before.groups.get(name), after.groups.get(name)
        if new is None:
            if not unread_of(after) & {subjects.GROUPS, subjects.group(name)}:
                yield Difference(Section.GROUPS, Kind.GROUP_REMOVED, f"group '{name}'", "there")
        elif old is None:
            if not unread_of(before) & {subjects.GROUPS, subjects.group(name)}:
                yield Difference(Section.GROUPS, Kind.GROUP_ADDED, f"group '{name}'", None, "there")
        elif not (unread_of(before) | unread_of(after)) & {subjects.group(name)}:
            yield from offset_differences(name, old, new)


def offset_differences(name: str, old: SavedGroup, new: SavedGroup) -> Iterator[Difference]:
    """Return the offsets that are gone, or are lower than before; that they rise is no change."""
    for partition, offset in sorted(old.offsets.items()):
        found = new.offsets.get(partition)
        subject = f"group '{name}': {partition}"
        if found is None:
            yield Difference(Section.GROUPS, Kind.OFFSETS_REMOVED, subject, str(offset))
        elif found < offset:
            yield Difference(Section.GROUPS, Kind.OFFSETS_REWOUND, subject, str(offset), str(found))
