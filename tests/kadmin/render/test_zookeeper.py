"""How an ensemble looks: in a table, as lines, as a document."""

from typing import Any

from kadmin.plan.ensemble import EnsembleReport, ServerReport, ServerState
from kadmin.render.output import Output
from kadmin.render.zookeeper import ensemble_document
from tests.kadmin.render.terminal import FakeTerminal

REPORT = EnsembleReport(
    servers=(
        ServerReport(
            server="zk1:2181",
            state=ServerState.SERVING,
            mode="leader",
            version="3.9.5",
            latency_min_ms=0,
            latency_avg_ms=1.93,
            latency_max_ms=292,
            outstanding=0,
            connections=2,
            sessions=3,
            znodes=29,
            followers=2,
            synced_followers=1,
            zxid="0x10000003f",
        ),
        ServerReport(server="zk2:2181", state=ServerState.DOWN, reason="connection refused"),
    ),
    voters=3,
    problems=("zk2:2181 is down: connection refused",),
    notes=(),
)


def shown(width: int) -> list[str]:
    stream = FakeTerminal()
    console = Output(stdout=stream, color=False).console()
    console.width = width
    document = ensemble_document(REPORT)
    assert document.pretty is not None
    console.print(document.pretty())
    return stream.getvalue().splitlines()


def test_a_wide_terminal_has_all_that_is_known():
    lines = shown(160)

    assert "2 servers, 1 serving, leader zk1:2181, 3 voting members" == lines[0].rstrip()
    assert ["server", "state", "mode", "latency", "ms"] == lines[1].split()[:5]
    assert "zk1:2181 serving leader of 1/2 0/1.9/292 0 2 3 29 - 0x10000003f 3.9.5" == " ".join(
        lines[4].split()
    )
    assert "zk2:2181 down - - - - - - - - -" == " ".join(lines[3].split())
    assert "zk2:2181 is down: connection refused" == lines[5].rstrip()


def test_a_narrow_terminal_keeps_state_and_mode():
    lines = shown(40)

    assert ["server", "state", "mode"] == lines[2].split()
    assert ["zk2:2181", "down", "-"] == lines[4].split()
    assert any("left out at 40 columns: latency ms" in line for line in lines)


def test_lines_leave_out_what_is_not_told():
    _, down = ensemble_document(REPORT).lines()

    assert "Server: zk2:2181\tState: down\tReason: connection refused" == down


def test_the_document_has_every_field_of_every_server():
    body: Any = ensemble_document(REPORT).body()

    assert (False, "zk1:2181", 3) == (body["healthy"], body["leader"], body["voters"])
    (_, down) = body["servers"]
    assert None is down["znodes"]
    assert "connection refused" == down["reason"]
