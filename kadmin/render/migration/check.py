"""The result of `kadmin migration check`, in the form of `kadmin check`'s."""

from typing import Final

from kadmin.plan.check.findings import Finding
from kadmin.plan.migration.findings import MigrationFinding, MigrationReport
from kadmin.render.check import COLUMNS as COLUMNS_OF_CHECK
from kadmin.render.check import body, lines, pretty, report_body
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document

COLUMNS: Final = (*COLUMNS_OF_CHECK, "znodes", "outcome", "source")


def migration_document(report: MigrationReport) -> Document:
    return Document(
        schema="kadmin.migration.check/1",
        body=lambda: report_body(report, "ready", record),
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, report.findings), COLUMNS),
        lines=lambda: lines(report),
        pretty=lambda: pretty(report),
    )


def record(finding: Finding) -> dict[str, object]:
    assert isinstance(finding, MigrationFinding)
    return {
        **body(finding),
        "znodes": list(finding.znodes),
        "outcome": finding.outcome,
        "source": finding.source,
    }
