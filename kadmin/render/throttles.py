"""Throttles of replication, and what becomes of a release of them: how do they look?"""

from collections.abc import Callable, Iterator, Sequence

from cluster.model.config_entity import EntityKind
from kadmin.plan.entity_options import options_of
from kadmin.plan.reassignment.standing_throttles import Holder, Throttle
from kadmin.plan.reassignment.throttle_release import Release
from kadmin.render.configs import alter_document, entity_body, entity_cells
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.wording import counted, first_listed

COLUMNS = ("entity_type", "entity_name", "config", "value", "set_by", "runs", "before", "slows")
HEADINGS = ("WHERE", "CONFIG", "VALUE", "SET BY", "SLOWS")
REPLICAS_SHOWN = 3
WHO = {
    Holder.REASSIGNMENT: "a reassignment that is under way",
    Holder.ORPHAN: "a reassignment that is over",
    Holder.OPERATOR: "no reassignment that is known here",
}


def list_document(throttles: Sequence[Throttle]) -> Document:
    return Document(
        schema="kadmin.throttle.list/1",
        body=lambda: {"throttles": list(map(throttle_body, throttles))},
        columns=COLUMNS,
        rows=lambda: csv_rows(map(flat, throttles), COLUMNS),
        lines=lambda: list_lines(throttles),
    )


def throttle_body(throttle: Throttle) -> dict[str, object]:
    return {
        **entity_body(throttle.entity),
        "config": throttle.key,
        "value": throttle.value,
        "set_by": str(throttle.holder),
        "owners": [
            {"run": owner.run, "by": owner.by, "since": owner.since} for owner in throttle.owners
        ],
        "before": throttle.before,
        "slows": [
            {
                "topic": replica.partition.topic,
                "partition": replica.partition.partition,
                "broker": replica.broker,
            }
            for replica in throttle.slows
        ],
    }


def flat(throttle: Throttle) -> dict[str, object]:
    kind, name, _ = entity_cells(throttle.entity)
    return {
        "entity_type": kind,
        "entity_name": name,
        "config": throttle.key,
        "value": throttle.value,
        "set_by": str(throttle.holder),
        "runs": [owner.run for owner in throttle.owners],
        "before": throttle.before,
        "slows": list(map(str, throttle.slows)),
    }


