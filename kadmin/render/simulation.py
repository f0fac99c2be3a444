"""What a simulation has found: what goes offline first, then each broker before, at most, after."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from cluster.model.ids import BrokerId
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.reports.simulation import BrokerStages, Change, SimulationReport, Stages
from kadmin.wording import abridged, amount, counted

if TYPE_CHECKING:
    from rich.console import RenderableType

SHOWN_MAX: Final = 10
"""Of one kind no more partitions are shown in text; the documents have all."""

NUMBERS: Final = ("replicas", "leaders", "size_bytes")
TIMES: Final = ("before", "peak", "after")
COLUMNS: Final = (
    *("broker", "rack", "state"),
    *(f"{number}_{time}" for number in NUMBERS for time in TIMES),
)


def simulation_document(report: SimulationReport) -> Document:
    return Document(
        schema="kadmin.simulate/1",
        body=lambda: body(report),
        columns=COLUMNS,
        rows=lambda: csv_rows(map(flat, report.brokers), COLUMNS),
        lines=lambda: map(visible, lines(report)),
        pretty=lambda: pretty(report),
    )


def body(report: SimulationReport) -> dict[str, object]:
    return {
        "scenario": list(report.scenario),
        "partitions": report.partition_count,
        "offline": list(map(change_body, report.offline)),
        "under_min_isr": list(map(change_body, report.under_min_isr)),
        "unclean": list(map(change_body, report.unclean)),
        "leaders_moved": list(map(change_body, report.moved)),
        "online": list(map(change_body, report.online)),
        "shrunk_isrs": list(map(change_body, report.shrunk)),
        "still_offline": list(map(str, report.still_offline)),
        "moved_replicas": report.moved_replicas,
        "moved_bytes": report.moved_bytes,
        "brokers": list(map(broker_body, report.brokers)),
        "not_simulated": list(report.left_out),
    }


def change_body(change: Change) -> dict[str, object]:
    return {
        "topic": change.partition.topic,
        "partition": change.partition.partition,
        "leader_before": change.leader_before,
        "leader_after": change.leader_after,
        "isr_before": list(change.isr_before),
        "isr_after": list(change.isr_after),
        "min_isr": change.min_isr,
    }


def broker_body(row: BrokerStages) -> dict[str, object]:
    return {
        "broker": row.broker,
        "rack": row.rack,
        "state": row.state,
        "replicas": row.replicas._asdict(),
        "leaders": row.leaders._asdict(),
        "size_bytes": None if row.size_bytes is None else row.size_bytes._asdict(),
    }


def flat(row: BrokerStages) -> dict[str, object]:
    found: dict[str, object] = {"broker": row.broker, "rack": row.rack, "state": row.state}
    for name, stages in zip(NUMBERS, (row.replicas, row.leaders, row.size_bytes), strict=True):
        cells = (None,) * len(TIMES) if stages is None else stages
        found |= {f"{name}_{time}": cell for time, cell in zip(TIMES, cells, strict=True)}
    return found


def lines(report: SimulationReport) -> Iterator[str]:
    yield from (text for text, _ in head_lines(report))
    yield from map(broker_line, report.brokers)
    yield from (f"not simulated: {text}" for text in report.left_out)


def head_lines(report: SimulationReport) -> Iterator[tuple[str, str]]:
    """Return each line above the brokers, with its style."""
    yield f"simulated: {'; '.join(report.scenario)}", ""
    if report.offline:
        yield f"{counted(len(report.offline), 'partition')} would go offline:", "bold red"
        yield from change_lines(report.offline)
    else:
        yield "nothing would go offline", "bold green"
    for changes, text, style in (
        (report.unclean, "would get a leader out of the ISR, and lose records:", "bold red"),
        (report.under_min_isr, "would come under min ISR, and refuse acks=all:", "yellow"),
        (report.online, "would be online again:", "green"),
    ):
        if changes:
            yield f"{counted(len(changes), 'partition')} {text}", style
            yield from change_lines(changes)
    yield f"{moved_text(report)}; {counted(len(report.shrunk), 'ISR')} would shrink", ""
    if report.moved_replicas:
        size = "" if report.moved_bytes is None else f", {amount(report.moved_bytes)}"
        yield f"{counted(report.moved_replicas, 'replica')} would be copied{size}", ""
    if report.still_offline:
        yield f"offline before and after: {abridged(report.still_offline)}", "yellow"


def moved_text(report: SimulationReport) -> str:
    return f"{counted(len(report.moved), 'leader')} would move"


def change_lines(changes: Sequence[Change]) -> Iterator[tuple[str, str]]:
    for change in changes[:SHOWN_MAX]:
        yield (
            f"  {change.partition}: leader {named(change.leader_before)}"
            f" -> {named(change.leader_after)}, ISR {listed_ids(change.isr_before)}"
            f" -> {listed_ids(change.isr_after)}, min ISR {change.min_isr}",
            "",
        )
    if len(changes) > SHOWN_MAX:
        yield f"  … and {len(changes) - SHOWN_MAX:,} more (--output json has all)", "dim"


def named(broker: BrokerId | None) -> str:
    return "none" if broker is None else str(broker)


def listed_ids(brokers: Sequence[BrokerId]) -> str:
    return ",".join(map(str, brokers)) or "none"


def broker_line(row: BrokerStages) -> str:
    rack = "" if row.rack is None else f", rack {row.rack}"
    state = "" if row.state == "live" else f", {row.state}"
    parts = [f"replicas {stages_text(row.replicas)}", f"leaders {stages_text(row.leaders)}"]
    if row.size_bytes is not None:
        parts.append(f"bytes {texts_of(*map(amount, row.size_bytes))}")
    return f"broker {row.broker}{rack}{state}: {', '.join(parts)}"


def stages_text(stages: Stages) -> str:
    return texts_of(*(f"{number:,}" for number in stages))


def texts_of(before: str, peak: str, after: str) -> str:
    """Return `3 -> 5 (at most 6)`, or one of them where all are alike."""
    if before == peak == after:
        return before
    most = "" if peak in (before, after) else f" (at most {peak})"
    return f"{before} -> {after}{most}"


def pretty(report: SimulationReport) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from kadmin.render.tables import Shown, table_of

    def state(row: BrokerStages) -> Text:
        return Text(row.state, "bold red" if row.state in ("lost", "dead") else "")

    def sizes(row: BrokerStages) -> str:
        return "-" if row.size_bytes is None else texts_of(*map(amount, row.size_bytes))

    table = table_of(
        report.brokers,
        Shown("broker", lambda row: Text(str(row.broker), "bold")),
        Shown("rack", lambda row: visible(row.rack or "-"), worth=1),
        Shown("state", state, worth=3),
        Shown("replicas", lambda row: stages_text(row.replicas), right=True, worth=5),
        Shown("leaders", lambda row: stages_text(row.leaders), right=True, worth=4),
        Shown("bytes", sizes, right=True, worth=2),
    )
    left_out = (Text(f"not simulated: {visible(text)}", "yellow") for text in report.left_out)
    head = (Text(visible(text), style) for text, style in head_lines(report))
    return Group(*head, table, *left_out)
