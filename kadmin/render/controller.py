"""The controller of a cluster: how does it look?"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from cluster.model import fault as subjects
from cluster.model.snapshot import ClusterSnapshot
from kadmin.render.brokers import as_list, is_fault, short_time, stacked, time_text
from kadmin.render.faults import fault_bodies
from kadmin.render.fields import csv_rows
from kadmin.render.output import Document
from kadmin.render.visible import visible

if TYPE_CHECKING:
    from rich.console import RenderableType


def controller_document(snapshot: ClusterSnapshot) -> Document:
    """Return who controls the cluster, and where: nowhere when that broker is not registered."""
    controller, epoch = snapshot.controller, snapshot.controller_epoch
    registered = None if controller is None else snapshot.brokers.get(controller.broker_id)
    endpoints = () if registered is None else registered.endpoints
    record: dict[str, object] = {
        "controller": None if controller is None else controller.broker_id,
        "endpoints": [str(endpoint) for endpoint in endpoints],
        "epoch": epoch_of(snapshot),
        "epoch_zk_version": None if epoch is None else epoch.epoch_zk_version,
        "since": None if controller is None else time_text(controller.timestamp_ms),
        "owner": owner(snapshot),
        "migration": None if snapshot.migration is None else str(snapshot.migration),
    }
    return Document(
        schema="kadmin.controller/1",
        body=lambda: {**record, "faults": fault_bodies(snapshot.faults)},
        columns=tuple(record),
        rows=lambda: csv_rows([record], tuple(record)),
        lines=lambda: controller_lines(record),
        pretty=lambda: pretty(record),
    )


def epoch_of(snapshot: ClusterSnapshot) -> int | None:
    """Return the controller's epoch; on KRaft that of the quorum's leader."""
    controller, epoch = snapshot.controller, snapshot.controller_epoch
    if epoch is None and controller is not None and controller.is_kraft:
        return controller.kraft_controller_epoch
    return None if epoch is None else epoch.epoch


def owner(snapshot: ClusterSnapshot) -> str:
    if snapshot.controller is None:
        return "unreadable" if is_fault(snapshot, subjects.CONTROLLER) else "none"
    return "kraft" if snapshot.controller.is_kraft else "zookeeper"


def controller_lines(record: Mapping[str, object]) -> Iterator[str]:
    unknown = "none yet" if record["controller"] is None else "unknown"
    epoch = unknown if record["epoch"] is None else record["epoch"]
    if record["controller"] is None:
        yield f"Controller: {record['owner']}\tEpoch: {epoch}"
        return
    # A controller of a quorum need not be a broker, and then no broker returns its address.
    nowhere = "no broker" if record["owner"] == "kraft" else "not registered"
    endpoints = visible(",".join(map(str, as_list(record["endpoints"])))) or nowhere
    line = (
        f"Controller: {record['controller']}\tEndpoints: {endpoints}\tEpoch: {epoch}"
        f"\tSince: {record['since'] or 'unknown'}"
    )
    yield line + ("\tOwner: kraft" if record["owner"] == "kraft" else "")


def pretty(record: Mapping[str, object]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Shown, dashed, table_of

    def name(record: Mapping[str, object]) -> Text:
        if record["controller"] is None:
            return Text(str(record["owner"]), "bold red")
        is_kraft = record["owner"] == "kraft"
        return Text(f"{record['controller']}{' (KRaft)' if is_kraft else ''}", "bold")

    return table_of(
        [record],
        Shown("controller", name),
        Shown("endpoints", lambda record: stacked(as_list(record["endpoints"])), worth=2),
        Shown("epoch", lambda record: dashed(record["epoch"]), right=True, worth=3),
        Shown("since (UTC)", lambda record: short_time(record["since"]), worth=1),
    )