def list_lines(throttles: Sequence[Throttle]) -> Iterator[str]:
    """Return a table, with columns as wide as they have to be, and the runs that set some."""
    if not throttles:
        return
    rows = [HEADINGS, *map(cells, throttles)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()
    if owners := owners_text(throttles):
        yield visible(f"reassignments: {owners.removeprefix('; ')}")


def cells(throttle: Throttle) -> tuple[str, ...]:
    slows = counted(len(throttle.slows), "replica") if throttle.slows else "-"
    return (
        visible(where(throttle)),
        throttle.key,
        shortened(visible(throttle.value)),
        str(throttle.holder),
        slows,
    )


def shortened(value: str) -> str:
    """Return the first of a list of replicas, and how many there are; other values as they are."""
    replicas = value.split(",")
    if len(replicas) <= REPLICAS_SHOWN:
        return value
    return f"{','.join(replicas[:REPLICAS_SHOWN])},… ({len(replicas):,})"


def where(throttle: Throttle) -> str:
    root = throttle.entity.root
    if root.name is None:
        return "all brokers"
    return f"{'topic' if root.kind is EntityKind.TOPICS else 'broker'} {root.name}"


def doctor_document(
    throttles: Sequence[Throttle], need: str | None, with_cluster: Callable[[str], str]
) -> Document:
    """Return what each throttle does, and the command that removes it; *need* is what those of
    reassignments are for."""
    commands = [(throttle, removal(throttle, with_cluster)) for throttle in throttles]
    return Document(
        schema="kadmin.throttle.doctor/1",
        body=lambda: {
            "needed_for": need,
            "throttles": [
                {**throttle_body(throttle), "command": command} for throttle, command in commands
            ],
        },
        columns=(*COLUMNS, "command"),
        rows=lambda: csv_rows(
            ({**flat(throttle), "command": command} for throttle, command in commands),
            (*COLUMNS, "command"),
        ),
        lines=lambda: doctor_lines(commands, need),
    )


def removal(throttle: Throttle, with_cluster: Callable[[str], str]) -> str | None:
    """Return the command that removes it; None for one that is needed."""
    if throttle.holder is Holder.REASSIGNMENT:
        return None
    if throttle.holder is Holder.ORPHAN:
        return with_cluster("kadmin throttle release")
    options = options_of(throttle.entity)
    if throttle.entity.root.name is None:
        return with_cluster(f"kadmin configs --alter {options} --delete-config {throttle.key}")
    return with_cluster(f"kadmin throttle release {options}")


def doctor_lines(
    commands: Sequence[tuple[Throttle, str | None]], need: str | None
) -> Iterator[str]:
    """Describe each throttle that is a finding, and the healthy ones in one line a holder."""
    healthy: dict[Holder, list[Throttle]] = {}
    orphans = [command for each, command in commands if each.holder is Holder.ORPHAN]
    for throttle, command in commands:
        if throttle.is_healthy:
            healthy.setdefault(throttle.holder, []).append(throttle)
            continue
        yield visible(f"{where(throttle)}: {throttle.key}={throttle.value}")
        yield visible(f"  set by {WHO[throttle.holder]}{owners_text((throttle,))}")
        yield f"  {slows_text((throttle,))}"
        if throttle.before is not None:
            yield visible(f"  when it is released, {throttle.before} is there again, as before")
        if command is not None and not (throttle.holder is Holder.ORPHAN and len(orphans) > 1):
            yield f"  to remove it: {command}"
    if len(orphans) > 1:
        yield f"to remove all {len(orphans):,} that are left of reassignments: {orphans[0]}"
    for holder, throttles in sorted(healthy.items()):
        why = f": {need}" if holder is Holder.REASSIGNMENT else ""
        places = first_listed(list(dict.fromkeys(map(where, throttles))))
        yield visible(
            f"healthy: {counted(len(throttles), 'throttle')} set by {WHO[holder]}{why}; "
            f"{slows_text(throttles)}; at {places}{owners_text(throttles)}"
        )


def slows_text(throttles: Sequence[Throttle]) -> str:
    slowed = list(dict.fromkeys(replica for each in throttles for replica in each.slows))
    if not slowed:
        return "slows down nothing now"
    return f"slows down {counted(len(slowed), 'replica')} now: {first_listed(slowed)}"


def owners_text(throttles: Sequence[Throttle]) -> str:
    owners = (owner for each in throttles for owner in each.owners)
    texts = (f"; run {owner.run} of {owner.by} since {owner.since}" for owner in owners)
    return "".join(dict.fromkeys(texts))


def release_lines(plan: Release) -> Iterator[str]:
    own = {(throttle.entity, throttle.key) for throttle in plan.own}
    for each in plan.plans:
        yield visible(f"plan: throttles of {each.entity}")
        for change in each.changes:
            note = "" if (each.entity, change.name) not in own else " (set by no reassignment)"
            yield visible(f"  {change}{note}")
    if not plan.plans:
        yield "plan: the lease of throttles forgets those that are not set any more"


def release_document(
    plans: Sequence[Release], rollback_file: str | None, *, is_dry_run: bool
) -> Document:
    """Return what was released, or in a dry run would be."""
    changes = [each for plan in plans for each in plan.plans]
    altered = alter_document(changes, is_dry_run=is_dry_run)
    return Document(
        schema="kadmin.throttle.release/1",
        body=lambda: {**altered.body(), "rollback_file": rollback_file},
        columns=altered.columns,
        rows=altered.rows,
        lines=lambda: (
            (line for plan in plans for line in release_lines(plan))
            if is_dry_run
            else (f"Released throttles of {each.entity}." for each in changes)
        ),
    )
