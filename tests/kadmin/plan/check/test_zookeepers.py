"""What is wrong among ZooKeepers: how bad is it?"""

import pytest

from kadmin.plan.check.findings import Kind, Severity
from kadmin.plan.check.zookeepers import zookeeper_findings
from kadmin.plan.ensemble import ServerAnswers, report_on


def told(server: str, mode: str | None) -> ServerAnswers:
    """What a server in *mode* tells of itself; None is one that is down."""
    if mode is None:
        return ServerAnswers(server=server, failure="connection refused")
    return ServerAnswers(
        server=server, answers={"srvr": f"Zookeeper version: 3.9.5\nMode: {mode}\n"}
    )


@pytest.mark.parametrize(
    ("modes", "found"),
    [
        ((), []),
        (("standalone",), []),
        (("follower", "leader"), []),
        (("leader", None), [(Severity.WARNING, "b is down: connection refused")]),
        (
            ("leader", "leader"),
            [(Severity.CRITICAL, "a, b lead at the same time: they are no one ensemble")],
        ),
        (
            ("standalone", "leader"),
            [(Severity.CRITICAL, "a stands alone, with data of its own: no one ensemble")],
        ),
    ],
)
def test_servers_with_data_of_their_own_are_worse_than_those_that_are_down(
    modes: tuple[str | None, ...], found: list[tuple[Severity, str]]
) -> None:
    report = report_on([told(server, mode) for server, mode in zip("ab", modes, strict=False)])

    findings = list(zookeeper_findings(report))

    assert [(severity, f"ZooKeeper: {text}") for severity, text in found] == [
        (each.severity, each.text) for each in findings
    ]
    assert {Kind.ZOOKEEPER} >= {each.kind for each in findings}


def test_where_nobody_was_asked_nothing_is_found() -> None:
    assert [] == list(zookeeper_findings(None))
