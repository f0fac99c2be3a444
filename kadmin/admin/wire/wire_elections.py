"""Elections by brokers: `kadmin.admin.ports.ElectionAdmin`, by ElectLeaders requests.

The controller answers when it has elected; other brokers learn of the new leaders a moment later.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kafka.errors import ElectionNotNeededError, RequestTimedOutError
from kafka.protocol.admin import ElectionType as WireType
from kafka.protocol.admin import ElectLeadersRequest

from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.outcome import Committed
from cluster.model.snapshot import ClusterSnapshot
from kadmin.admin.ports import Fence, Outcome, Partly, Remaining
from kadmin.admin.wire.connection import NotServed, WireConnection
from kadmin.admin.wire.leaders import by_topic, leaders_in
from kadmin.admin.wire.outcomes import outcome, words_of
from kadmin.admin.wire.snapshot import read_snapshot
from kadmin.admin.wire.wire_replicas import WireReplicas
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.election import ElectionPlan, ElectionType, PartitionElection, has_another_leader

PREFERRED_SINCE: Final = "2.2"
UNCLEAN_SINCE: Final = (2, 4)

WIRE_TYPES: Final = {
    ElectionType.PREFERRED: WireType.PREFERRED,
    ElectionType.UNCLEAN: WireType.UNCLEAN,
}

SETTLED_LATER: Final = (ElectionNotNeededError.errno, RequestTimedOutError.errno)
"""No refusals: another client had the same leader elected, or the broker that answers does not know
it yet.  Later metadata shows which."""


class WireElections:
    """The `ElectionAdmin` of a connection to brokers.

    Raises:
        NotServed: the brokers are too old for elections of *kind*.
    """

    def __init__(self, connection: WireConnection, kind: ElectionType) -> None:
        bootstrap = connection.settings.bootstrap
        if not connection.serves(ElectLeadersRequest):
            hint = "kadmin elect --zookeeper HOST:PORT works with every release"
            raise NotServed(bootstrap, "elections", PREFERRED_SINCE, hint)
        if kind is ElectionType.UNCLEAN and connection.broker_version < UNCLEAN_SINCE:
            since = ".".join(map(str, UNCLEAN_SINCE))
            hint = (
                "let the topic have unclean.leader.election.enable=true for a while, by"
                " 'kadmin configs --alter --topic NAME --add-config KEY=VALUE'"
            )
            raise NotServed(bootstrap, "unclean elections", since, hint)
        self.connection = connection
        # The controller at the first read.  Always the same broker is asked for leaders, so that
        # one with older metadata does not contradict another; and not one that has just started,
        # which has no metadata yet.
        self.teller: BrokerId | None = None

    def snapshot(self, selection: TopicSelection, *, with_topics: bool = True) -> ClusterSnapshot:
        wanted = selection if with_topics else None
        if self.teller is None:
            controller = self.connection.awaited_controller()
            self.teller = None if controller is None else BrokerId(controller)
        return read_snapshot(self.connection, wanted, broker=self.teller)

    def under_way(self) -> Sequence[TopicPartition]:
        """Return none: brokers carry out one election after the other."""
        return ()

    def end_offsets(
        self, replicas: Mapping[TopicPartition, Sequence[BrokerId]]
    ) -> Mapping[TopicPartition, Mapping[BrokerId, int]]:
        return WireReplicas(self.connection).end_offsets(replicas)

    def fence(self) -> Fence:
        return self.connection.fence()

    def write(self, fence: Fence, plan: ElectionPlan) -> Outcome:
        """Have leaders elected; the broker has half of the timeout, so that it can say so itself
        when that is over."""
        if not plan.moving:
            return Committed()
        what = f"elect {len(plan.moving)} leaders" if len(plan.moving) > 1 else "elect a leader"
        is_whole = len(plan.moving) == 1
        with (
            self.connection.asking_controller(),
            self.connection.changing(what, is_whole=is_whole),
        ):
            answer = self.connection.client.elect_leaders(
                WIRE_TYPES[plan.kind],
                by_topic([election.partition for election in plan.moving]),
                timeout_ms=self.connection.timeout_ms // 2,
                raise_errors=False,
            )
        # Brokers before 2.4 say of each partition what is wrong with the request.
        code = getattr(answer, "error_code", None) or 0
        if code != 0:
            return outcome(code, what, "the controller", None, is_whole=is_whole)
        refused = dict(refusals(answer.replica_election_results))
        return Partly(refused) if refused else Committed()

    def not_elected(self, elections: Sequence[PartitionElection]) -> Remaining[PartitionElection]:
        self.connection.budget.renew()
        topics = sorted({election.partition.topic for election in elections})
        metadata = self.connection.metadata(topics, self.teller)
        leaders = leaders_in(metadata["topics"])
        return Remaining(
            items=[
                election
                for election in elections
                if not has_another_leader(election, leaders.get(election.partition, NO_LEADER))
            ],
            has_controller=metadata["controller_id"] >= 0,
        )


def refusals(results: Sequence[Any]) -> list[tuple[TopicPartition, str]]:
    """Return the partitions for which no leader was elected, each with the broker's reason."""
    return [
        (TopicPartition(topic.topic, part.partition_id), refusal(part))
        for topic in results
        for part in topic.partition_result
        if part.error_code != 0 and part.error_code not in SETTLED_LATER
    ]


def refusal(part: Any) -> str:
    return part.error_message or words_of(part.error_code)
