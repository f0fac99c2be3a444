"""Brokers and the controller: how do they look?"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Final

from cluster.model import fault as subjects
from cluster.model.broker import UNKNOWN_FORMAT
from cluster.model.fault import Subject
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.health import Load
from kadmin.render.faults import fault_bodies
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document
from kadmin.render.visible import visible
from kadmin.wording import moment_of

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = (
    "id",
    "state",
    "endpoints",
    "rack",
    "epoch",
    "since",
    "replicas",
    "replica_skew_percent",
    "leaders",
    "preferred_leaders",
    "leader_skew_percent",
    "is_controller",
)


def list_document(snapshot: ClusterSnapshot, brokers: Sequence[BrokerId]) -> Document:
    return Document(
        schema="kadmin.brokers.list/1",
        body=lambda: {
            "brokers": [{"id": broker} for broker in brokers],
            "faults": fault_bodies(snapshot.faults),
        },
        columns=("id",),
        rows=lambda: ((broker,) for broker in brokers),
        lines=lambda: map(str, brokers),
    )


def describe_document(snapshot: ClusterSnapshot, loads: Mapping[BrokerId, Load]) -> Document:
    records = [broker_record(snapshot, broker, load) for broker, load in loads.items()]
    return Document(
        schema="kadmin.brokers.describe/1",
        body=lambda: {"brokers": records, "faults": fault_bodies(snapshot.faults)},
        columns=COLUMNS,
        rows=lambda: csv_rows(records, COLUMNS),
        lines=lambda: map(record_line, records),
        pretty=lambda: pretty_brokers(records),
    )


def broker_record(snapshot: ClusterSnapshot, broker_id: BrokerId, load: Load) -> dict[str, object]:
    broker = snapshot.brokers.get(broker_id)
    controller = snapshot.controller
    return {
        "id": broker_id,
        "state": broker_state(snapshot, broker_id),
        "endpoints": [] if broker is None else [str(endpoint) for endpoint in broker.endpoints],
        "rack": None if broker is None else broker.rack,
        "epoch": None if broker is None else unless(UNKNOWN_BROKER_EPOCH, broker.broker_epoch),
        "since": None if broker is None else time_text(broker.timestamp_ms),
        "registration_version": None if broker is None else unless(UNKNOWN_FORMAT, broker.version),
        "replicas": load.replicas,
        "replica_skew_percent": load.replica_skew_percent,
        "leaders": load.leaders,
        "preferred_leaders": load.preferred_leaders,
        "leader_skew_percent": load.leader_skew_percent,
        "is_controller": controller is not None and controller.broker_id == broker_id,
    }


def unless(unknown: int, number: int) -> int | None:
    return None if number == unknown else number


def broker_state(snapshot: ClusterSnapshot, broker_id: BrokerId) -> str:
    """Return `live` or `dead` for a broker by its registration, `fenced` for one that a KRaft
    controller has fenced.

    `unreadable` when the registration cannot be decoded, `unreachable` when it names no address.
    """
    if broker_id in snapshot.brokers:
        return "live" if snapshot.brokers[broker_id].is_reachable else "unreachable"
    if broker_id in snapshot.fenced:
        return "fenced"
    return "unreadable" if is_fault(snapshot, subjects.broker(broker_id)) else "dead"


def is_fault(snapshot: ClusterSnapshot, subject: Subject) -> bool:
    return any(fault.subject == subject for fault in snapshot.faults)


def time_text(time_ms: int | None) -> str | None:
    """Return a time in UTC, to the ms, as ISO 8601; None for none, and for one outside of the
    calendar."""
    moment = None if time_ms is None else moment_of(time_ms)
    return None if moment is None else moment.replace(tzinfo=UTC).isoformat(timespec="milliseconds")


def record_line(record: Mapping[str, object]) -> str:
    """Return one broker in the form of Kafka's describe lines."""
    return line_of(
        {
            "broker": record["id"],
            "state": record["state"],
            **({"controller": "true"} if record["is_controller"] else {}),
            "endpoints": ",".join(map(str, as_list(record["endpoints"]))),
            "rack": record["rack"] or "none",
            "epoch": "none" if record["epoch"] is None else record["epoch"],
            "since": record["since"] or "unknown",
            "replicas": f"{record['replicas']}{in_brackets(record['replica_skew_percent'])}",
            "leaders": f"{record['leaders']}{in_brackets(record['leader_skew_percent'])}",
            "preferred_leaders": record["preferred_leaders"],
        }
    )


def as_list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


def stacked(endpoints: Sequence[object]) -> str:
    """Join the endpoints with line ends, one below the other."""
    return "\n".join(visible(str(each)) for each in endpoints) or "-"


def in_brackets(percent: object) -> str:
    """Write a skew behind its number; empty where there is no broker to compare with."""
    return "" if percent is None else f" ({percent:+d}%)"


def pretty_brokers(records: Sequence[Mapping[str, object]]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Cell, Shown, dashed, table_of

    def name(record: Mapping[str, object]) -> Text:
        text = f"{record['id']}" + (" controller" if record["is_controller"] else "")
        is_live = record["state"] == "live"
        return Text(text, "bold") if is_live else Text(f"{text} {record['state']}", "bold red")

    def with_skew(what: str) -> Callable[[Mapping[str, object]], Cell]:
        return lambda record: Text.assemble(
            f"{record[f'{what}s']}", skew_text(record[f"{what}_skew_percent"])
        )

    # Who is ill comes first: a short terminal shows no more.
    return table_of(
        sorted(records, key=lambda record: record["state"] == "live"),
        Shown("broker", name),
        Shown("endpoints", lambda record: stacked(as_list(record["endpoints"])), worth=4),
        Shown("rack", lambda record: visible(str(record["rack"] or "-")), worth=5),
        Shown("epoch", lambda record: dashed(record["epoch"]), right=True, worth=1),
        Shown("since (UTC)", lambda record: short_time(record["since"]), worth=3),
        Shown("replicas", with_skew("replica"), right=True, worth=6),
        Shown("leaders", with_skew("leader"), right=True, worth=7),
        Shown("preferred", lambda record: str(record["preferred_leaders"]), right=True, worth=2),
    )


def short_time(text: object) -> str:
    """Return what `time_text` gives, to the second."""
    return "-" if text is None else str(text).partition(".")[0].replace("T", " ")


def skew_text(percent: object) -> tuple[str, str]:
    """Return a skew behind its number, and the style that shows how bad it is."""
    if percent is None:
        return "", ""
    assert isinstance(percent, int)
    color = "red" if abs(percent) >= 50 else "yellow" if abs(percent) >= 10 else "green"
    signed = f"{percent:+d}%"
    return f" {signed:>5}", color
