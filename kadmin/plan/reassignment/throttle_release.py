"""The release of throttles that nothing needs any more, as a plan.

Pure.  Orphans go back to the value before them.  Of an entity that is named, all throttles go, an
operator's own as well.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from cluster.model.config_entity import ConfigEntity, ConfigOverrides
from kadmin.errors import RefusedError
from kadmin.plan.config_plan import ConfigPlan
from kadmin.plan.entity_options import order_of
from kadmin.plan.reassignment.journal import Recorded, ThrottleJournal, planned, unwound
from kadmin.plan.reassignment.standing_throttles import (
    Holder,
    Throttle,
    ThrottleView,
    needed_for,
    standing_throttles,
)
from kadmin.plan.reassignment.throttles import THROTTLES
from kadmin.wording import listed


class ThrottlesInUse(RefusedError):
    """Throttles are to be released that a reassignment needs."""

    def __init__(self, entities: Sequence[ConfigEntity], need: str) -> None:
        super().__init__(
            f"a reassignment needs the throttles of {listed(entities)}: {need}; nothing was"
            " written",
            hint="'kadmin reassign --list' shows what is moving; --cancel gives it up, and removes"
            " its throttles",
        )
        self.entities = tuple(entities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """The configs that are written, and what of the lease is *left* then.

    *own* are those throttles among them that an operator has set.  *journal* is the lease as it was
    read.
    """

    plans: tuple[ConfigPlan, ...]
    own: tuple[Throttle, ...] = ()
    journal: ThrottleJournal = field(compare=False)
    left: ThrottleJournal = field(compare=False)

    @property
    def is_empty(self) -> bool:
        return not self.plans and self.left == self.journal


def plan_release(
    view: ThrottleView,
    named: Collection[ConfigEntity],
    hidden: Collection[ConfigEntity],
    oldest_registration: int | None,
) -> Release:
    """Plan to release the orphans, or where entities are *named*, all throttles of these alone.

    The lease keeps what it has of *hidden* entities, whose configs cannot be read.

    Raises:
        ThrottlesInUse: a reassignment needs throttles of what is *named*.
        UnknownToBrokers: a live broker is too old for configs of brokers.
    """
    standing, need = standing_throttles(view), needed_for(view)
    held = {
        each.entity
        for each in standing
        if each.entity in named and each.holder is Holder.REASSIGNMENT
    }
    if held:
        assert need is not None
        raise ThrottlesInUse(sorted(held, key=order_of), need)
    journal = view.journal
    chosen = set(named or journal.entries) if named or need is None else set()
    entries = dict(journal.entries)
    plans = []
    for entity in sorted(chosen - set(hidden), key=lambda each: (each.kind, order_of(each))):
        recorded = entries.pop(entity, {}) if need is None else {}
        before = view.configs.get(entity)
        if before is None:
            continue
        if entity in named:
            values = {key: value for key, value in before.values.items() if key not in THROTTLES}
        else:
            values, kept = restored(before, recorded, is_shared=journal.is_shared)
            if kept:
                entries[entity] = kept
        plan = planned(entity, before, values, oldest_registration)
        if plan.changes:
            plans.append(plan)
    return Release(
        plans=tuple(plans),
        own=tuple(
            each for each in standing if each.entity in named and each.holder is Holder.OPERATOR
        ),
        journal=journal,
        left=replace(journal, entries=entries, owners=journal.owners if entries else ()),
    )


def restored(
    config: ConfigOverrides, recorded: Mapping[str, Recorded], *, is_shared: bool
) -> tuple[dict[str, str], dict[str, Recorded]]:
    """Return the values before all that is *recorded*, and what of that is still needed."""
    values, kept = dict(config.values), {}
    for key, entry in recorded.items():
        value, left = unwound(entry, values.pop(key, None), is_shared=is_shared)
        if value is not None:
            values[key] = value
        if left is not None:
            kept[key] = left
    return values, kept
