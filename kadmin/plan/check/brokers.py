"""Brokers and the controller: who is missing, silent, different from the others, or overloaded?"""

from collections import Counter
from collections.abc import Container, Iterator, Sequence
from typing import Final

from cluster.model.controller import Quorum, QuorumReplica
from cluster.model.fault import CONTROLLER_EPOCH
from cluster.model.ids import NEVER_READ, BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.plan.api_versions import ApiComparison, BrokerApis, compare
from kadmin.plan.check.evidence import Evidence
from kadmin.plan.check.findings import Finding, Kind, Severity
from kadmin.plan.health import judge_loads
from kadmin.plan.log_dirs import LogDirs, offline_dirs
from kadmin.plan.risks import is_crowded
from kadmin.quoting import quoted
from kadmin.wording import brokers_text, counted, verb_of

DESCRIBE: Final = "kadmin brokers --describe"
DESCRIBE_QUORUM: Final = 55
"""The number of a request that only brokers on KRaft serve."""
QUORUM_SILENT_MS: Final = 10_000
"""Nodes fetch the metadata log twice a second."""
WILDCARDS: Final = ("0.0.0.0:", "[::]:")
RESTARTED_WITHIN_MS: Final = 5 * 60_000
SKEW_PERCENT: Final = 50
SKEW_REPLICAS_MIN: Final = 10
"""Fewer replicas on each broker say nothing about how they are spread."""


def broker_findings(evidence: Evidence) -> Iterator[Finding]:
    snapshot = evidence.snapshot
    yield from controller_findings(snapshot)
    yield from controller_epoch_findings(snapshot)
    if snapshot.quorum is not None:
        known = snapshot.brokers.keys() | snapshot.fenced
        yield from quorum_findings(snapshot.quorum, known)
    yield from dead_brokers(snapshot)
    yield from unheard_brokers(evidence)
    yield from misleading_addresses(snapshot)
    yield from restarted_brokers(snapshot, evidence.now_ms)
    if evidence.log_dirs is not None:
        yield from failed_dirs(evidence.log_dirs)
    if evidence.apis is not None:
        yield from different_versions(evidence.apis)
    yield from racks(snapshot)
    yield from skew(snapshot)


def unheard_brokers(evidence: Evidence) -> Iterator[Finding]:
    """Find brokers that did not answer, and those that have no address."""
    brokers = evidence.snapshot.brokers
    unreachable = tuple(each for each, broker in brokers.items() if not broker.is_reachable)
    silent = tuple(each for each in evidence.silent_brokers if each not in unreachable)
    for found, why in (
        (unreachable, "with no address: nobody can reach"),
        (silent, "and did not answer"),
    ):
        if found:
            is_one = len(found) == 1
            whom = (" it" if is_one else " them") if found is unreachable else ""
            yield Finding(
                severity=Severity.WARNING,
                kind=Kind.SILENT_BROKER,
                text=f"{brokers_text(found)} {'is' if is_one else 'are'} registered {why}{whom}",
                brokers=found,
                command=DESCRIBE,
            )


