"""The result of a check: how does it look on one screen, and what does Nagios read?"""

from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from kadmin.plan.check.findings import CheckReport, Finding, Kind, Severity
from kadmin.plan.migration.findings import MigrationFinding
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.wording import counted, counted_by_topic

if TYPE_CHECKING:
    from rich.console import RenderableType

NAMES_MAX: Final = 5
"""A line names no more partitions or topics than that, and counts partitions by topic beyond it;
the documents name all."""

LABEL_WIDTH: Final = 10

COLUMNS: Final = (
    *("severity", "kind", "text", "partitions", "topics", "brokers", "command", "groups"),
)

STYLES: Final = {
    Severity.CRITICAL: "bold red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "dim",
}


class NagiosCode(IntEnum):
    """Exit codes of Nagios plugins."""

    OK = 0
    WARNING = 1
    CRITICAL = 2
    UNKNOWN = 3


NAGIOS_CODES: Final = {
    Severity.CRITICAL: NagiosCode.CRITICAL,
    Severity.WARNING: NagiosCode.WARNING,
    Severity.NOTE: NagiosCode.OK,
    None: NagiosCode.OK,
}


def check_document(report: CheckReport) -> Document:
    return Document(
        schema="kadmin.check/1",
        body=lambda: report_body(report, "healthy", body),
        columns=COLUMNS,
        rows=lambda: csv_rows(map(body, report.findings), COLUMNS),
        lines=lambda: lines(report),
        pretty=lambda: pretty(report),
    )


def report_body(
    report: CheckReport, well: str, record: Callable[[Finding], Mapping[str, object]]
) -> dict[str, object]:
    """Return *report* with a *record* of each finding; *well* is the name of its verdict."""
    return {
        well: report.is_healthy,
        "worst": report.worst,
        "brokers": report.broker_count,
        "controller": report.controller,
        "topics": report.topic_count,
        "partitions": report.partition_count,
        "findings": [record(finding) for finding in report.findings],
        "not_looked_at": list(report.unlooked),
    }


def body(finding: Finding) -> dict[str, object]:
    return {
        "severity": finding.severity.value,
        "kind": finding.kind.value,
        "text": finding.text,
        "partitions": list(map(str, finding.partitions)),
        "topics": list(finding.topics),
        "brokers": list(finding.brokers),
        "command": finding.command,
        "groups": list(finding.groups),
    }


def lines(report: CheckReport) -> Iterator[str]:
    yield head(report)
    for finding in report.findings:
        yield f"{finding.severity.upper()}: {sentence(finding)}"
        for detail in details(finding):
            yield f"  {detail}"
        if finding.command is not None:
            yield f"  {finding.command}"
    for reason in report.unlooked:
        yield f"not checked: {reason}"


def head(report: CheckReport) -> str:
    if report.controller is not None:
        controller = f"controller {report.controller}"
    else:
        controller = "no controller" if report.lacks_controller else "controller unknown"
    return (
        f"{counted(report.broker_count, 'broker')}, {controller},"
        f" {counted(report.topic_count, 'topic')}, {counted(report.partition_count, 'partition')}:"
        f" {verdict(report)}"
    )


def verdict(report: CheckReport) -> str:
    if report.is_healthy:
        return report.all_well
    return ", ".join(
        f"{report.counted(severity)} {severity}{'s' if plural else ''}"
        for severity, plural in (
            (Severity.CRITICAL, False),
            (Severity.WARNING, report.counted(Severity.WARNING) > 1),
        )
        if report.counted(severity)
    )


def sentence(finding: Finding) -> str:
    names = [str(each) for each in (*finding.partitions, *finding.topics, *finding.groups)]
    if not names or finding.has_names:
        return visible(finding.text)
    if len(finding.partitions) > NAMES_MAX:
        return visible(f"{finding.text}: {counted_by_topic(finding.partitions)}")
    more = ", …" if len(names) > NAMES_MAX else ""
    return visible(f"{finding.text}: {', '.join(names[:NAMES_MAX])}{more}")


def details(finding: Finding) -> Iterator[str]:
    """Return what would come of *finding* in a migration, and where that is known from."""
    if isinstance(finding, MigrationFinding):
        if finding.outcome:
            yield visible(f"then: {finding.outcome}")
        if finding.source:
            yield visible(f"source: {finding.source}")


def pretty(report: CheckReport) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from kadmin.render.tables import Labelled, Phrases

    style = "bold green" if report.is_healthy else STYLES[report.worst or Severity.NOTE]
    *counts, last = head(report).removesuffix(verdict(report)).rstrip().split(", ")
    parts: list[RenderableType] = [
        Phrases(
            [
                *(Text(f"{count},") for count in counts),
                Text(last),
                Text(verdict(report), style),
            ],
            gap=" ",
        )
    ]
    for finding in report.findings:
        label = Text(f"{finding.severity.upper():<{LABEL_WIDTH}}", STYLES[finding.severity])
        parts.append(Labelled(label, Text(sentence(finding))))
        parts += [
            Labelled(Text(" " * LABEL_WIDTH), Text(detail, "dim")) for detail in details(finding)
        ]
        if finding.command is not None:
            # Whole, however long it is: it is there to be copied.
            command = f"{'':<{LABEL_WIDTH}}{visible(finding.command)}"
            parts.append(Text(command, "cyan", no_wrap=True, overflow="ignore"))
    parts += [
        Labelled(Text("not checked: ", "dim"), Text(reason, "dim")) for reason in report.unlooked
    ]
    return Group(*parts)


def nagios_line(report: CheckReport) -> str:
    """Return one line, with what is measured behind the bar."""
    code = NAGIOS_CODES[report.worst]
    bad = [each.text for each in report.findings if each.severity is not Severity.NOTE]
    text = "; ".join(bad) or head(report)
    measured = {
        "critical": report.counted(Severity.CRITICAL),
        "warning": report.counted(Severity.WARNING),
        "offline": report.partitions_with(Kind.OFFLINE),
        "under_min_isr": report.partitions_with(Kind.UNDER_MIN_ISR),
        "under_replicated": sum(
            map(
                report.partitions_with,
                (Kind.UNDER_MIN_ISR, Kind.AT_MIN_ISR, Kind.UNDER_REPLICATED),
            )
        ),
        "brokers": report.broker_count,
        "partitions": report.partition_count,
    }
    figures = " ".join(f"{name}={number}" for name, number in measured.items())
    return f"KADMIN {code.name} - {nagios_text(text)} | {figures}"


def unknown_line(reason: str) -> str:
    """Return the line for a state that is unknown, for *reason*."""
    return f"KADMIN {NagiosCode.UNKNOWN.name} - {nagios_text(reason)}"


def nagios_text(text: str) -> str:
    """Return *text* in one line; a bar would end it."""
    return visible(text).replace("|", "/")
