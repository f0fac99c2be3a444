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
    in_zookeeper = is_in_zookeeper(visit, values)
    group = named(visit, values.name_of("group"), in_zookeeper=in_zookeeper)
    topics = values.lines("topics")
    wanted, spec = wanted_by(values)
    return ResetOffsets(
        group=group,
        partitions=parse_scopes(topics),
        wanted=wanted,
        spec=spec,
        topics=topics,
        in_zookeeper=in_zookeeper,
    )


def delete(visit: Visit, values: Values) -> Action:
    in_zookeeper = is_in_zookeeper(visit, values)
    names = values.names_of("groups")
    return DeleteGroups(
        names=tuple(named(visit, name, in_zookeeper=in_zookeeper) for name in names),
        in_zookeeper=in_zookeeper,
    )


def is_in_zookeeper(visit: Visit, values: Values) -> bool:
    """Return whether groups of old consumers are meant.

    Raises:
        BadField: only brokers are named.
    """
    if not values.is_set("kept") or values.choice("kept") == "brokers":
        return False
    if visit.of.old_groups is None:
        raise BadField(values.label("kept"), f"the ZooKeeper of {visit.of.name} is not named")
    return True


def named(visit: Visit, name: str, *, in_zookeeper: bool) -> str:
    """Return *name*, which means this group alone, whatever characters it has; blanks around it
    are left out unless a group is called so.

    Raises:
        NoSuchGroup: it looks like a pattern, and no group is called so.
    """
    if is_glob(name) or name != name.strip():
        with visit.of.new_session().groups(in_zookeeper=in_zookeeper) as admin:
            known = [each.name for each in admin.listing().groups]
        if name not in known and not is_glob(name):
            return name.strip()
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
