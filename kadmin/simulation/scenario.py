"""Scenarios: what happens to the brokers and the replicas of a cluster?"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.snapshot import ClusterSnapshot
from kadmin.arguments.documents import parse_document
from kadmin.arguments.reassignment_files import TARGETS_HINT, parse_targets
from kadmin.errors import KadminError, RefusedError, hint_for_missing
from kadmin.plan.broker_names import refuse_unknown_brokers
from kadmin.plan.moves.plan_file import from_json
from kadmin.plan.supervision.drift import check_drift
from kadmin.snapshots.saved import SavedCluster
from kadmin.wording import brokers_text

Targets = Mapping[TopicPartition, tuple[BrokerId, ...]]


class NoSuchRack(KadminError):
    """A rack that no live broker is in."""

    def __init__(self, rack: str, known: Collection[str]) -> None:
        super().__init__(
            f"no live broker is in rack '{rack}'",
            hint=hint_for_missing(rack, known, listed_by="kadmin brokers --describe"),
        )
        self.rack = rack


class OtherCluster(RefusedError):
    """A plan that was made for another cluster."""

    def __init__(self, source: str, planned: str, found: str) -> None:
        super().__init__(
            f"{source} is a plan for cluster {planned}, and this is cluster {found}",
            hint="name the cluster, or the snapshot, that it was planned for",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """What happens: *added* brokers register, each with its rack; then the *killed* ones fail, all
    at once; then the *targets* are requested, and all of them catch up.

    With *elects_unclean* an operator elects leaders for what is offline then, whatever they lack.
    """

    added: Mapping[BrokerId, str | None] = field(default_factory=dict)
    killed: frozenset[BrokerId] = frozenset()
    targets: Targets = field(default_factory=dict)
    elects_unclean: bool = False


def killed_brokers(
    cluster: ClusterSnapshot, brokers: Collection[BrokerId], racks: Collection[str]
) -> frozenset[BrokerId]:
    """Return the live brokers that are named, or are in *racks*.

    Raises:
        NoSuchBroker: one that is none of the cluster.
        KadminError: one that is dead already.
        NoSuchRack: a rack without a live broker.
    """
    refuse_unknown_brokers(cluster, brokers)
    dead = sorted(set(brokers) - cluster.brokers.keys())
    if dead:
        raise KadminError(
            f"{brokers_text(dead)} cannot fail: not alive",
            hint="'kadmin brokers --describe' shows which are alive",
        )
    by_rack: dict[str, set[BrokerId]] = {}
    for broker, registration in cluster.brokers.items():
        if registration.rack is not None:
            by_rack.setdefault(registration.rack, set()).add(broker)
    for rack in racks:
        if rack not in by_rack:
            raise NoSuchRack(rack, by_rack)
    return frozenset(brokers).union(*(by_rack[rack] for rack in racks))


def require_new(cluster: ClusterSnapshot, added: Collection[BrokerId]) -> None:
    """Raise KadminError for those of *added* that are alive."""
    there = sorted(set(added) & cluster.brokers.keys())
    if there:
        raise KadminError(
            f"{brokers_text(there)} cannot be added: alive already",
            hint="'kadmin brokers --describe' shows which are alive",
        )


def planned_targets(text: str, source: str, saved: SavedCluster) -> Targets:
    """Return what *text*, the content of *source*, asks for: Kafka's reassignment JSON, or the file
    of 'kadmin reassign plan'.

    Raises:
        UsageError: it is neither.
        OtherCluster: it was planned for another cluster.
        PlanDrifted: it was planned from other replicas.
    """
    document = parse_document(text, source, TARGETS_HINT)
    if "goal" not in document:
        return {each: target.replicas for each, target in parse_targets(text, source).items()}
    plan = from_json(text, source)
    if None not in (plan.cluster_id, saved.cluster_id) and plan.cluster_id != saved.cluster_id:
        raise OtherCluster(source, str(plan.cluster_id), str(saved.cluster_id))
    check_drift(plan.moves, saved.cluster)
    return plan.targets
