"""The state of a migration: its phase, who waits for what, and what to do next."""

from collections.abc import Iterator
from typing import Final

from kadmin.plan.migration.status import MEANINGS, MigrationStatus, Phase
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.wording import brokers_text, second_text, span

COLUMNS: Final = (
    *("phase", "since_ms", "owner", "is_kraft", "written_ms", "registered", "missing"),
    *("waits_for", "next_steps", "never", "command", "unreadable"),
)


def status_document(found: MigrationStatus) -> Document:
    return Document(
        schema="kadmin.migration.status/1",
        body=lambda: record(found),
        columns=COLUMNS,
        rows=lambda: csv_rows([record(found)], COLUMNS, "; "),
        lines=lambda: lines(found),
    )


def record(found: MigrationStatus) -> dict[str, object]:
    return {
        "phase": found.phase.value,
        "since_ms": found.since_ms,
        "owner": found.owner,
        "is_kraft": found.is_kraft,
        "written_ms": found.written_ms,
        "registered": list(found.registered),
        "missing": list(found.gone),
        "waits_for": list(found.waits),
        "next_steps": list(found.next_steps),
        "never": list(found.never),
        "command": found.command,
        "unreadable": [each.path for each in found.unreadable],
    }


def lines(found: MigrationStatus) -> Iterator[str]:
    yield f"{found.phase}: {MEANINGS[found.phase]}"
    for damage in found.unreadable:
        yield f"cannot be read, so that the phase may be another: {damage.path}: {damage.reason}"
    if found.since_ms is not None:
        # An election creates /controller anew, and shows nothing of when the phase began.
        whose = "" if found.phase is Phase.WAITING else "this controller "
        yield f"{whose}since {second_text(found.since_ms)} ({found.age_text})"
    if found.owner is not None:
        kind = "KRaft controller" if found.is_kraft else "broker"
        yield f"/controller: {kind} {found.owner}"
    if found.written_ms is not None:
        age = span(max(0.0, (found.now_ms - found.written_ms) / 1000))
        yield f"/migration: written {age} ago"
    yield f"in ZooKeeper: {brokers_text(found.registered) if found.registered else 'no broker'}"
    if found.gone:
        yield f"with replicas, and not in ZooKeeper: {brokers_text(found.gone)}"
    for text in found.waits:
        yield f"waits for: {text}"
    for text in found.next_steps:
        yield f"next: {text}"
    for text in found.never:
        yield text.replace("never", "NEVER", 1)
    yield f"  {found.command}"
