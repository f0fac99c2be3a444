"""An ensemble of ZooKeepers: how does it look?"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from kadmin.plan.ensemble import EnsembleReport, ServerReport, ServerState
from kadmin.render.fields import csv_rows, line_of
from kadmin.render.output import Document
from kadmin.wording import counted

if TYPE_CHECKING:
    from rich.console import RenderableType

COLUMNS: Final = (
    "server",
    "state",
    "reason",
    "id",
    "mode",
    "version",
    "latency_min_ms",
    "latency_avg_ms",
    "latency_max_ms",
    "outstanding",
    "connections",
    "sessions",
    "znodes",
    "watches",
    "data_bytes",
    "followers",
    "synced_followers",
    "zxid",
)

STYLES: Final = {
    ServerState.SERVING: "green",
    ServerState.NOT_SERVING: "bold red",
    ServerState.ANSWERS: "yellow",
    ServerState.DOWN: "bold red",
}


def ensemble_document(report: EnsembleReport) -> Document:
    """Return the servers of *report*; as lines, tabs between `Name: value`."""
    return Document(
        schema="kadmin.zookeeper/1",
        body=lambda: {
            "healthy": not report.problems,
            "leader": report.leader,
            "voters": report.voters,
            "servers": [record(server) for server in report.servers],
            "problems": list(report.problems),
            "notes": list(report.notes),
        },
        columns=COLUMNS,
        rows=lambda: csv_rows(map(record, report.servers), COLUMNS),
        lines=lambda: map(line, report.servers),
        pretty=lambda: pretty(report),
    )


def record(server: ServerReport) -> dict[str, object]:
    fields = asdict(server)
    return {name: fields[name] for name in COLUMNS}


def line(server: ServerReport) -> str:
    """Write one server in the form of Kafka's describe lines; what it does not report
    is left out."""
    return line_of({name: cell for name, cell in record(server).items() if cell is not None})


def head(report: EnsembleReport) -> str:
    serving = sum(server.state is ServerState.SERVING for server in report.servers)
    text = f"{counted(len(report.servers), 'server')}, {serving} serving"
    if len(report.servers) > 1:
        text += f", {'no leader' if report.leader is None else f'leader {report.leader}'}"
    return text if report.voters is None else f"{text}, {report.voters} voting members"


def pretty(report: EnsembleReport) -> "RenderableType":
    from rich.text import Text

    from kadmin.render.tables import Screen, Shown, dashed, table_of

    def number(name: str, worth: int) -> Shown[ServerReport]:
        return Shown(name, lambda each: dashed(getattr(each, name)), right=True, worth=worth)

    # Who is ill comes first: a short terminal shows no more.
    table = table_of(
        sorted(report.servers, key=lambda each: each.state is ServerState.SERVING),
        Shown("server", lambda each: each.server, least=30),
        Shown("state", lambda each: Text(each.state, STYLES[each.state])),
        Shown("mode", mode_text),
        Shown("latency ms", latency_text, right=True, worth=7),
        number("outstanding", 8),
        number("connections", 4),
        number("sessions", 6),
        number("znodes", 5),
        number("watches", 2),
        number("zxid", 3),
        Shown("version", lambda each: dashed(each.version), worth=1),
    )
    parts: list[RenderableType] = [Text(head(report)), table]
    parts += [Text(problem, "bold red") for problem in report.problems]
    return Screen(parts)


def mode_text(server: ServerReport) -> str:
    if server.mode is None:
        return "-"
    if server.followers is None:
        return server.mode
    synced = server.followers if server.synced_followers is None else server.synced_followers
    return f"{server.mode} of {synced}/{server.followers}"


def latency_text(server: ServerReport) -> str:
    figures = (server.latency_min_ms, server.latency_avg_ms, server.latency_max_ms)
    if any(figure is None for figure in figures):
        return "-"
    low, average, high = (f"{figure:.1f}".removesuffix(".0") for figure in figures)
    return f"{low}/{average}/{high}"
