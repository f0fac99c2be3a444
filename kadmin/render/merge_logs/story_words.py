"""Stories of partitions in words: what leaderships, anomalies and clocks are said to be."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from kadmin.render.merge_logs.story_body import silent_brokers
from kadmin.render.merge_logs.summary import SOURCES_MAX
from kadmin.story.clocks import ClockEstimate
from kadmin.story.events import Line
from kadmin.story.unlogged import MISSED
from kadmin.story.values import NO_LEADER, Anomaly, Leadership, Reason, Story
from kadmin.wording import brokers_listed, counted, log_time

if TYPE_CHECKING:
    from kadmin.jobs.merge.clocks import Lifts
    from kadmin.jobs.story.tell import Analysis

NEAR: Final = 3
"""So many leaderships before and behind the one that is asked for are shown with it."""

PROVEN_MAX: Final = 5
"""Of one partition, the lines of no more anomalies of one kind are shown in a text."""

WHY: Final = {
    Reason.CREATED: "created",
    Reason.BROKER_GONE: "broker {before} was gone",
    Reason.CONTROLLED_SHUTDOWN: "broker {before} shut down in order",
    Reason.PREFERRED_ELECTION: "preferred election: {leader} is the first replica",
    Reason.REASSIGNMENT: "reassignment",
    Reason.UNCLEAN_ELECTION: "unclean election: {leader} was not in the ISR",
    Reason.DISK_FAILED: "a disk of broker {before} failed",
    Reason.REPLICA_RETURNED: "replica {leader} was back",
    Reason.NOBODY_LEFT: "no replica of the ISR was alive",
    Reason.SAME_LEADER: "the leader stayed: {isr}",
    Reason.ON_REQUEST: "on request with {before} alive: preferred election or reassignment",
    Reason.UNKNOWN: "unknown: no line says why",
}
assert WHY.keys() == set(Reason)


def label(story: Story) -> str:
    """Return `orders-3` or, where several topics of the name were there in turn, `orders-3 (1 of
    2)`."""
    if story.incarnations == 1:
        return story.name
    return f"{story.name} ({story.incarnation} of {story.incarnations})"


def anomaly_counts(story: Story) -> str:
    counts = Counter(each.kind for each in story.anomalies)
    return " ".join(
        str(kind) if number == 1 else f"{kind}×{number}" for kind, number in counts.items()
    )


def isr_text(each: Leadership) -> str:
    """Write the first ISR and, where it changed, the last; `?` where no line has one."""
    if not each.isr:
        return "?"
    first, last = (",".join(map(str, change.isr)) for change in (each.isr[0], each.isr[-1]))
    return first if len(each.isr) == 1 else f"{first}→{last}"


def broker_text(broker: int | None) -> str:
    return "none" if broker == NO_LEADER else "?" if broker is None else str(broker)


def leader_text(each: Leadership) -> str:
    """Write `1→3`, or `3` where no previous leader is known or the leader stayed."""
    if each.before is None or each.before == each.leader:
        return broker_text(each.leader)
    return f"{broker_text(each.before)}→{broker_text(each.leader)}"


def decided_text(each: Leadership) -> str:
    """Return the controller that decided, and its epoch: `3 (2)`."""
    if each.controller_id is None:
        return "?"
    epoch = "" if each.controller_epoch is None else f" (epoch {each.controller_epoch})"
    return f"{each.controller_id}{epoch}"


def why_text(each: Leadership) -> str:
    """Return why the leader is the leader, in a few words."""
    if each.leader is None:
        return unknown_leader_text(each)
    missed = (
        ""
        if each.missed == 0
        else f", with {counted(each.missed, 'epoch')} before it not in these logs"
    )
    if each.reason is Reason.UNKNOWN and not each.is_decided and not missed:
        return "as the logs begin" if each.before is None else "unknown: no controller's line"
    if each.reason is Reason.UNKNOWN and missed:
        return f"unknown{missed}"
    if each.reason is Reason.BROKER_GONE and (each.before is None or missed):
        return f"the leader before was gone{missed}"
    return WHY[each.reason].format(
        before=broker_text(each.before), leader=each.leader, isr=isr_change_text(each)
    )


def unknown_leader_text(each: Leadership) -> str:
    """Return what is known of a leader epoch all the same: `broker 1 followed in epoch 2; who
    led …`."""
    brokers = sorted(role.broker for role in each.roles if not role.is_leader)
    followed = f"{brokers_listed(brokers)} followed in epoch {each.leader_epoch}; "
    known = followed if brokers else ""
    return f"{known}who led is not in these logs"


def isr_change_text(each: Leadership) -> str:
    """Return who was taken out of the ISR, or into it: `2 out of the ISR, 3 into it`."""
    left, joined = (",".join(map(str, ids)) for ids in (each.isr_left, each.isr_joined))
    if left and joined:
        return f"{left} out of the ISR, {joined} into it"
    if left:
        return f"{left} out of the ISR"
    return f"{joined} into the ISR" if joined else "another ISR or other replicas"


def duration_text(duration_ms: int) -> str:
    """Return `48 ms`, `24.0 s`, `3 min 20 s`, `2 h 5 min`."""
    seconds = duration_ms // 1000
    if duration_ms < 1000:
        return f"{duration_ms} ms"
    if seconds < 60:
        return f"{duration_ms / 1000:.1f} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600:,} h {seconds % 3600 // 60} min"


def leaderless_text(story: Story, *, has_traces: bool) -> str:
    """Describe how long there was no leader.

    Logs without TRACE lines show only the end of such a time, and nothing about leader epochs that
    are in no line.
    """
    is_all = has_traces and not story.has_missing_epochs
    if not story.leaderless:
        return "never without a leader" if is_all else "not seen without a leader"
    least = "" if is_all else "at least "
    text = f"{least}{duration_text(story.leaderless_ms)} without a leader"
    return f"{text}, which it still lacks" if story.is_leaderless else text


def head_line(story: Story, *, has_traces: bool) -> str:
    replicas = ",".join(map(str, story.replicas)) or "?"
    ended = "" if story.ended_ms is None else f", gone since {log_time(story.ended_ms)}"
    return (
        f"{label(story)}  replicas {replicas}  {counted(story.moves, 'move')}, "
        f"{leaderless_text(story, has_traces=has_traces)}{ended}"
    )


def answer_line(story: Story, time_ms: int) -> str:
    """Return who led at a time, since when, and why."""
    each = story.at(time_ms)
    at = f"at {log_time(time_ms)}"
    if each is None:
        if not story.leaderships:
            why = "no line shows that it ever had a leader"
        elif time_ms < (first := story.leaderships[0].since_ms):
            why = f"the first line about it is of {log_time(first)}"
        else:
            why = "the partition was deleted before"
        return f"{at} nothing is known: {why}"
    is_down = any(
        span.start_ms <= time_ms and (span.end_ms is None or time_ms < span.end_ms)
        for span in story.leaderless
    )
    who = (
        "nobody led"
        if is_down or each.leader == NO_LEADER
        else f"{'some broker' if each.leader is None else f'broker {each.leader}'} led"
    )
    if time_ms > story.end_ms:
        # An operator who mistyped the day must not take it for an answer.
        at = f"the logs end at {log_time(story.end_ms)}, before {log_time(time_ms)}: in the end"
    return (
        f"{at} {who}: epoch {broker_text(each.leader_epoch)} since {log_time(each.since_ms)}, "
        f"decided by controller {decided_text(each)}; {why_text(each)}"
    )


def shown_leaderships(story: Story, around_ms: int | None) -> Sequence[Leadership]:
    """Return all, or those that are nearest to a time."""
    if around_ms is None:
        return story.leaderships
    before = sum(each.since_ms <= around_ms for each in story.leaderships)
    return story.leaderships[max(before - 1 - NEAR, 0) : before + NEAR]


def proof_line(line: Line) -> str:
    return f"{log_time(line.time_ms)} {line.file}:{line.number}: {line.text}"


def delay_line(each: Leadership) -> str | None:
    """Return how long each broker took to carry out the decision; None where no delay is known."""
    delays = [
        f"{role.broker} {'leads' if role.is_leader else 'follows'} after "
        f"{duration_text(max(role.delay_ms, 0))}"
        for role in each.roles
        if role.delay_ms is not None
    ]
    return ", ".join(delays) or None


def anomaly_lines(anomalies: Sequence[Anomaly], *, proves: bool) -> Iterator[str]:
    """Return each anomaly, with the lines that prove it; of many of one kind the first ones."""
    shown: Counter[str] = Counter()
    for each in anomalies:
        shown[each.kind] += 1
        if shown[each.kind] <= PROVEN_MAX:
            yield f"{log_time(each.time_ms)} {each.kind}: {each.text}"
            if proves:
                yield from (f"    {proof_line(line)}" for line in each.proof)
    for kind, number in shown.items():
        if number > PROVEN_MAX:
            yield f"… and {number - PROVEN_MAX} more of {kind}: --output json has them all"


def surrounding_lines(analysis: "Analysis") -> Iterator[str]:
    """Return lines on the controllers' epochs, stale controllers, and clocks."""
    terms = analysis.coverage.terms
    if terms:
        yield "controllers"
        for term in terms[:1] + terms[-NEAR * 2 :] if len(terms) > NEAR * 2 + 1 else terms:
            yield (
                f"  {term.controller_id} (epoch {term.controller_epoch})  "
                f"{log_time(term.first_ms)} to {log_time(term.last_ms)}, "
                f"{counted(term.lines, 'line')}"
            )
        if len(terms) > NEAR * 2 + 1:
            yield f"  … {counted(len(terms), 'term')} in all"
    for line in anomaly_lines(analysis.refusals, proves=False):
        yield f"  {line}"
    silent = silent_brokers(analysis)
    if silent:
        yield "brokers without a line in these logs and times: " + ", ".join(
            f"{broker} (named by {counted(number, 'partition')})"
            for broker, number in silent.items()
        )
    off = [each for each in analysis.clocks if each.ahead_ms != 0]
    if off:
        yield "clocks"
        for each in off:
            corrected = analysis.shifts_ms.get(each.source, 0) != 0
            done = "corrected" if corrected else "--correct-clocks takes it out"
            yield f"  {clock_text(each)}; {done}"


