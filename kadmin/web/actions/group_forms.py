"""Forms about groups of consumers, as actions."""

import re
from typing import Final

from kadmin.app.actions.action import Action
from kadmin.app.actions.groups import DeleteGroups, ResetOffsets
from kadmin.app.groups import now_ms
from kadmin.arguments.groups import parse_duration_ms, parse_scopes
from kadmin.arguments.times import parse_time
from kadmin.plan.groups.changes import Edge, ShiftBy, ToOffset, ToTime, Wanted
from kadmin.plan.groups.group import NoSuchGroup
from kadmin.plan.topic_refusals import is_glob
from kadmin.quoting import quoted
from kadmin.web.actions.fields import BadField, Values
from kadmin.web.visit import Visit

OFFSET_MAX: Final = 2**63 - 1


def reset(visit: Visit, values: Values) -> Action:
    group = named(visit, values.needed("group"))
    topics = values.lines("topics")
    wanted, spec = wanted_by(values)
    return ResetOffsets(
        group=group,
        partitions=parse_scopes(topics),
        wanted=wanted,
        spec=spec,
        topics=topics,
    )


def delete(visit: Visit, values: Values) -> Action:
    names = values.lines("groups")
    if not names:
        raise BadField(values.label("groups"), "is empty, and needed")
    return DeleteGroups(names=tuple(named(visit, name) for name in names))


def named(visit: Visit, name: str) -> str:
    """Return *name*, which means this group alone, whatever characters it has.

    Raises:
        NoSuchGroup: it looks like a pattern, and no group is called so.
    """
    if is_glob(name):
        with visit.of.new_session().groups() as admin:
            known = [each.name for each in admin.listing().groups]
        if name not in known:
            raise NoSuchGroup([name], known)
    return name


def wanted_by(values: Values) -> tuple[Wanted, str]:
    """Return what is wanted, and the options of the command that say so."""
    chosen = values.choice("to")
    if chosen in ("earliest", "latest"):
        return Edge(chosen), f"--to-{chosen}"
    text = values.needed("value")
    match chosen:
        case "offset":
            number = values.needed_number("value", 0, OFFSET_MAX)
            return ToOffset(number), f"--to-offset {number}"
        case "time":
            return ToTime(max(0, parse_time(text, now_ms()))), f"--to-datetime {quoted(text)}"
        case "back":
            duration_ms = parse_duration_ms(text)
            return ToTime(max(0, now_ms() - duration_ms)), f"--by-duration {quoted(text)}"
    if not re.fullmatch(r"[+-]?[0-9]{1,18}", text):
        raise BadField(values.label("value"), f"'{text}' is no number of records")
    return ShiftBy(int(text)), f"--shift-by {text}"
