"""Partitions that are ill: which ones, for which reason, and who must come back?

One finding for each cause: all partitions that lack the same brokers are one.
"""

from collections.abc import Container, Iterator
from typing import Final, NamedTuple

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot, EligibleLeaders
from kadmin.plan import health
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.health import PartitionView
from kadmin.quoting import quoted
from kadmin.wording import brokers_text, counted, second_text, verb_of

DESCRIBE: Final = "kadmin topics --describe"


class Cause(NamedTuple):
    """Why a partition is ill: it waits for, lacks or should not have *brokers*."""

    kind: Kind
    reason: str
    brokers: tuple[BrokerId, ...] = ()


NO_REPLICAS: Final = "has no replicas"
REPEATED: Final = "names replicas twice"
NOT_REPLICAS: Final = "has no replica of"
OUT_OF_ISR: Final = "leads out of the ISR"
NO_STATE: Final = "never had a leader"
NO_ISR: Final = "no ISR member is alive"
ELIGIBLE: Final = "none of the eligible leaders is alive"
NOT_ELECTED: Final = "no leader is elected"
LACKS: Final = "lacks replicas"
LAST_LEFT: Final = "lacks all replicas but one"
TOO_FEW: Final = "too few replicas"
RECOVERING: Final = "leader recovering"
ELSEWHERE: Final = "led by another"


def partition_findings(snapshot: ClusterSnapshot, default_min_isr: int) -> Iterator[Finding]:
    causes: dict[Cause, list[TopicPartition]] = {}
    since_ms: dict[Cause, int] = {}
    live = snapshot.live
    for topic in snapshot.topics.values():
        if topic.is_marked_for_deletion:
            continue  # It has no leaders when it goes, and that is meant.
        for view in health.judge_topic(snapshot, topic, default_min_isr):
            if not view.findings:
                continue  # Nearly all of them: what follows looks at much more.
            partition = TopicPartition(view.topic, view.partition)
            eligible = snapshot.eligible.get(partition, EligibleLeaders()).leaders
            for cause in causes_of(view, live, eligible):
                causes.setdefault(cause, []).append(partition)
                lost_ms = view.leaderless_since_ms
                if lost_ms is not None:
                    since_ms[cause] = min(lost_ms, since_ms.get(cause, lost_ms))
    yield from refused_partitions(snapshot)
    for cause, partitions in causes.items():
        yield finding_of(cause, tuple(sorted(partitions)), live, since_ms.get(cause))
    yield from odd_numbers(snapshot)