def misleading_addresses(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find brokers whose address leads clients to another broker, or to their own machine."""
    sharing: dict[str, list[BrokerId]] = {}
    for broker_id, broker in snapshot.brokers.items():
        for address in {each.address for each in broker.endpoints if each.host and each.port > 0}:
            sharing.setdefault(address, []).append(broker_id)
    for address, found in sorted(sharing.items()):
        whose = brokers_text(found)
        if len(found) > 1:
            text = f"{whose} share the address {address}: clients reach only one of them there"
        elif address.startswith(WILDCARDS):
            text = f"{whose} is registered with {address}: clients look for it on their own machine"
        else:
            continue
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.ADDRESS,
            text=text,
            brokers=tuple(found),
            command=DESCRIBE,
        )


def controller_findings(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    text = None
    brokers: tuple[BrokerId, ...] = ()
    controller = snapshot.controller
    live = snapshot.live
    if snapshot.knows_brokers and not (snapshot.brokers or snapshot.is_hybrid):
        text = "no broker is alive"
    elif controller is None:
        if snapshot.lacks_controller:
            text = "no broker is the controller: no leaders are elected"
    elif controller.broker_id not in live and not controller.is_kraft:
        text = f"broker {controller.broker_id} is the controller, and not registered"
        brokers = (controller.broker_id,)
    if text is not None:
        yield Finding(
            severity=Severity.CRITICAL,
            kind=Kind.CONTROLLER,
            text=text,
            brokers=brokers,
            command=DESCRIBE,
        )
    if controller is not None and snapshot.is_uncopied:
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.CONTROLLER,
            text=f"KRaft controller {controller.broker_id} owns the cluster, and has not copied it"
            " as far as /migration shows: until it has, no leaders are elected",
            command="kadmin migration status",
        )
    if snapshot.migration is not None and (controller is None or not controller.is_kraft):
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.CONTROLLER,
            text=f"{snapshot.migration}, and does not own it now: what is written to ZooKeeper is"
            " lost once it does again",
            command="kadmin controller",
        )


def controller_epoch_findings(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find a controller whose writes are fenced off, or whose orders brokers refuse, since its
    epoch was removed or lowered by hand.

    Source: Kafka 3.9.1, which then elects no leader and writes only into its controller's log.
    """
    controller = snapshot.controller
    if controller is None or controller.is_kraft or controller.zk_version == NEVER_READ:
        return
    if any(fault.subject == CONTROLLER_EPOCH for fault in snapshot.faults):
        return
    written = max(
        (
            state.controller_epoch
            for topic in snapshot.topics.values()
            for state in topic.states.values()
        ),
        default=0,
    )
    node = snapshot.controller_epoch
    if node is not None and node.epoch >= written:
        return
    if node is None:
        what = "/controller_epoch is missing: no controller can write anything"
    else:
        what = (
            f"/controller_epoch is {node.epoch}, and partitions have states of epoch {written}:"
            " brokers that know it refuse what the controller orders"
        )
    yield Finding(
        severity=Severity.CRITICAL,
        kind=Kind.CONTROLLER,
        text=f"{what}; with zookeeper-shell, set it to {written} or to any later epoch that brokers"
        " know of, and delete /controller",
        brokers=(controller.broker_id,),
        command="kadmin controller",
    )


def quorum_findings(quorum: Quorum, brokers: Container[BrokerId]) -> Iterator[Finding]:
    """Find voters that do not fetch, and how many more the quorum can lose; and observers that are
    behind: *brokers*, or controllers that are no voters, or both where the brokers are dead."""
    voters = [each for each in quorum.replicas if each.is_voter]
    silent = [each for each in voters if is_silent(quorum, each)]
    for replica in silent:
        spare = (len(voters) - 1) // 2 - len(silent)
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.QUORUM,
            text=f"voter {replica.node_id} of the metadata quorum {since(quorum, replica)}:"
            f" {len(voters) - len(silent)} of {counted(len(voters), 'voter')} fetch, and"
            + (f" {spare} more may fail" if spare > 0 else " without one more it stands still"),
            command="kadmin controller",
        )
    for replica in quorum.replicas:
        if not replica.is_voter and is_silent(quorum, replica):
            is_broker = replica.node_id in brokers
            who = "broker" if is_broker else "observer"
            yield Finding(
                severity=Severity.WARNING,
                kind=Kind.QUORUM,
                text=f"{who} {replica.node_id} {since(quorum, replica)}",
                brokers=(replica.node_id,) if is_broker else (),
                command="kadmin controller",
            )


def is_silent(quorum: Quorum, replica: QuorumReplica) -> bool:
    """Return whether *replica* does not fetch the metadata log, as far as that is known."""
    if quorum.now_ms is None or replica.node_id == quorum.leader_id:
        return False
    return quorum.now_ms - (replica.last_fetch_ms or 0) > QUORUM_SILENT_MS


def since(quorum: Quorum, replica: QuorumReplica) -> str:
    if replica.last_fetch_ms is None or quorum.now_ms is None:
        return "has not fetched the metadata log from its leader"
    lag = quorum.lag(replica)
    silent_s = (quorum.now_ms - replica.last_fetch_ms) // 1000
    behind = "" if lag is None else f" and is {counted(lag, 'record')} behind"
    return f"has not fetched the metadata log for {silent_s} s{behind}"


def dead_brokers(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    live = snapshot.live
    if snapshot.is_hybrid:
        yield from unregistered(snapshot)
    for broker, load in judge_loads(snapshot).items():
        # One whose registration cannot be read is alive, and a finding of its own.
        if broker in live:
            continue
        state = "fenced" if broker in snapshot.fenced else "dead"
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.DEAD_BROKER,
            text=f"broker {broker} is {state}: {counted(load.replicas, 'replica')},"
            f" the preferred leader of {counted(load.preferred_leaders, 'partition')}",
            brokers=(broker,),
            command=f"{DESCRIBE} --broker {broker}",
        )


