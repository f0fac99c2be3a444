"""The journal of throttles: which did reassignments set, and what had the operator there before?

Pure: what is set goes in, and what is to be written comes out.  By the journal an operator's own
throttle is told from one of a reassignment, and put back when that is over.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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

    *before* is the operator's own value, None where there was none.
    """

    before: str | None
    afters: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ThrottleJournal:
    """The throttles of reassignments, of topics and brokers, by key; empty without any.

    *revision* tells one that was written again from the one before it, whatever it holds.
    *zk_version* is NEVER_READ for one that nobody has written yet, and wherever it is kept without
    versions.
    """

    entries: Mapping[ConfigEntity, Mapping[str, Recorded]] = field(default_factory=dict)
    revision: int = 0
    zk_version: ZkVersion = NEVER_READ


class BadJournal(Exception):
    """A text that is no journal; says why."""


def recorded(journal: ThrottleJournal, plans: Sequence[ConfigPlan]) -> ThrottleJournal:
    """*journal* with all that *plans* set; to be kept before they are written.

    The operator's value stays the one before the first reassignment, as long as nobody else has
    set another since.  Till then every value that a reassignment may have set is remembered: who
    was killed may have recorded the last one without setting it, or have set it unseen.
    """
    entries = {entity: dict(keys) for entity, keys in journal.entries.items()}
    for plan in plans:
        of_entity = entries.setdefault(plan.entity, {})
        for key in (change.name for change in plan.changes):
            earlier, now = of_entity.get(key), plan.before.values.get(key)
            if earlier is None or now not in (earlier.before, *earlier.afters):
                earlier = Recorded(before=now, afters=())
            after = plan.after.values[key]
            if after not in earlier.afters:
                earlier = replace(earlier, afters=(*earlier.afters, after))
            of_entity[key] = earlier
    return replace(journal, entries={entity: keys for entity, keys in entries.items() if keys})


def reunited(journal: ThrottleJournal, mine: ThrottleJournal) -> ThrottleJournal:
    """*journal* as it was read, with what was written as *mine* and somebody has cleared since.

    He saw nothing of it set.  What he, or a third one, has recorded from what was set by then goes
    back to the operator's value.
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
    """Take away what *journal* says that reassignments have set, and put back what was there.

    A value that somebody has changed since is his, and stays.  Entities that *configs* does not
    have are gone.
    """
    plans = []
    for entity, keys in journal.entries.items():
        before = configs.get(entity)
        if before is None:
            continue
        values = dict(before.values)
        for key, entry in keys.items():
            if values.get(key) not in entry.afters:
                continue
            if entry.before is None:
                del values[key]
            else:
                values[key] = entry.before
        plans.append(planned(entity, before, values, oldest_registration))
    return [plan for plan in plans if plan.changes]


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
    """*journal* as JSON in one line."""
    throttles = [
        {
            "entity_type": str(entity.kind),
            "entity_name": entity.root.name,
            "configs": {
                key: {"before": entry.before, "afters": entry.afters} for key, entry in keys.items()
            },
        }
        for entity, keys in journal.entries.items()
    ]
    document = {"version": VERSION, "revision": journal.revision, "throttles": throttles}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


def parse_journal(text: str) -> ThrottleJournal:
    """The journal that *text* is.

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
    revision = document.get("revision", 0)
    if type(revision) is not int:
        raise BadJournal("its revision is no number")
    return ThrottleJournal(entries=dict(map(entry_of, document["throttles"])), revision=revision)


def entry_of(item: object) -> tuple[ConfigEntity, Mapping[str, Recorded]]:
    if not isinstance(item, dict):
        raise BadJournal("'throttles' holds what is no object")
    kind, name, configs = (item.get(key) for key in ("entity_type", "entity_name", "configs"))
    if kind not in KINDS or not isinstance(name, str) or not isinstance(configs, dict):
        raise BadJournal("an entry names no topic or broker with its configs")
    return ConfigEntity(Entity(EntityKind(kind), name)), dict(keys_of(configs))


def keys_of(configs: Mapping[str, object]) -> Iterator[tuple[str, Recorded]]:
    for key, value in configs.items():
        before, afters = (
            (value.get("before"), value.get("afters")) if isinstance(value, dict) else (None, None)
        )
        if not isinstance(before, str | None) or not is_list_of_texts(afters):
            raise BadJournal(f"{key} has no values before and after")
        yield key, Recorded(before=before, afters=tuple(afters))


def is_list_of_texts(value: object) -> TypeGuard[list[str]]:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)
