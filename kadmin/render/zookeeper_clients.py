"""The clients of a ZooKeeper ensemble: who is connected, and what is each?"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Final

from kadmin.plan.zookeeper_clients import Client, ClientReport
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document
from kadmin.wording import first_listed, second_text

COLUMNS: Final = (
    *("address", "kind", "name", "broker", "session", "server", "since_ms", "known_by"),
    *("owns", "watches"),
)


def clients_document(report: ClientReport) -> Document:
    return Document(
        schema="kadmin.zookeeper.clients/1",
        body=lambda: {
            "clients": [record(client) for client in report.clients],
            "old_consumers": [asdict(group) for group in report.old_consumers],
            "not_looked_at": list(report.unlooked),
            "down": dict(report.down),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, report.clients), COLUMNS),
        lines=lambda: lines(report),
    )


def record(client: Client) -> dict[str, object]:
    return {
        "address": client.address,
        "kind": client.kind.value,
        "name": client.name,
        "broker": client.broker,
        "session": f"0x{client.session:x}",
        "server": client.server,
        "since_ms": client.since_ms,
        "known_by": client.reason,
        "owns": list(client.owns),
        "watches": list(client.watches),
    }


def lines(report: ClientReport) -> Iterator[str]:
    for client in report.clients:
        fields: dict[str, object] = {
            "address": client.address,
            "client": client.name,
            "session": f"0x{client.session:x}",
            "server": client.server,
        }
        if client.owns:
            fields["owns"] = first_listed(client.owns)
        if client.watches:
            fields["watches"] = first_listed(client.watches)
        yield line_of(fields)
    for group in report.old_consumers:
        wrote = "never" if group.written_ms is None else second_text(group.written_ms)
        yield line_of({"group": group.group, "members": group.members, "wrote": wrote})
