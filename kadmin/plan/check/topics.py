"""Topics by their configs: what costs records one day, though all is well now?"""

from collections.abc import Iterator

from cluster.model import fault as subjects
from cluster.model.config_entity import topic_entity
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.health import refusals_in
from kadmin.plan.risks import RiskKind, as_judged, risks_of, unclean_default
from kadmin.quoting import quoted
from kadmin.wording import counted, verb_of


def topic_findings(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Return those that plans ask about before they bring them; the layout is judged with the
    partitions.

    Topics that have an unclean election by the brokers' default are one finding with it.
    """
    kinds = (RiskKind.UNCLEAN, RiskKind.NOT_COMPACTED, RiskKind.REFUSES_RECORDS, RiskKind.UNSERVED)
    found: dict[RiskKind, list[str]] = {kind: [] for kind in kinds}
    refused = {partition.topic for partition in refusals_in(snapshot)}
    unreadable = {fault.subject for fault in snapshot.faults}
    for topic in snapshot.topics.values():
        if topic.is_marked_for_deletion:
            continue
        for risk in risks_of(as_judged(snapshot, topic), {}):
            # What is refused already is a finding of its own.
            if risk.kind is RiskKind.UNSERVED and topic.name in refused:
                continue
            # What cannot be read is not missing.
            of_topic = {subjects.CONFIGS, subjects.config(topic_entity(topic.name))}
            if risk.kind is RiskKind.NOT_COMPACTED and unreadable & of_topic:
                continue
            if risk.kind in found and topic.name not in found[risk.kind]:
                found[risk.kind].append(topic.name)
    by_default = unclean_default({}, snapshot.broker_defaults.values)
    if (unclean := found[RiskKind.UNCLEAN]) or by_default:
        verb = verb_of(unclean, "allows")
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.UNCLEAN,
            text=str(by_default[0])
            if by_default
            else f"{counted(len(unclean), 'topic')} {verb} unclean elections: acknowledged records"
            " may be lost when leaders change",
            topics=tuple(unclean),
            command="kadmin configs --describe --entity-type brokers --entity-default"
            if by_default
            else f"kadmin configs --describe --topic {quoted(unclean[0])}",
        )
    if internal := found[RiskKind.NOT_COMPACTED]:
        yield Finding(
            severity=Severity.CRITICAL,
            kind=Kind.INTERNAL_TOPIC,
            text=f"{counted(len(internal), 'internal topic')}"
            f" {verb_of(internal, 'is')} not compacted: what groups or transactions"
            " have committed is deleted with its age",
            topics=tuple(internal),
            command=f"kadmin configs --describe --topic {quoted(internal[0])}",
        )
    if refusing := found[RiskKind.REFUSES_RECORDS]:
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.REFUSES_RECORDS,
            text=f"{counted(len(refusing), 'topic')}"
            f" {verb_of(refusing, 'has')} limits that hardly any record is within:"
            " producers are refused",
            topics=tuple(refusing),
            command=f"kadmin configs --describe --topic {quoted(refusing[0])}",
        )
    if unserved := found[RiskKind.UNSERVED]:
        is_one = len(unserved) == 1
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.UNSERVED,
            text=f"some brokers do not support the cleanup.policy of"
            f" {counted(len(unserved), 'topic')}: they do not serve {'it' if is_one else 'them'}"
            " once they start again",
            topics=tuple(unserved),
            command=f"kadmin configs --describe --topic {quoted(unserved[0])}",
        )
