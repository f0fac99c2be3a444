"""The lease of throttles: which configs reassignments have set, over which values, for which moves.

Pure.  Records what a reassignment sets, and plans what restores the values before.  All clients of
a cluster share one lease where they can.  Where another client keeps its own, the configs
themselves show whose value was set last: a value that is in no lease stays, and so does the record
of what is below it, until that value is gone.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Final, TypeAlias, TypeGuard

from cluster.model.config_entity import ConfigEntity, ConfigOverrides, Entity, EntityKind
from cluster.model.ids import NEVER_READ, ZkVersion
from kadmin.plan.config_plan import ConfigPlan, change_version

VERSION: Final = 1
KINDS: Final = (EntityKind.TOPICS, EntityKind.BROKERS)

Configs: TypeAlias = Mapping[ConfigEntity, ConfigOverrides]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A config that reassignments set to one of *afters* after the other, or were about to.

    *before* is the value that was replaced, None where there was none: an operator's own, or that
    of a reassignment with another lease.  *under* is what had been recorded before that was set.
    """

    before: str | None
    afters: tuple[str, ...]
    under: "Recorded | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """A run of a reassignment that holds the lease while its *partitions*, by topic, are moving.

    *by* is a user and a host, *since* a time in UTC, *rate* and *dir_rate* the bytes per s between
    brokers and between log directories, None where the run sets none.
    """

    run: str
    by: str
    since: str
    rate: int | None
    dir_rate: int | None
    partitions: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleJournal:
    """The throttles of reassignments, of topics and brokers, by key; empty without any.

    *revision* distinguishes one that was written again from the one before it, whatever it holds.
    *zk_version* is NEVER_READ for one that has not been written yet, and wherever it is kept
    without versions.
    """

    entries: Mapping[ConfigEntity, Mapping[str, Recorded]] = field(default_factory=dict)
    owners: tuple[Owner, ...] = ()
    revision: int = 0
    zk_version: ZkVersion = NEVER_READ
    is_shared: bool = field(default=True, compare=False)
    """Whether all who use the cluster have this one, as far as they reach ZooKeeper."""


class BadJournal(Exception):
    """A text that is no journal, with the reason."""


def recorded(journal: ThrottleJournal, plans: Sequence[ConfigPlan]) -> ThrottleJournal:
    """Return *journal* with all that *plans* set; to be kept before they are written.

    Every value that a reassignment may have set is kept: a run that was killed may have recorded
    the last one without setting it, or have set it unseen.  A value that is not in *journal* was
    set by another client; what is recorded below it is kept as well.
    """
    entries = {entity: dict(keys) for entity, keys in journal.entries.items()}
    for plan in plans:
        of_entity = entries.setdefault(plan.entity, {})
        for key in (change.name for change in plan.changes):
            earlier, now = of_entity.get(key), plan.before.values.get(key)
            is_unset = journal.is_shared and earlier is not None and now == earlier.before
            if earlier is None or not (is_unset or now in earlier.afters):
                earlier = Recorded(before=now, afters=(), under=None if now is None else earlier)
            after = plan.after.values[key]
            if after not in earlier.afters:
                earlier = replace(earlier, afters=(*earlier.afters, after))
            of_entity[key] = earlier
    return replace(journal, entries={entity: keys for entity, keys in entries.items() if keys})


def owned(journal: ThrottleJournal, owner: Owner) -> ThrottleJournal:
    """Return *journal* with *owner*, whose rates replace those of others for the same partitions.

    Without an entry in *journal* there is nothing to own.
    """
    if not journal.entries:
        return journal
    others = (narrowed(other, owner) for other in journal.owners if other.run != owner.run)
    left = tuple(other for other in others if other.partitions)
    return replace(journal, owners=(*left, owner))


def narrowed(other: Owner, owner: Owner) -> Owner:
    """Return *other* without the partitions of which *owner* sets every rate that *other* does."""
    if (other.rate is not None and owner.rate is None) or (
        other.dir_rate is not None and owner.dir_rate is None
    ):
        return other
    left = {
        topic: tuple(number for number in numbers if number not in owner.partitions.get(topic, ()))
        for topic, numbers in other.partitions.items()
    }
    return replace(other, partitions={topic: numbers for topic, numbers in left.items() if numbers})


def joined(upper: ThrottleJournal, lower: ThrottleJournal) -> ThrottleJournal:
    """Return *lower* with the entries and owners of *upper*, another lease of the same cluster."""
    entries = {entity: dict(keys) for entity, keys in lower.entries.items()}
    for entity, keys in upper.entries.items():
        of_entity = entries.setdefault(entity, {})
        for key, entry in keys.items():
            below = layers_of(of_entity.get(key))
            above = [layer for layer in layers_of(entry) if layer not in below]
            both = stacked([*above, *below])
            assert both is not None
            of_entity[key] = both
    runs = {owner.run for owner in lower.owners}
    owners = (*lower.owners, *(owner for owner in upper.owners if owner.run not in runs))
    return replace(lower, entries=entries, owners=owners)


def layers_of(entry: Recorded | None) -> list[Recorded]:
    """Return *entry* and all that is under it, each by itself, the topmost first."""
    layers = []
    while entry is not None:
        layers.append(replace(entry, under=None))
        entry = entry.under
    return layers


def is_set_by(entry: Recorded, value: str) -> bool:
    """Return whether *value* is one that a reassignment of *entry* has set."""
    return any(value in layer.afters for layer in layers_of(entry))


def stacked(layers: Sequence[Recorded]) -> Recorded | None:
    """Return *layers*, the topmost first, as one entry; the opposite of `layers_of`."""
    entry = None
    for layer in reversed(layers):
        entry = replace(layer, under=entry)
    return entry


def reunited(journal: ThrottleJournal, mine: ThrottleJournal) -> ThrottleJournal:
    """Return *journal* as it was read, with what was written as *mine* and has been cleared since.

    The client that cleared it saw none of it set.  Values that were recorded by then, by it or by a
    third client, go back to the operator's value.
    """
    entries = {entity: dict(keys) for entity, keys in journal.entries.items()}
    for entity, keys in mine.entries.items():
        of_entity = entries.setdefault(entity, {})
        for key, entry in keys.items():
            found = of_entity.get(key, entry)
            if found.before in entry.afters:
                afters = tuple(dict.fromkeys((*entry.afters, *found.afters)))
                found = replace(entry, afters=afters)
            of_entity[key] = found
    return replace(journal, entries=entries)


def throttle_plans(
    wanted: Mapping[ConfigEntity, Mapping[str, str]],
    configs: Configs,
    oldest_registration: int | None,
) -> list[ConfigPlan]:
    """Set what is *wanted* for each entity; those that have it already have no plan, and neither
    have those that *configs* does not have: they are gone, or cannot be reached.

    Raises:
        UnknownToBrokers: a live broker is too old for configs of brokers, and so for throttles.
    """
    plans = (
        planned(entity, configs[entity], {**configs[entity].values, **values}, oldest_registration)
        for entity, values in wanted.items()
        if entity in configs
    )
    return [plan for plan in plans if plan.changes]


def put_back_plans(
    journal: ThrottleJournal, configs: Configs, oldest_registration: int | None
) -> list[ConfigPlan]:
    """Plan to remove the values that *journal* lists as set by reassignments, and restore those
    before.

    A value that was changed since stays.  Entities that *configs* does not have are gone.
    """
    plans = []
    for entity, keys in journal.entries.items():
        before = configs.get(entity)
        if before is None:
            continue
        values = dict(before.values)
        for key, entry in keys.items():
            value, _ = unwound(entry, values.pop(key, None), is_shared=journal.is_shared)
            if value is not None:
                values[key] = value
        plans.append(planned(entity, before, values, oldest_registration))
    return [plan for plan in plans if plan.changes]


def still_recorded(journal: ThrottleJournal, configs: Configs) -> ThrottleJournal:
    """Return what of *journal* stays when `put_back_plans` with *configs* are written.

    Only the values below one that was set by another client: they count again when that one is
    gone.  Nothing moves by then, so the lease has no owner.
    """
    entries = {}
    for entity, keys in journal.entries.items():
        values = configs[entity].values if entity in configs else {}
        left = {
            key: unwound(entry, values.get(key), is_shared=journal.is_shared)[1]
            for key, entry in keys.items()
        }
        entries[entity] = {key: entry for key, entry in left.items() if entry is not None}
    return replace(
        journal, entries={entity: keys for entity, keys in entries.items() if keys}, owners=()
    )


def unwound(
    entry: Recorded, value: str | None, *, is_shared: bool
) -> tuple[str | None, Recorded | None]:
    """Return the value before all of *entry* that led to *value*, and what is left of *entry*.

    Nothing is left once there is no value.  Where the lease is not shared, others may set once more
    what is recorded and not set now, so that it stays recorded.
    """
    left = layers_of(entry)
    lowest = left[-1]
    while (used := next((layer for layer in left if value in layer.afters), None)) is not None:
        left.remove(used)
        value = used.before
    if value is None or (is_shared and value == lowest.before):
        return value, None
    return value, stacked([layer for layer in left if not is_shared or layer.before != value])


def planned(
    entity: ConfigEntity,
    before: ConfigOverrides,
    values: Mapping[str, str],
    oldest_registration: int | None,
) -> ConfigPlan:
    return ConfigPlan(
        entity=entity,
        before=before,
        after=before.changed(values, values.keys()),
        change_version=change_version(entity.kind, oldest_registration),
    )


def journal_text(journal: ThrottleJournal) -> str:
    """Return *journal* as JSON in one line."""
    throttles = [
        {
            "entity_type": str(entity.kind),
            "entity_name": entity.root.name,
            "configs": {key: entry_document(entry) for key, entry in keys.items()},
        }
        for entity, keys in journal.entries.items()
    ]
    document = {
        "version": VERSION,
        "revision": journal.revision,
        "owners": list(map(asdict, journal.owners)),
        "throttles": throttles,
    }
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def entry_document(entry: Recorded) -> dict[str, object]:
    """Return *entry* in JSON; earlier versions of kadmin read the topmost layer alone."""
    top, *below = ({"before": layer.before, "afters": layer.afters} for layer in layers_of(entry))
    return {**top, "under": below} if below else {**top}


def parse_journal(text: str) -> ThrottleJournal:
    """Return the journal that *text* is; one of an earlier version has no owners.

    Raises:
        BadJournal: it is none, or one of a later kadmin.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise BadJournal(f"it is not JSON: {error}") from error
    if not isinstance(document, dict) or not isinstance(document.get("throttles"), list):
        raise BadJournal("it has no list 'throttles'")
    if document.get("version") != VERSION:
        raise BadJournal(f"its version is {document.get('version')!r}, and not {VERSION}")
    revision, owners = document.get("revision", 0), document.get("owners", [])
    if type(revision) is not int:
        raise BadJournal("its revision is no number")
    if not isinstance(owners, list):
        raise BadJournal("'owners' is no list")
    return ThrottleJournal(
        entries=dict(map(entry_of, document["throttles"])),
        owners=tuple(map(owner_of, owners)),
        revision=revision,
    )


