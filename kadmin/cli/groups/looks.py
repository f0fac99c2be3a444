"""What `kadmin groups --list` and `--describe` do."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kadmin.cli.groups.places import IN_ZOOKEEPER, kept_in_zookeeper
from kadmin.cli.session import Session
from kadmin.cli.watching import watch
from kadmin.errors import UnreachableError
from kadmin.plan.groups.lag import Condition, PartitionLag
from kadmin.settings.keys import OutputFormat
from kadmin.wording import LISTED_MAX, counted, first_listed, listed

if TYPE_CHECKING:
    from kadmin.app.groups import History
    from kadmin.arguments.groups import GroupSelection, PartitionFilter
    from kadmin.plan.groups.group import Group, NoSuchGroup


RATES_MS: Final = 60_000
"""While watching, rates are those of the last minute."""


class UnansweredGroups(UnreachableError):
    """Groups whose coordinators did not answer for them."""

    def __init__(self, unanswered: Mapping[str, str]) -> None:
        super().__init__(
            f"no coordinator answered for {len(unanswered)} of the groups:"
            f" {listed(sorted(unanswered))}",
            hint="kadmin brokers --describe",
        )
        self.names = tuple(unanswered)


def list_groups(session: Session, options: Mapping[str, Any]) -> None:
    from kadmin.app.groups import readers_of, with_states
    from kadmin.arguments.groups import parse_scopes, parse_states, parse_types
    from kadmin.execute.meant_groups import require_partitions
    from kadmin.render.groups.listing import list_document

    states = parse_states(options["state"] or "")
    types = parse_types(options["types"] or "")
    partitions = parse_scopes(options["topics"])

    def show() -> None:
        with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
            found = admin.listing()
            listed_groups = found.groups
            if options["state"] is not None:
                listed_groups = with_states(admin, listed_groups)
            groups = [
                each
                for each in listed_groups
                if (not states or each.state in states) and (not types or each.type in types)
            ]
            if partitions.scopes:
                readers = readers_of(admin, [each.name for each in groups], partitions)
                groups = [each for each in groups if each.name in readers]
                if not groups:
                    require_partitions(admin, partitions, ())
        for broker, reason in sorted(found.silent.items()):
            session.output.warn(f"left out: the groups of broker {broker}: {reason}")
        if not found.groups and not found.silent:
            session.output.note("there are no groups of consumers")
        if not options["in_zookeeper"] and (others := kept_in_zookeeper(session)):
            session.note(f"{counted(len(others), 'group')} in ZooKeeper: '{IN_ZOOKEEPER} --list'")
        document = list_document(
            groups,
            with_types=options["types"] is not None,
            with_states=options["state"] is not None,
        )
        session.output.show(document)
        if found.silent:
            from kadmin.admin.wire.errors import SilentBrokers

            raise SilentBrokers(sorted(found.silent))

    watch(session, options["watch"], show)


def describe_groups(session: Session, options: Mapping[str, Any]) -> None:
    from kadmin.app.groups import History
    from kadmin.arguments.groups import GroupSelection, parse_scopes

    selection = GroupSelection(options["groups"])
    partitions = parse_scopes(options["topics"])
    history = History(RATES_MS)

    def show() -> None:
        if options["members"] or options["state"] is not None:
            describe_members(session, selection, partitions, options)
        else:
            describe_offsets(session, selection, partitions, history, options)

    watch(session, options["watch"], show)


def describe_members(
    session: Session,
    selection: "GroupSelection",
    partitions: "PartitionFilter",
    options: Mapping[str, Any],
) -> None:
    from kadmin.app.groups import has_member_in, missing_groups, names_of
    from kadmin.execute.meant_groups import require_partitions
    from kadmin.render.groups.members import hosts_document, members_document, states_document

    with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
        described = admin.describe(names_of(admin, selection))
        groups = [described.found[name] for name in sorted(described.found)]
        missing = missing_groups(admin, selection, groups)
        gone = left_out(missing, len(groups))
        groups = [each for each in groups if each.name not in gone]
        require_partitions(admin, partitions, ())
    if partitions.scopes:
        groups = [each for each in groups if has_member_in(each, partitions)]
    if options["state"] is not None:
        document = states_document(groups, described.unanswered)
    elif options["by_host"]:
        document = hosts_document(groups, described.unanswered)
    else:
        document = members_document(groups, described.unanswered, is_verbose=options["verbose"])
    session.output.show(document, plain=options["plain"])
    if options["state"] is None:
        note_states(session, groups)
    warn_of_unanswered(session, described.unanswered)
    if missing is not None:
        raise missing


def describe_offsets(
    session: Session,
    selection: "GroupSelection",
    partitions: "PartitionFilter",
    history: "History",
    options: Mapping[str, Any],
) -> None:
    from kadmin.app.groups import missing_groups, names_of, now_ms, read_lags
    from kadmin.render.groups.lag import condition_texts, lag_document
    from kadmin.reports.groups import Order, ranked

    output = session.output
    order = Order(options["sort_by"] or Order.NAME)
    shows_tables = output.shows_tables(plain=options["plain"])
    # Kafka's lines have no room for times, and fetching them takes its time.
    with_times = shows_tables or output.form is not OutputFormat.TEXT or order is Order.TIME
    with session.groups(in_zookeeper=options["in_zookeeper"]) as admin:
        report = read_lags(
            admin,
            names_of(admin, selection),
            partitions,
            now_ms(),
            with_times=with_times,
        )
        missing = missing_groups(admin, selection, [each.group for each in report.groups])
    gone = left_out(missing, len(report.groups))
    there = (each for each in report.groups if each.group.name not in gone)
    report = replace(report, groups=tuple(there))
    if options["watch"] is not None:
        history.add(report)
        report = replace(report, movements=history.movements())
    report = ranked(report, order, options["limit"])
    output.show(lag_document(report), plain=options["plain"])
    if not shows_tables:
        note_states(session, [each.group for each in report.groups])
        texts = list(condition_texts(report))
        for text in texts[:LISTED_MAX]:
            output.warn(text)
        if len(texts) > LISTED_MAX:
            more = counted(len(texts) - LISTED_MAX, "more partition")
            output.warn(f"{more} whose commit does not fit the log: --output json has them")
    if report.hidden_count:
        output.note(f"{counted(report.hidden_count, 'partition')} not shown")
    warn_of_unanswered(
        session, report.unanswered, (row for each in report.groups for row in each.rows)
    )
    if missing is not None:
        raise missing


def left_out(missing: "NoSuchGroup | None", described: int) -> Sequence[str]:
    """Return the names of the groups, of all that are *described*, that do not exist.

    Raises:
        NoSuchGroup: no other is left.
    """
    if missing is None:
        return ()
    if len(missing.names) == described:
        raise missing
    return missing.names


def note_states(session: Session, groups: "list[Group]") -> None:
    """Note what Kafka's tool notes beside its lines."""
    from kadmin.render.visible import visible

    for group in groups:
        which = f"Consumer group '{visible(group.name)}'"
        if not group.is_alive:
            session.output.note(f"{which} has no active members.")
        elif group.is_rebalancing:
            session.output.note(f"{which} is rebalancing.")


def unanswered_texts(unanswered: Mapping[str, str]) -> Iterator[str]:
    """Which groups are left out, in a line for each reason: a coordinator may have thousands."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in sorted(unanswered.items()):
        by_reason.setdefault(reason, []).append(name)
    for reason, names in by_reason.items():
        which = f"group '{names[0]}'"
        if len(names) > 1:
            which = f"{counted(len(names), 'group')} ({first_listed(names)})"
        yield f"left out: {which}: {reason}"


def warn_of_unanswered(
    session: Session, unanswered: Mapping[str, str], rows: Iterable[PartitionLag] = ()
) -> None:
    """Warn of the groups that no coordinator answered for, and raise then; also where no leader
    returned the end of one of *rows*.

    Raises:
        UnansweredGroups, UnansweredOffsets: something is left out.
    """
    from kadmin.plan.offsets import UnansweredOffsets

    for text in unanswered_texts(unanswered):
        session.output.warn(text)
    if unanswered:
        raise UnansweredGroups(unanswered)
    unknown = {row.partition: row.reason for row in rows if row.condition is Condition.UNKNOWN}
    if unknown:
        raise UnansweredOffsets(unknown)
