"""A report on topics as a table, for a terminal."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from cluster.model.ids import NO_LEADER, BrokerId
from kadmin.plan.broker_names import hosts_of
from kadmin.plan.health import BAD_FINDINGS, Finding, PartitionView, needed_brokers
from kadmin.render.tables import Cell, FittedTable, Phrases, Screen, shortened
from kadmin.render.topics.lines import config_text, replication_factor
from kadmin.render.visible import visible
from kadmin.repetition import repeated
from kadmin.reports.topics import ClusterReport, TopicReport
from kadmin.wording import counted, second_text


def describe_table(report: ClusterReport) -> RenderableType:
    if report.emptiness is not None:
        return Text(report.emptiness, "green")
    parts: list[RenderableType] = [summary(report)]
    for item in report.topics:
        parts += topic_heading(item, is_short=report.whole is not None)
        if not report.is_overrides_only:
            parts.append(partition_table(report, item.partitions))
    return Screen(parts)


def summary(report: ClusterReport) -> Phrases:
    """Return the answer in one line, where the terminal is wide enough: how much of what is
    wrong."""
    shown, report = report, report.whole or report
    counts = Counter(
        finding for item in report.topics for view in item.partitions for finding in view.findings
    )
    text = Text(f"{counted(len(report.topics), 'topic')}, ")
    text.append(counted(report.partition_count, "partition"))
    controller = report.snapshot.controller
    text.append(f" on {counted(len(report.snapshot.brokers), 'live broker')}, ")
    text.append("no controller" if controller is None else f"controller {controller.broker_id}")
    bad = [finding for finding in Finding if counts[finding] and finding in BAD_FINDINGS]
    phrases = [text, *(Text(f"{counts[finding]} {finding}", "bold red") for finding in bad)]
    if counts[Finding.NON_PREFERRED_LEADER]:
        phrases.append(Text(f"{counts[Finding.NON_PREFERRED_LEADER]} not preferred", "yellow"))
    if not bad and report.partition_count and not report.is_overrides_only:
        phrases.append(Text("all in sync", "green"))
    well = report.partition_count - shown.partition_count
    if well:
        phrases.append(Text(f"{well:,} well (--all shows them)", "dim"))
    return Phrases(phrases)


def topic_heading(item: TopicReport, *, is_short: bool) -> Iterator[RenderableType]:
    """Return what is true of a topic as a whole; *is_short*, no more than its name and size."""
    topic = item.topic
    count = len(topic.assignment.partitions)
    yield Text()
    phrases = [
        Text(topic.name, style="bold"),
        Text(f"{counted(count, 'partition')} × {counted(replication_factor(topic), 'replica')}"),
    ]
    if topic.assignment.topic_id is not None:
        phrases.append(Text(f"id {topic.assignment.topic_id}", style="dim"))
    if topic.is_marked_for_deletion:
        phrases.append(Text("marked for deletion", style="bold red"))
    yield Phrases(phrases)
    if is_short:
        return
    leaders = Counter(state.leader for state in topic.states.values() if state.leader != NO_LEADER)
    if leaders:
        # Those that could lead and do not stand there with 0: the skew counts them.
        able = sorted(leaders.keys() | hosts_of((topic,)))
        spread = " ".join(f"{broker}:{leaders[broker]}" for broker in able)
        skew = max(leaders.values()) - min(leaders[broker] for broker in able)
        yield Text(f"leaders {spread} (skew {skew})", style="dim")
    if topic.config.values:
        values = list(topic.config.values.items())
        texts = [config_text(dict([each])) for each in values]
        label = "configs "
        yield Phrases(
            [
                Text(
                    (label if number == 0 else "") + text + ("," if text is not texts[-1] else ""),
                    style="cyan",
                )
                for number, text in enumerate(texts)
            ],
            gap="",
            indent=len(label),
        )


def partition_table(report: ClusterReport, views: Sequence[PartitionView]) -> FittedTable:
    brokers, live = report.snapshot.brokers, report.snapshot.live
    has_racks = any(broker.rack is not None for broker in brokers.values())
    table = FittedTable()
    table.add_column("partition", justify="right")
    table.add_column("leader")
    table.add_column("replicas", worth=3)
    # Said in digits, too, wherever it differs: not every terminal strikes through.
    shows_isr = any(set(view.isr) != set(view.assignment.replicas) for view in views)
    if shows_isr:
        table.add_column("isr", worth=2)
    if has_racks:
        table.add_column("racks", worth=1)
    table.add_column("status", least=len("lacks 2, at min ISR"))
    for view in views:
        cells: list[Cell] = [
            str(view.partition),
            leader_cell(view),
            replicas_cell(view, live),
        ]
        if shows_isr:
            cells.append(" ".join(map(str, view.isr)) or "none")
        if has_racks:
            racks = (brokers.get(replica) for replica in view.assignment.replicas)
            cells.append(visible(" ".join((broker and broker.rack) or "-" for broker in racks)))
        table.add_row(*cells, status_cell(view, live))
    return table


def leader_cell(view: PartitionView) -> Text:
    if Finding.STATE_UNREADABLE in view.findings:
        return Text("unknown", style="red")
    if view.leader is None:
        return Text("none", style="bold red")
    if Finding.NON_PREFERRED_LEADER in view.findings:
        preferred = view.assignment.preferred_leader
        return Text(f"{view.leader} (preferred {preferred})", style="yellow")
    return Text(str(view.leader))


def replicas_cell(view: PartitionView, brokers: Container[BrokerId]) -> Text:
    """Return the replicas in their order; those out of the ISR and the dead are struck."""
    text = Text()
    for replica in view.assignment.replicas:
        style = "bold" if replica == view.leader else ""
        if replica not in brokers:
            style = "red strike"
        elif replica not in view.isr:
            style = "yellow strike"
        text.append(" " if text else "").append(str(replica), style=style)
    return text


def status_cell(view: PartitionView, brokers: Container[BrokerId]) -> Cell:
    words = list(status_words(view, brokers))
    if not words:
        return Text("ok", style="green")
    is_bad = not BAD_FINDINGS.isdisjoint(view.findings)
    return shortened(words, "red" if is_bad else "yellow")


def status_words(view: PartitionView, brokers: Container[BrokerId]) -> Iterator[tuple[str, ...]]:
    """Return the findings in words that say who, each in shorter and shorter forms; what the
    leader's cell shows is not said again."""
    replicas, isr = view.assignment.replicas, view.isr
    # Without a leader it counts as under min ISR, however many are left: nothing more to say.
    isr_count = len(view.isr_members)
    is_short = isr_count < view.min_isr
    fell_to_min_isr = view.leader is not None and len(set(replicas)) > view.min_isr
    for finding in findings_to_tell(view):
        if finding is Finding.UNAVAILABLE and view.leader is not None:
            yield with_needs(f"leader {view.leader} is dead", "", view, brokers)
        elif finding is Finding.UNAVAILABLE and view.state is not None:
            since_ms = view.leaderless_since_ms
            since = "" if since_ms is None else f" since {second_text(since_ms)}"
            yield with_needs("no leader", since, view, brokers)
        elif finding is Finding.NO_STATE:
            yield "not taken up by a controller", "not taken up"
        elif finding is Finding.STATE_UNREADABLE:
            yield "its state cannot be read", "state unreadable"
        elif finding is Finding.UNDER_MIN_ISR and view.state is not None and is_short:
            yield f"under min ISR ({isr_count} of {view.min_isr})", "under min ISR"
        elif finding is Finding.AT_MIN_ISR and fell_to_min_isr:
            yield f"at min ISR ({view.min_isr})", "at min ISR"
        elif finding is Finding.UNDER_REPLICATED and view.state is not None:
            out = [replica for replica in dict.fromkeys(replicas) if replica not in isr]
            dead = [
                f"{replica} dead" if replica not in brokers else str(replica) for replica in out
            ]
            yield (
                "out of ISR: " + ", ".join(dead),
                "out of ISR: " + ", ".join(dead),
                "lacks " + ", ".join(map(str, out)),
            )
        elif finding is Finding.CONTROLLER_EPOCH_AHEAD and view.state is not None:
            ahead = f"controller epoch {view.state.controller_epoch} is ahead"
            yield f"{ahead}: elections fail", ahead
        else:
            yield from other_words(finding, view)


