"""Groups of consumers by their verdicts: which do not read what there is, or not fast enough?"""

from collections.abc import Iterator, Sequence
from typing import Final

from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.groups.verdict import GroupVerdict, Verdict
from kadmin.quoting import quoted
from kadmin.wording import counted

CAUSES: Final = {
    Verdict.REWOUND: "went back, and not yet where they were",
    Verdict.STOPPED: "stopped: records are unread, and no member has their partitions",
    Verdict.STALLED: "stalled: members commit nothing, or what is committed is beyond the end",
    Verdict.BEHIND: "behind: records are unread for too long, and the group reads",
}
# What is unknown is a gap of the check.
assert CAUSES.keys() == set(Verdict) - {Verdict.OK, Verdict.UNKNOWN}


def group_findings(groups: Sequence[GroupVerdict]) -> Iterator[Finding]:
    """Return a finding for each verdict but ok and unknown, its groups by how long they lag."""
    for verdict, cause in CAUSES.items():
        found = [each for each in groups if each.verdict is verdict]
        if not found:
            continue
        found.sort(key=lambda each: (-(each.lag_ms or 0), each.group.name))
        worst = found[0].worst
        reason = (
            "" if worst is None or len(found) > 1 else f" ({worst.row.partition}: {worst.reason})"
        )
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.LAGGING_GROUP if verdict is Verdict.BEHIND else Kind.STUCK_GROUP,
            text=f"{counted(len(found), 'group')} {cause}{reason}",
            groups=tuple(each.group.name for each in found),
            command=f"kadmin groups --describe --group {quoted(found[0].group.name)}",
        )
