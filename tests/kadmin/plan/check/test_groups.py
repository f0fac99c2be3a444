"""Findings about groups: one for each verdict, with the worst group first?"""

from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Kind, Severity
from kadmin.plan.check.groups import group_findings
from kadmin.plan.check.judge import judge
from kadmin.plan.groups.lag import lags_of
from kadmin.plan.groups.verdict import GroupVerdict, Look
from kadmin.plan.groups.verdict import judge as judge_group
from tests.kadmin.builders import brokers, cluster, topic
from tests.kadmin.plan.groups.builders import T0, group, logs, member

NOW_MS = 1_700_000_000_000


def verdict(name: str, *committed: int, unread_s: int = 0, is_alive: bool = True) -> GroupVerdict:
    """That on a group that has *committed* this, ten seconds apart, of ten records."""
    found = group(name, *([member("reader", T0)] if is_alive else []))
    looks = []
    for number, offset in enumerate(committed):
        time_ms = NOW_MS + 10_000 * number
        (row,) = lags_of(found, {T0: offset}, logs({T0: (0, 10)}))
        since_ms = time_ms - 1000 * unread_s if row.lag else None
        row = row._replace(unread_since_ms=since_ms)
        looks.append(Look(time_ms=time_ms, group=found, rows=(row,)))
    return judge_group(looks, behind_ms=60_000)


GROUPS = (
    verdict("all-read", 10),
    verdict("reads", 2, 3, unread_s=70),
    verdict("left", 2, unread_s=70, is_alive=False),
    verdict("left-longer", 2, unread_s=900, is_alive=False),
    verdict("-x y", 2, 2, unread_s=70),
    verdict("back", 5, 2),
)


def test_each_verdict_is_one_finding_with_its_groups() -> None:
    found = list(group_findings(GROUPS))

    assert [
        (Kind.STUCK_GROUP, ("back",), "kadmin groups --describe --group back"),
        (
            Kind.STUCK_GROUP,
            ("left-longer", "left"),
            "kadmin groups --describe --group left-longer",
        ),
        (Kind.STUCK_GROUP, ("-x y",), "kadmin groups --describe --group '-x y'"),
        (Kind.LAGGING_GROUP, ("reads",), "kadmin groups --describe --group reads"),
    ] == [(each.kind, each.groups, each.command) for each in found]
    assert {Severity.WARNING} == {each.severity for each in found}
    assert "1 group went back, and not yet where they were (t-0: went back from offset 5 to 2)" == (
        found[0].text
    )
    assert "2 groups stopped: records are unread, and no member has their partitions" == (
        found[1].text
    )


def test_they_come_behind_what_is_wrong_with_the_cluster_and_can_be_ignored() -> None:
    evidence = Evidence(
        snapshot=cluster(brokers("0"), topic("t", "0,7")), now_ms=NOW_MS, groups=GROUPS
    )

    report = judge(evidence)

    kinds = [each.kind for each in report.findings if each.severity is Severity.WARNING]
    assert [Kind.STUCK_GROUP] * 3 + [Kind.LAGGING_GROUP] == kinds[-4:]
    assert Kind.DEAD_BROKER in kinds
    ignored = judge(evidence, [Kind.STUCK_GROUP, Kind.LAGGING_GROUP])
    assert not any(each.groups for each in ignored.findings)