def unregistered(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find brokers that ZooKeeper does not show while a cluster leaves it."""
    gone = tuple(broker for broker in judge_loads(snapshot) if broker not in snapshot.brokers)
    if gone:
        verb = verb_of(gone, "is")
        yield Finding(
            severity=Severity.NOTE,
            kind=Kind.DEAD_BROKER,
            text=f"{brokers_text(gone)} {verb} not registered in ZooKeeper, which KRaft's brokers"
            f" leave: see whether {'it is' if len(gone) == 1 else 'they are'} live by"
            " --bootstrap-server",
            brokers=gone,
            command="kadmin migration status",
        )


def restarted_brokers(snapshot: ClusterSnapshot, now_ms: int) -> Iterator[Finding]:
    ages_s = {
        broker: (now_ms - registered.timestamp_ms) // 1000
        for broker, registered in snapshot.brokers.items()
        if registered.timestamp_ms is not None
        and 0 <= now_ms - registered.timestamp_ms < RESTARTED_WITHIN_MS
    }
    if not ages_s:
        return
    lowest, highest = min(ages_s.values()), max(ages_s.values())
    span = f"{lowest} s" if lowest == highest else f"{lowest} to {highest} s"
    brokers = tuple(ages_s)
    yield Finding(
        severity=Severity.NOTE,
        kind=Kind.RESTARTED,
        text=f"{brokers_text(brokers)} registered {span} ago",
        brokers=brokers,
        command=f"{DESCRIBE} --broker {brokers[0]}" if len(brokers) == 1 else DESCRIBE,
    )


def failed_dirs(log_dirs: LogDirs) -> Iterator[Finding]:
    for broker, path in offline_dirs(log_dirs):
        yield Finding(
            severity=Severity.CRITICAL,
            kind=Kind.LOG_DIR,
            text=f"log directory {path} of broker {broker} has failed",
            brokers=(broker,),
            command=f"kadmin log-dirs --broker {broker} --by dir",
        )


def different_versions(apis: BrokerApis) -> Iterator[Finding]:
    differing = compare(apis, {}, differences_only=True)
    kraft = tuple(broker for broker in sorted(apis) if DESCRIBE_QUORUM in apis[broker])
    zookeeper = tuple(broker for broker in sorted(apis) if broker not in kraft)
    if kraft and zookeeper:
        yield Finding(
            severity=Severity.NOTE,
            kind=Kind.VERSIONS,
            text=f"{brokers_text(kraft)} {verb_of(kraft, 'runs')} on KRaft and"
            f" {brokers_text(zookeeper)} over ZooKeeper: a migration is under way",
            brokers=(*kraft, *zookeeper),
            command="kadmin api-versions --differences",
        )
        differing = [each for each in differing if not is_of_kind(each, kraft, zookeeper)]
    if not differing:
        return
    groups: dict[tuple[object, ...], list[BrokerId]] = {}
    for broker in sorted(apis):
        served = tuple(each.by_broker[broker] for each in differing)
        groups.setdefault(served, []).append(broker)
    by_release = "; ".join(brokers_text(group) for group in groups.values())
    by = counted(len(differing), "request")
    yield Finding(
        severity=Severity.WARNING,
        kind=Kind.VERSIONS,
        text=f"brokers are of different releases: {by_release} (by {by})",
        brokers=tuple(sorted(apis)),
        command="kadmin api-versions --differences",
    )


def is_of_kind(api: ApiComparison, *kinds: Sequence[BrokerId]) -> bool:
    """Return whether only brokers of one of two *kinds* serve *api*, all of them the same."""
    served = [{api.by_broker[broker] for broker in kind} for kind in kinds]
    return {None} in served and all(len(versions) == 1 for versions in served)


def racks(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    """Find brokers without a rack where others have one, and partitions on fewer racks than they
    could be on."""
    named = {broker: each.rack for broker, each in snapshot.brokers.items() if each.rack}
    without = tuple(broker for broker in snapshot.brokers if broker not in named)
    if not named:
        return
    if without:
        verb = verb_of(without, "has")
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.RACKS,
            text=f"{brokers_text(without)} {verb} no rack, and others have",
            brokers=without,
            command=DESCRIBE,
        )
        return
    crowded = tuple(
        TopicPartition(topic.name, number)
        for topic in snapshot.topics.values()
        for number, part in topic.assignment.partitions.items()
        if is_crowded(part.target, named)
    )
    if crowded:
        verb = verb_of(crowded, "is")
        topics = {partition.topic for partition in crowded}
        yield Finding(
            severity=Severity.WARNING,
            kind=Kind.RACKS,
            text=f"{counted(len(crowded), 'partition')} of {counted(len(topics), 'topic')}"
            f" {verb} on fewer racks than there are replicas",
            partitions=crowded,
            command=f"kadmin topics --describe --topic {quoted(min(topics))}",
        )


def skew(snapshot: ClusterSnapshot) -> Iterator[Finding]:
    loads = {
        broker: load for broker, load in judge_loads(snapshot).items() if broker in snapshot.brokers
    }
    counts = Counter({broker: load.replicas for broker, load in loads.items()})
    if len(loads) < 2 or counts.total() < SKEW_REPLICAS_MIN * len(loads):
        return
    for what, percents in (
        ("replicas", {broker: load.replica_skew_percent for broker, load in loads.items()}),
        ("leaders", {broker: load.leader_skew_percent for broker, load in loads.items()}),
    ):
        uneven = {
            broker: percent
            for broker, percent in percents.items()
            if percent is not None and abs(percent) >= SKEW_PERCENT
        }
        if uneven:
            skews = ", ".join(
                f"broker {broker} {percent:+d}%" for broker, percent in uneven.items()
            )
            yield Finding(
                severity=Severity.NOTE,
                kind=Kind.SKEW,
                text=f"{what} are spread unevenly: {skews}",
                brokers=tuple(uneven),
                command=DESCRIBE,
            )
