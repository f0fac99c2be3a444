"""What two snapshots differ in, worst first, a line for each difference."""

from collections.abc import Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from kadmin.plan.check.findings import Severity
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.snapshots.differences import Difference, DiffReport, Kind, SideReport
from kadmin.wording import counted, second_text

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("severity", "section", "kind", "subject", "before", "after")

SHOWN_MAX: Final = 20
"""Of one kind no more are shown in text; the documents have all."""

STYLES: Final = {
    Severity.CRITICAL: "bold red",
    Severity.WARNING: "yellow",
    Severity.NOTE: "dim",
}

TITLES: Final = {
    Kind.OTHER_CLUSTER: "these are two clusters",
    Kind.TOPIC_REMOVED: "topics are gone",
    Kind.TOPIC_RECREATED: "topics were made anew",
    Kind.PARTITIONS_REMOVED: "topics have fewer partitions",
    Kind.OFFLINE: "partitions lost their leader",
    Kind.UNDER_MIN_ISR: "partitions came under min ISR",
    Kind.LOG_DIR_FAILED: "log directories failed",
    Kind.CONTROLLER_LOST: "there is no controller",
    Kind.BROKER_REMOVED: "brokers are gone",
    Kind.REFUSED: "brokers do not serve what they should",
    Kind.LOG_DIR_REMOVED: "log directories are gone",
    Kind.ISR_SHRUNK: "ISRs shrank",
    Kind.REPLICAS: "partitions have other replicas",
    Kind.REASSIGNMENT: "reassignments began, changed or ended",
    Kind.DELETION: "topics are, or are no longer, to be deleted",
    Kind.RACK: "brokers are in another rack",
    Kind.CONFIG: "configs changed",
    Kind.QUOTA: "quotas changed",
    Kind.ACL: "ACLs changed",
    Kind.GROUP_REMOVED: "groups are gone",
    Kind.OFFSETS_REWOUND: "committed offsets are lower",
    Kind.OFFSETS_REMOVED: "committed offsets are gone",
    Kind.CONTROLLER: "another controller was elected",
    Kind.BROKER_ADDED: "brokers came",
    Kind.BROKER_RESTARTED: "brokers registered again",
    Kind.ENDPOINTS: "brokers have other addresses",
    Kind.TOPIC_ADDED: "topics came",
    Kind.PARTITIONS_ADDED: "topics have more partitions",
    Kind.ONLINE: "partitions are online, or no longer under min ISR",
    Kind.LEADER: "leaders moved",
    Kind.ISR_GROWN: "ISRs grew",
    Kind.LEADER_EPOCH: "leaders were elected again",
    Kind.LOG_DIR_ADDED: "log directories came, or work again",
    Kind.GROUP_ADDED: "groups came",
}
assert TITLES.keys() == set(Kind)


def diff_document(report: DiffReport) -> Document:
    return Document(
        schema="kadmin.snapshot.diff/1",
        body=lambda: {
            "differs": bool(report.differences),
            "before": side_body(report.before),
            "after": side_body(report.after),
            "sections": list(report.sections),
            "differences": list(map(body, report.differences)),
            "not_compared": list(report.uncompared),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(body, report.differences), COLUMNS),
        lines=lambda: (visible(text) for text, _ in lines(report)),
        pretty=lambda: pretty(report),
    )


def side_body(side: SideReport) -> dict[str, object]:
    return {
        "name": side.name,
        "cluster_id": side.cluster_id,
        "taken_at_ms": side.taken_at_ms,
        "not_read": list(side.unread),
    }


def body(difference: Difference) -> dict[str, object]:
    return {
        "severity": difference.severity,
        "section": difference.section,
        "kind": difference.kind,
        "subject": difference.subject,
        "before": difference.before,
        "after": difference.after,
    }


def lines(report: DiffReport) -> Iterator[tuple[str, str]]:
    """Return each line with its style."""
    for what, side in (("before", report.before), ("after", report.after)):
        yield f"{what}: {side.name} ({second_text(side.taken_at_ms)})", ""
    yield verdict(report), "bold" if report.differences else "bold green"
    for kind, group in groupby(report.differences, key=lambda each: each.kind):
        found = list(group)
        severity = found[0].severity
        yield f"{severity.upper()}: {TITLES[kind]} ({len(found):,})", STYLES[severity]
        for each in found[:SHOWN_MAX]:
            yield f"  {each.subject}: {text_of(each.before)} -> {text_of(each.after)}", ""
        if len(found) > SHOWN_MAX:
            yield f"  … and {len(found) - SHOWN_MAX:,} more (--output json has all)", "dim"
    for side in (report.before, report.after):
        for text in side.unread:
            yield f"not read in {side.name}: {text}", "yellow"
    for text in report.uncompared:
        yield f"not compared: {text}", "yellow"


def verdict(report: DiffReport) -> str:
    if not report.differences:
        return "no differences"
    counts = (
        (report.counted(Severity.CRITICAL), "critical difference"),
        (report.counted(Severity.WARNING), "warning"),
        (report.counted(Severity.NOTE), "note"),
    )
    return ", ".join(counted(number, noun) for number, noun in counts if number)


def text_of(value: str | None) -> str:
    return "none" if value is None else value


def pretty(report: DiffReport) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    return Group(*(Text(visible(text), style) for text, style in lines(report)))