def findings_to_tell(view: PartitionView) -> Iterable[Finding]:
    """Return the findings, without what follows from another one."""
    if view.leader not in view.refused_by:
        return view.findings
    return (finding for finding in view.findings if finding is not Finding.UNAVAILABLE)


def other_words(finding: Finding, view: PartitionView) -> Iterator[tuple[str, ...]]:
    if finding is Finding.REFUSED:
        for broker, reason in view.refused_by.items():
            yield f"refused by {broker}: {reason}", f"refused by {broker}"
    elif finding is Finding.REASSIGNING:
        moves = [f"+{broker}" for broker in view.assignment.adding]
        moves += [f"-{broker}" for broker in view.assignment.removing]
        yield "reassigning " + " ".join(moves), "reassigning"
    elif finding is Finding.RECOVERING:
        yield "recovering from an unclean election", "recovering"
    elif finding is Finding.NO_REPLICAS:
        yield "has no replicas", "no replicas"
    elif finding is Finding.STRANGERS:
        names = ", ".join(map(str, view.non_replicas))
        yield f"in the ISR without a replica: {names}", f"no replica: {names}"
    elif finding is Finding.REPEATED_REPLICAS:
        twice = ", ".join(map(str, repeated(view.assignment.replicas)))
        yield f"named several times: {twice}", f"repeats {twice}"


def with_needs(
    ill: str, since: str, view: PartitionView, brokers: Container[BrokerId]
) -> tuple[str, ...]:
    """Return what is *ill*, and who must come back for the partition to be led again."""
    needed = needed_brokers(view, brokers)
    if not needed:
        return f"{ill}{since}", ill
    needs = f"needs broker {' or '.join(map(str, needed))}"
    only = "the only ISR member" if len(needed) == 1 else "all of the ISR is dead"
    whole = (f"{ill}{since}: {needs} ({only})", f"{ill}{since}: {needs}") if since else ()
    return (*whole, f"{ill}: {needs} ({only})", f"{ill}: {needs}", needs)
