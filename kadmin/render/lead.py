"""An election in ZooKeeper: how do its leader and those that wait look?"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from cluster.recipes.view import ElectionView, Participant
from kadmin.render.brokers import short_time, time_text
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = ("place", "state", "id", "epoch", "since", "session", "znode")


def election_document(view: ElectionView) -> Document:
    """Return who leads, and who waits in which order."""
    records = [record_of(place, each) for place, each in enumerate(view.participants)]
    return Document(
        schema="kadmin.lead.status/1",
        body=lambda: {
            "path": view.path,
            "kind": "fair" if view.is_fair else "unfair",
            "participants": records,
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(records, COLUMNS),
        lines=lambda: lines(view, records),
        pretty=(lambda: pretty(records)) if records else None,
    )


def record_of(place: int, participant: Participant) -> dict[str, object]:
    return {
        "place": place,
        "state": "leads" if participant.is_leader else "waits",
        "id": participant.identity or None,
        "epoch": participant.epoch if participant.is_leader else None,
        "since": time_text(participant.since_ms),
        "session": f"0x{participant.session_id:x}",
        "znode": participant.node,
    }


def lines(view: ElectionView, records: Sequence[Mapping[str, object]]) -> Iterator[str]:
    if not records:
        yield f"Path: {view.path}\tState: no leader"
    for record in records:
        yield line_of({name: "-" if cell is None else cell for name, cell in record.items()})


def pretty(records: Sequence[Mapping[str, object]]) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Shown, dashed, table_of

    def state(record: Mapping[str, object]) -> Text:
        return Text(str(record["state"]), "bold" if record["state"] == "leads" else "")

    return table_of(
        records,
        Shown("state", state),
        Shown("id", lambda record: dashed(record["id"])),
        Shown("epoch", lambda record: dashed(record["epoch"]), right=True, worth=3),
        Shown("since (UTC)", lambda record: short_time(record["since"]), worth=2),
        Shown("znode", lambda record: str(record["znode"]).rpartition("/")[2], worth=1),
    )