def refused_partitions(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Return one finding for each broker and reason; critical where no other replica leads."""
    found: dict[tuple[BrokerId, str, bool], list[TopicPartition]] = {}
    for partition, refused_by in health.refusals_in(snapshot).items():
        topic = snapshot.topics.get(partition.topic)
        if topic is None or topic.is_marked_for_deletion:
            continue
        state = topic.states.get(partition.partition)
        for broker, reason in refused_by.items():
            leads = state is not None and state.leader == broker
            found.setdefault((broker, reason, leads), []).append(partition)
    for (broker, reason, leads), partitions in found.items():
        these = counted(len(partitions), "partition")
        should = ", which it should lead" if leads else ""
        yield Finding(
            severity=Severity.CRITICAL if leads else Severity.WARNING,
            kind=Kind.REFUSED,
            text=f"broker {broker} does not serve {these}{should}: {reason}",
            partitions=tuple(sorted(partitions)),
            brokers=(broker,),
            command=f"{DESCRIBE} --topic {quoted(partitions[0].topic)}",
        )


def odd_numbers(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find topics whose partitions are not numbered 0, 1, 2, …, and those without any."""
    empty, gaps = [], []
    for topic in snapshot.topics.values():
        numbers = topic.assignment.partitions.keys()
        if topic.is_marked_for_deletion:
            continue
        if not numbers:
            empty.append(topic.name)
        elif max(numbers) >= len(numbers):
            gaps.append(topic.name)
    for topics, what in ((empty, "no partitions"), (gaps, "gaps in the numbers of partitions")):
        if topics:
            yield Finding(
                severity=Severity.WARNING,
                kind=Kind.DAMAGED,
                text=f"{counted(len(topics), 'topic')} {verb_of(topics, 'has')} {what}",
                topics=tuple(topics),
                command=f"{DESCRIBE} --topic {quoted(topics[0])}",
            )


def causes_of(
    view: PartitionView, live: Container[BrokerId], eligible: tuple[BrokerId, ...]
) -> Iterator[Cause]:
    """Return what is damaged of a partition, and the worst besides."""
    found = frozenset(view.findings)
    if health.Finding.NO_REPLICAS in found:
        yield Cause(Kind.DAMAGED, NO_REPLICAS)
        return
    if health.Finding.REPEATED_REPLICAS in found:
        yield Cause(Kind.DAMAGED, REPEATED)
    if health.Finding.STRANGERS in found:
        yield Cause(Kind.DAMAGED, NOT_REPLICAS, view.non_replicas)
    if view.leader in view.assignment.replicas and view.isr and view.leader not in view.isr:
        yield Cause(Kind.DAMAGED, OUT_OF_ISR, (view.leader,))
    cause = worst_of(view, live)
    if cause == Cause(Kind.OFFLINE, NO_ISR) and eligible:
        cause = Cause(Kind.OFFLINE, ELIGIBLE, tuple(sorted(eligible)))
    if cause is not None:
        yield cause


def worst_of(view: PartitionView, live: Container[BrokerId]) -> Cause | None:
    """Return the worst that there is about a partition whose replicas are sets; None for
    nothing."""
    found = frozenset(view.findings)
    lacking = tuple(sorted(set(view.assignment.replicas) - set(view.isr)))
    if health.Finding.STATE_UNREADABLE in found:
        return None  # The fault is a finding of its own.
    if health.Finding.NO_STATE in found:
        return Cause(Kind.OFFLINE, NO_STATE)
    if health.Finding.UNAVAILABLE in found and view.leader not in view.refused_by:
        if any(broker in live for broker in view.isr):
            return Cause(Kind.OFFLINE, NOT_ELECTED)
        return Cause(Kind.OFFLINE, NO_ISR, tuple(sorted(view.isr)))
    if health.Finding.UNDER_MIN_ISR in found:
        return Cause(Kind.UNDER_MIN_ISR, LACKS if lacking else TOO_FEW, lacking)
    # What a reassignment adds is not in the ISR until it has caught up.
    if health.Finding.UNDER_REPLICATED in found and not set(lacking) <= set(view.assignment.adding):
        if health.Finding.AT_MIN_ISR not in found:
            return Cause(Kind.UNDER_REPLICATED, LACKS, lacking)
        return Cause(Kind.AT_MIN_ISR, LAST_LEFT if len(view.isr_members) == 1 else LACKS, lacking)
    if health.Finding.RECOVERING in found:
        return Cause(Kind.RECOVERING, RECOVERING)
    preferred = view.assignment.preferred_leader
    if health.Finding.NON_PREFERRED_LEADER in found and preferred in view.isr and preferred in live:
        return Cause(Kind.NOT_PREFERRED, ELSEWHERE, (preferred,))
    return None


def finding_of(
    cause: Cause,
    partitions: tuple[TopicPartition, ...],
    live: Container[BrokerId],
    since_ms: int | None,
) -> Finding:
    """Describe *partitions* of one *cause*.

    *since_ms* is when the first of them lost its leader, None where that is unknown.
    """
    severity, text, command = words_of(cause, len(partitions), live)
    if cause.kind is Kind.OFFLINE and since_ms is not None:
        whose = "" if len(partitions) == 1 else "the first "
        text += f"; {whose}without a leader since at least {second_text(since_ms)}"
    return Finding(
        severity=severity,
        kind=cause.kind,
        text=text,
        partitions=partitions,
        brokers=cause.brokers,
        command=command,
    )


def words_of(cause: Cause, count: int, live: Container[BrokerId]) -> tuple[Severity, str, str]:
    these = counted(count, "partition")
    is_one = count == 1
    lacking = who(cause.brokers, live) if cause.brokers else ""
    match cause.kind, cause.reason:
        case Kind.OFFLINE, _:
            return (
                Severity.CRITICAL,
                offline_text(cause, these, is_one),
                f"{DESCRIBE} --unavailable-partitions",
            )
        case Kind.DAMAGED, reason:
            return damage_words(reason, these, is_one, cause.brokers)
        case Kind.UNDER_MIN_ISR, reason:
            have = "has" if is_one else "have"
            why = (
                f"{'is' if is_one else 'are'} under min ISR, lacking {lacking}"
                if reason == LACKS
                else f"{have} fewer replicas than min.insync.replicas"
            )
            text = f"{these} {why}: writes with acks=all are refused"
            return Severity.CRITICAL, text, f"{DESCRIBE} --under-min-isr-partitions"
        case Kind.AT_MIN_ISR, reason:
            have = "has" if is_one else "have"
            then = (
                f"the last one is lost, too, {'it' if is_one else 'they'} {have} no leader"
                if reason == LAST_LEFT
                else "one more is lost, writes with acks=all are refused"
            )
            text = f"{these} {'lacks' if is_one else 'lack'} {lacking}; when {then}"
            return Severity.WARNING, text, f"{DESCRIBE} --at-min-isr-partitions"
        case Kind.UNDER_REPLICATED, _:
            text = f"{these} {'lacks' if is_one else 'lack'} {lacking}"
            return Severity.WARNING, text, f"{DESCRIBE} --under-replicated-partitions"
        case Kind.RECOVERING, _:
            text = f"{these} {'has a leader' if is_one else 'have leaders'} of an unclean election"
            return Severity.WARNING, f"{text}, recovering", DESCRIBE
        case _:
            are, their = ("is", "its") if is_one else ("are", "their")
            preferred = f"{brokers_text(cause.brokers)}, {their} preferred leader"
            command = "kadmin elect --all-topic-partitions --dry-run"
            return Severity.NOTE, f"{these} {are} not led by {preferred}", command


def damage_words(
    reason: str, these: str, is_one: bool, brokers: tuple[BrokerId, ...]
) -> tuple[Severity, str, str]:
    have, its = ("has", "its") if is_one else ("have", "their")
    if reason == NO_REPLICAS:
        text = f"{these} {have} no replicas: no broker can lead {'it' if is_one else 'them'}"
        return Severity.CRITICAL, text, DESCRIBE
    if reason == REPEATED:
        text = (
            f"{these} {'names' if is_one else 'name'} a broker several times among {its} replicas"
        )
        return Severity.WARNING, f"{text}, where it counts once", DESCRIBE
    if reason == OUT_OF_ISR:
        verb = "which is" if len(brokers) == 1 else "which are"
        text = f"{these} {have} {brokers_text(brokers)} as {its} leader, {verb} not in {its} ISR"
        return Severity.CRITICAL, text, DESCRIBE
    verb = "holds no replica" if len(brokers) == 1 else "hold no replica"
    text = f"{these} {have} {brokers_text(brokers)} in {its} ISR or as leader, which {verb}"
    return Severity.WARNING, text, DESCRIBE


def offline_text(cause: Cause, these: str, is_one: bool) -> str:
    are, have, their, them = (
        ("is", "has", "its", "it") if is_one else ("are", "have", "their", "them")
    )
    if cause.reason == NO_STATE:
        return f"{these} never had a leader: no controller has taken {them} up"
    if cause.reason == NOT_ELECTED:
        return f"{these} {have} no leader, though a member of {their} ISR is alive"
    if not cause.brokers:
        return f"{these} {are} offline, and {their} ISR is empty"
    whole = brokers_text(cause.brokers)
    is_isr = cause.reason != ELIGIBLE
    if len(cause.brokers) == 1:
        only = "the only ISR member" if is_isr else f"{their} only eligible leader"
        return f"{these} {are} offline until {whole} is back, {only}"
    all_of = "the whole ISR" if is_isr else f"{their} eligible leaders"
    return f"{these} {are} offline until one of {whole} is back, {all_of}"


def who(brokers: tuple[BrokerId, ...], live: Container[BrokerId]) -> str:
    """Return `broker 7, which is dead`; for several, which of them are."""
    dead = tuple(broker for broker in brokers if broker not in live)
    if not dead:
        verb = verb_of(brokers, "is")
        return f"{brokers_text(brokers)}, which {verb} alive and out of the ISR"
    if len(dead) == len(brokers):
        return f"{brokers_text(brokers)}, which {verb_of(brokers, 'is')} dead"
    verb = verb_of(dead, "is")
    return f"{brokers_text(brokers)}, of which {brokers_text(dead)} {verb} dead"