def owner_of(item: object) -> Owner:
    if isinstance(item, dict) and isinstance(item.get("partitions"), dict):
        run, by, since = (item.get(key) for key in ("run", "by", "since"))
        rate, dir_rate = item.get("rate"), item.get("dir_rate")
        partitions = {
            topic: tuple(numbers)
            for topic, numbers in item["partitions"].items()
            if isinstance(numbers, list) and all(type(number) is int for number in numbers)
        }
        if (
            isinstance(run, str)
            and isinstance(by, str)
            and isinstance(since, str)
            and isinstance(rate, int | None)
            and isinstance(dir_rate, int | None)
            and len(partitions) == len(item["partitions"])
        ):
            return Owner(
                run=run, by=by, since=since, rate=rate, dir_rate=dir_rate, partitions=partitions
            )
    raise BadJournal("an owner has no run, user, time, rates and partitions")


def entry_of(item: object) -> tuple[ConfigEntity, Mapping[str, Recorded]]:
    if not isinstance(item, dict):
        raise BadJournal("'throttles' holds what is no object")
    kind, name, configs = (item.get(key) for key in ("entity_type", "entity_name", "configs"))
    if kind not in KINDS or not isinstance(name, str) or not isinstance(configs, dict):
        raise BadJournal("an entry names no topic or broker with its configs")
    return ConfigEntity(Entity(EntityKind(kind), name)), dict(keys_of(configs))


def keys_of(configs: Mapping[str, object]) -> Iterator[tuple[str, Recorded]]:
    for key, value in configs.items():
        below = value.get("under", []) if isinstance(value, dict) else None
        if not isinstance(below, list):
            raise BadJournal(f"{key} has no values before and after")
        entry = stacked([layer_of(key, layer) for layer in (value, *below)])
        assert entry is not None
        yield key, entry


def layer_of(key: str, value: object) -> Recorded:
    before, afters = (
        (value.get("before"), value.get("afters")) if isinstance(value, dict) else (None, None)
    )
    if not isinstance(before, str | None) or not is_list_of_texts(afters):
        raise BadJournal(f"{key} has no values before and after")
    return Recorded(before=before, afters=tuple(afters))


def is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
