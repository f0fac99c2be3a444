"""The size of a migration: the records that the controllers will write."""

from collections.abc import Iterator
from typing import Final

from kadmin.plan.migration.preview import MEASURED, Preview
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.wording import counted, span

COLUMNS: Final = ("type", "records")


def preview_document(found: Preview) -> Document:
    def records() -> list[dict[str, object]]:
        return [{"type": name, "records": count} for name, count in found.records.items()]

    return Document(
        schema="kadmin.migration.preview/1",
        body=lambda: {
            "total": found.total,
            "batches_max": found.batches,
            "copy_s": round(found.copy_s, 1),
            "records": records(),
            "not_copied": list(found.uncopied),
            "unreadable": list(found.uncounted),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(records(), COLUMNS),
        lines=lambda: lines(found),
    )


def lines(found: Preview) -> Iterator[str]:
    """Write the counts in the form of the controllers' log."""
    types = ", ".join(f"{name}={count}" for name, count in found.records.items())
    batches = "1 batch" if found.batches == 1 else f"{found.batches:,} batches"
    yield f"{counted(found.total, 'record')}, in at most {batches}"
    yield f"The record types were {{{types}}}."
    about, measured = span(max(1.0, found.copy_s)), span(MEASURED[1])
    yield (
        f"about {about} to copy them, at the {measured} that 100,000 partitions took Kafka 3.9.1"
        " when it was measured, on two busy cores"
    )
    if found.uncopied:
        yield f"not copied, since they wait for their deletion: {', '.join(found.uncopied)}"
    if found.uncounted:
        yield f"not counted, since they cannot be read: {', '.join(found.uncounted)}"