def unseen_lines(analysis: "Analysis") -> Iterator[str]:
    """Return what may be there though no partition shows it."""
    if analysis.stories and not analysis.coverage.has_traces:
        yield (
            f"no TRACE lines: {', '.join(MISSED[:-1])} and {MISSED[-1]} may be there unseen, times "
            "without a leader are longer or not seen, and delays count from decisions "
            "(not_told of --output json has it all)"
        )


def correction_lines(clocks: Sequence[ClockEstimate], unlinked: Sequence[str]) -> Iterator[str]:
    """Return what `--correct-clocks` did about each clock, and of which ones nothing is known."""
    off = [each for each in clocks if each.ahead_ms != 0]
    if not off:
        yield "clocks: none was corrected, since orders prove none to be off"
    for each in off:
        yield f"clocks: {clock_text(each)}; corrected by {-each.ahead_ms:+,} ms"
    if unlinked:
        names = ", ".join(unlinked[:SOURCES_MAX])
        more = f" and {len(unlinked) - SOURCES_MAX} more" if len(unlinked) > SOURCES_MAX else ""
        yield f"clocks: left as they are, since no order links them to others: {names}{more}"


def lift_lines(lifts: "Mapping[str, Lifts]") -> Iterator[str]:
    """Return what `--causal` did: which source's lines stand later, where, and by how much at
    most."""
    if not lifts:
        yield "causes: no line stood before the order that it obeys"
    for source, each in lifts.items():
        furthest_ms = int((each.least - each.since).max())
        places = counted(each.count, "place")
        yield f"causes: lines of source {source} stand up to {furthest_ms:,} ms later, at {places}"


def clock_text(each: ClockEstimate) -> str:
    way = "ahead of" if each.ahead_ms > 0 else "behind"
    bounds = [
        "" if each.least_ms is None else f"at least {each.least_ms:+,} ms",
        "" if each.most_ms is None else f"at most {each.most_ms:+,} ms",
    ]
    return (
        f"source {each.source} is some {abs(each.ahead_ms):,} ms {way} source {each.reference} "
        f"({' and '.join(filter(None, bounds))}, by {counted(each.pairs, 'order')})"
    )
