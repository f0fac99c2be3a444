"""Reassignments by brokers: what is asked of the controller, and what do its answers mean?

The brokers here are a value that moves partitions as Kafka's controller does; those that run are
asked in `tests/kadmin/cli` and `tests/interop`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from kafka.errors import (
    ClusterAuthorizationFailedError,
    KafkaConnectionError,
    RequestTimedOutError,
)
from kafka.protocol.admin import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    DescribeLogDirsRequest,
    DescribeLogDirsResponse,
    DescribeQuorumRequest,
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
)

from cluster.model.ids import BrokerId, TopicPartition
from cluster.model.outcome import Committed, Conflict
from cluster.model.topic import PartitionAssignment
from kadmin.admin.ports import DirsAsked, Outcome, Partly, Remaining
from kadmin.admin.wire.connection import NoController, NotServed, WireConnection
from kadmin.admin.wire.outcomes import NO_FENCE, Refused
from kadmin.admin.wire.wire_reassignments import (
    MovesUnanswered,
    WireReassignments,
)
from kadmin.arguments.topics import TopicSelection
from kadmin.plan.reassignment.dir_moves import DirMove, Replica
from kadmin.plan.reassignment.journal import ThrottleJournal
from kadmin.plan.reassignment.moves import Move, MovePlan, plan_moves
from kadmin.plan.reassignment.sizes import sizes_of
from kadmin.settings.brokers import BrokerSettings
from tests.kadmin.builders import ids
from tests.kadmin.plan.reassignment.builders import part, targets

NOT_CONTROLLER, DENIED, DISABLED, BAD_REPLICAS, NOTHING_MOVES = 41, 31, 42, 39, 85
NO_REPLICA, NO_LOG_DIR = 9, 57
ALL = TopicSelection()
CONTROLLER = 2

Hook = Callable[[Any], Any]


class Cluster(WireConnection):
    """Brokers 1, 2 and 3; *assignments* is what the controller, 2, knows.

    *lagging* is how many answers about topics are as *old*, and without those *unheard*.  *before*
    and *after* are called with each request for moves, before and after it is carried out; what
    *after* returns is answered.
    """

    def __init__(self, assignments: dict[str, str], *, timeout_s: float = 5) -> None:
        super().__init__(None, BrokerSettings(bootstrap="b:9092", timeout_s=timeout_s))
        self.assignments = {
            part(name): PartitionAssignment(ids(replicas)) for name, replicas in assignments.items()
        }
        self.unserved: list[type] = []
        self.controller_id = CONTROLLER
        self.asked: list[tuple[str, int, list[int] | None]] = []
        self.requests = 0
        self.old: dict[TopicPartition, tuple[BrokerId, ...]] = {}
        self.unheard: set[str] = set()
        self.lagging = 0
        self.topic_id = "00000000-0000-0000-0000-000000000007"
        self.before: Hook = lambda request: None
        self.after: Hook = lambda answer: answer
        self.refusals: dict[TopicPartition, tuple[int, str | None]] = {}
        self.log_dirs: dict[BrokerId, Any] = {}
        self.asked_dirs: list[tuple[str, int, TopicPartition]] = []
        self.dir_errors: dict[tuple[int, TopicPartition], int] = {}
        self.silent: list[int] = []

    def serves(self, request: type) -> bool:
        return request not in self.unserved and request is not DescribeQuorumRequest

    def metadata(self, topics: Sequence[str] | None, broker: int | None = None) -> dict[str, Any]:
        told = {partition: each.replicas for partition, each in self.assignments.items()}
        if topics != [] and self.lagging:
            self.lagging -= 1
            told |= self.old
            told = {each: told[each] for each in told if each.topic not in self.unheard}
        assert topics == [] or broker == self.controller_id
        names = {partition.topic for partition in told}
        return {
            "cluster_id": "c",
            "controller_id": self.controller_id,
            "brokers": [
                {"node_id": number, "host": "h", "port": 9092, "rack": None} for number in (1, 2, 3)
            ],
            "topics": [
                {
                    "error_code": 0,
                    "name": name,
                    "topic_id": self.topic_id,
                    "partitions": [
                        {
                            "partition_index": partition.partition,
                            "replica_nodes": list(replicas),
                            "isr_nodes": list(replicas),
                            "leader_id": replicas[0],
                        }
                        for partition, replicas in told.items()
                        if partition.topic == name
                    ],
                }
                for name in names
                if topics is None or name in topics
            ],
        }

    def ask(self, request: Any, broker: int | None = None, **_: Any) -> Any:
        """Only reads come here."""
        assert isinstance(request, ListPartitionReassignmentsRequest)
        assert broker == self.controller_id
        response = ListPartitionReassignmentsResponse
        topic = response.OngoingTopicReassignment
        return response(
            error_code=0,
            topics=[
                topic(
                    name=partition.topic,
                    partitions=[
                        topic.OngoingPartitionReassignment(
                            partition_index=partition.partition,
                            replicas=list(each.replicas),
                            adding_replicas=list(each.adding),
                            removing_replicas=list(each.removing),
                        )
                    ],
                )
                for partition, each in self.assignments.items()
                if each.is_reassigning
            ],
        )

    def ask_each(self, request: object, brokers: Any) -> dict[BrokerId, Any]:
        assert [1, 2, 3] == list(brokers)
        return self.log_dirs

    def alter_log_dirs(self, request: Any, broker: int | None) -> Any:
        assert broker is not None
        if broker in self.silent:
            raise KafkaConnectionError
        result = AlterReplicaLogDirsResponse.AlterReplicaLogDirTopicResult
        results = []
        for path, topic in ((each.path, topic) for each in request.dirs for topic in each.topics):
            named = [TopicPartition(topic.name, number) for number in topic.partitions]
            self.asked_dirs += [(path, broker, partition) for partition in named]
            parts = [
                result.AlterReplicaLogDirPartitionResult(
                    partition_index=partition.partition,
                    error_code=self.dir_errors.get((broker, partition), 0),
                )
                for partition in named
            ]
            results.append(result(topic_name=topic.name, partitions=parts))
        return AlterReplicaLogDirsResponse(results=results)

    def send(self, request: Any, broker: int | None = None, limit_s: float | None = None) -> Any:
        if isinstance(request, AlterReplicaLogDirsRequest):
            return self.alter_log_dirs(request, broker)
        assert isinstance(request, AlterPartitionReassignmentsRequest)
        assert broker == self.controller_id
        self.requests += 1
        self.before(request)
        response = AlterPartitionReassignmentsResponse
        topics: list[Any] = []
        for topic, parts in request.topics:
            told = [(number, *self.begin(topic, number, replicas)) for number, replicas in parts]
            topics.append(
                response.ReassignableTopicResponse(
                    name=topic,
                    partitions=[
                        response.ReassignableTopicResponse.ReassignablePartitionResponse(
                            partition_index=number, error_code=code, error_message=message
                        )
                        for number, code, message in told
                    ],
                )
            )
        return self.after(response(error_code=0, error_message=None, responses=topics))

    def begin(self, topic: str, number: int, replicas: list[int] | None) -> tuple[int, str | None]:
        self.asked.append((topic, number, replicas))
        partition = TopicPartition(topic, number)
        if partition in self.refusals:
            return self.refusals[partition]
        current = self.assignments[partition]
        if replicas is None and not current.is_reassigning:
            return NOTHING_MOVES, None
        if replicas is None:
            self.assignments[partition] = PartitionAssignment(current.origin)
        else:
            self.assignments[partition] = current.reassigned(tuple(map(BrokerId, replicas)))
        return 0, None

    def finish(self) -> None:
        """All that moves arrives."""
        self.assignments = {
            partition: PartitionAssignment(each.target)
            for partition, each in self.assignments.items()
        }


def admin_of(cluster: Cluster) -> WireReassignments:
    def warn(line: str) -> None:
        raise AssertionError(line)

    return WireReassignments(cluster, warn)


def planned(admin: WireReassignments, *texts: str) -> MovePlan:
    return plan_moves(admin.snapshot(ALL), targets(*texts), is_additional=True)


def write(admin: WireReassignments, *texts: str) -> Outcome:
    return admin.write(NO_FENCE, planned(admin, *texts))


def lost(_request_or_answer: Any) -> Any:
    raise KafkaConnectionError("gone")


def test_old_brokers_are_told_from_those_that_reassign() -> None:
    cluster = Cluster({})
    cluster.unserved = [AlterPartitionReassignmentsRequest]

    with pytest.raises(NotServed, match=r"do not serve reassignments; .* from 2\.4 on") as old:
        admin_of(cluster)

    assert "kadmin reassign --zookeeper HOST:PORT" in str(old.value.hint)


def test_all_that_moves_is_told_with_the_topics_that_are_asked_for() -> None:
    cluster = Cluster({"t-0": "1,2", "t-1": "2,3", "u-0": "1"})
    admin = admin_of(cluster)
    write(admin, "t-1:3,1", "u-0:2")

    found = admin.snapshot(TopicSelection(wanted=("t",)))

    assert {
        0: PartitionAssignment(ids("1,2")),
        1: PartitionAssignment(ids("3,1,2"), ids("1"), ids("2")),
    } == found.topics["t"].assignment.partitions
    assert ["t"] == list(found.topics)
    assert {part("t-1"): (3, 1), part("u-0"): (2,)} == found.moving


def test_a_broker_that_has_not_heard_of_the_end_is_asked_again() -> None:
    """Else a move would seem to have gone wrong that has just been done."""
    cluster = Cluster({"t-0": "1,2", "t-1": "1,2"})
    admin = admin_of(cluster)
    write(admin, "t-0:2,3", "t-1:2,3")
    cluster.old = {part("t-0"): ids("2,3,1")}
    cluster.finish()
    cluster.lagging = 3

    found = admin.snapshot(ALL)

    assert ids("2,3") == found.topics["t"].assignment.partitions[0].replicas
    assert 0 == cluster.lagging


def test_a_controller_that_has_not_heard_of_a_topic_that_it_moves_is_asked_again() -> None:
    """One that was started a moment ago, and elected: the partition would seem not to be there."""
    cluster = Cluster({"t-0": "1,2", "u-0": "1"})
    cluster.begin("t", 0, [2, 3])
    cluster.unheard = {"t", "u"}
    cluster.lagging = 3

    found = admin_of(cluster).snapshot(ALL)
    cluster.lagging = 3
    others = admin_of(cluster).snapshot(TopicSelection(wanted=("u",)))

    assert {"t", "u"} == found.topics.keys()
    # Of what nobody asks for nothing is waited for.
    assert ({}, 2) == (others.topics, cluster.lagging)


def test_who_has_heard_of_a_move_by_others_is_asked_again_too() -> None:
    cluster = Cluster({"t-0": "1,2"})
    cluster.begin("t", 0, [2, 3])
    admin = admin_of(cluster)
    admin.snapshot(ALL)
    cluster.old = {part("t-0"): ids("1,2")}
    cluster.finish()
    cluster.lagging = 1

    assert ids("2,3") == admin.snapshot(ALL).topics["t"].assignment.partitions[0].replicas


def test_a_partition_that_others_have_sent_elsewhere_is_found_there() -> None:
    cluster = Cluster({"t-0": "1,2"})
    admin = admin_of(cluster)
    write(admin, "t-0:2,3")
    cluster.begin("t", 0, None)
    cluster.lagging = 1000

    first = admin.snapshot(ALL)
    looks = 1000 - cluster.lagging
    second = admin.snapshot(ALL)

    assert [ids("2,1")] * 2 == [
        found.topics["t"].assignment.partitions[0].replicas for found in (first, second)
    ]
    assert (20, 21) == (looks, 1000 - cluster.lagging)


def test_moves_are_asked_for_by_topic_and_in_parts_that_are_answered_in_time() -> None:
    cluster = Cluster({f"t-{number}": "1" for number in range(450)} | {"a-0": "1"})
    admin = admin_of(cluster)
    texts = [f"t-{number}:{number % 2 + 1}" for number in range(450)]

    assert Committed() == write(admin, "a-0:3", *texts)

    assert [("a", 0, [3])] + [("t", n, [2]) for n in range(450) if n % 2] == cluster.asked
    assert 2 == cluster.requests
    assert Committed() == write(admin, "a-0:3", *texts)
    assert 2 == cluster.requests


def test_what_goes_back_to_where_it_came_from_is_given_up() -> None:
    cluster = Cluster({"t-0": "1,2", "t-1": "1,2"})
    admin = admin_of(cluster)
    write(admin, "t-0:2,3", "t-1:2,3")
    back = planned(admin, "t-0:2,1", "t-1:3,1")
    cluster.asked.clear()

    assert Committed() == admin.write(NO_FENCE, back)

    assert [("t", 0, None), ("t", 1, [3, 1])] == cluster.asked
    assert [part("t-1")] == list(admin.snapshot(ALL).moving)


def test_what_was_done_before_it_could_be_given_up_is_a_refusal_of_that_partition() -> None:
    cluster = Cluster({"t-0": "1,2", "t-1": "1,2"})
    admin = admin_of(cluster)
    write(admin, "t-0:2,3", "t-1:2,3")
    back = planned(admin, "t-0:2,1", "t-1:2,1")

    def arrive(_request: Any) -> None:
        cluster.assignments[part("t-0")] = PartitionAssignment(ids("2,3"))

    cluster.before = arrive

    assert Partly({part("t-0"): "No partition reassignment is in progress."}) == admin.write(
        NO_FENCE, back
    )


def test_refusals_are_told_by_partition() -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1", "u-0": "1"})
    cluster.refusals = {part("t-1"): (BAD_REPLICAS, "no broker 3"), part("u-0"): (3, None)}

    outcome = write(admin_of(cluster), "t-0:3", "t-1:3", "u-0:3")

    assert isinstance(outcome, Partly)
    assert "no broker 3" == outcome.refused[part("t-1")]
    assert "topic or partition that does not exist" in outcome.refused[part("u-0")]
    assert 2 == len(outcome.refused)


@pytest.mark.parametrize("change", ["gone", "made anew", "moved"])
def test_a_topic_that_is_not_as_it_was_planned_from_is_left_alone(change: str) -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1", "u-0": "1"})
    admin = admin_of(cluster)
    plan = planned(admin, "t-0:2", "u-0:2")
    if change == "gone":
        del cluster.assignments[part("u-0")]
    elif change == "made anew":
        cluster.topic_id = "00000000-0000-0000-0000-000000000008"
    else:
        cluster.begin("t", 0, [3])
        cluster.asked.clear()

    outcome = admin.write(NO_FENCE, plan)

    assert isinstance(outcome, Conflict)
    expected = {
        "gone": "topic 'u' is not there, or its parent is not",
        "made anew": "topic 't' is not there, or its parent is not",
        "moved": "t-0 was changed in between",
    }
    assert expected[change] == str(outcome)
    assert [] == cluster.asked


def test_a_change_of_another_partition_of_the_topic_is_no_conflict() -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1"})
    admin = admin_of(cluster)
    plan = planned(admin, "t-0:2")
    cluster.begin("t", 1, [3])

    assert Committed() == admin.write(NO_FENCE, plan)


@pytest.mark.parametrize(
    "silence", [KafkaConnectionError("gone"), RequestTimedOutError(), NoController("b:9092")]
)
def test_moves_whose_answer_is_lost_are_looked_for(silence: Exception) -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1"})

    def lose(_answer: Any) -> Any:
        raise silence

    cluster.after = lose

    assert Committed() == write(admin_of(cluster), "t-0:2", "t-1:3")
    assert 1 == cluster.requests


def test_moves_that_are_done_when_they_are_looked_for_count_as_well() -> None:
    cluster = Cluster({"t-0": "1"})

    def finish(_answer: Any) -> Any:
        cluster.finish()
        raise KafkaConnectionError("gone")

    cluster.after = finish

    assert Committed() == write(admin_of(cluster), "t-0:2")
    assert 1 == cluster.requests


def test_what_has_not_begun_is_asked_for_again_and_nothing_else() -> None:
    """The controller died in the middle: another one goes on."""
    cluster = Cluster({"t-0": "1", "t-1": "1", "t-2": "1"})

    def die(_request: Any) -> Any:
        if cluster.requests == 1:
            cluster.begin("t", 0, [2])
            cluster.asked.clear()
            cluster.controller_id = 3
            raise KafkaConnectionError("gone")

    cluster.before = die

    assert Committed() == write(admin_of(cluster), "t-0:2", "t-1:2", "t-2:3")
    assert [("t", 1, [2]), ("t", 2, [3])] == cluster.asked
    assert 2 == cluster.requests


def test_what_was_given_up_by_a_request_that_was_lost_is_given_up() -> None:
    cluster = Cluster({"t-0": "1,2", "t-1": "1,2"})
    admin = admin_of(cluster)
    write(admin, "t-0:2,3", "t-1:2,3")
    back = planned(admin, "t-0:2,1", "t-1:2,1")
    cluster.requests = 0

    def hear_late(_request: Any) -> None:
        """The request is carried out only after it was looked for."""
        if cluster.requests == 1:
            raise KafkaConnectionError("gone")
        cluster.begin("t", 0, None)

    cluster.before = hear_late

    assert Committed() == admin.write(NO_FENCE, back)
    assert {} == admin.snapshot(ALL).moving


def test_another_controller_is_asked_where_one_has_resigned() -> None:
    cluster = Cluster({"t-0": "1"})

    def resign(answer: Any) -> Any:
        if cluster.requests > 1:
            return answer
        cluster.assignments[part("t-0")] = PartitionAssignment(ids("1"))
        cluster.controller_id = 1
        return AlterPartitionReassignmentsResponse(error_code=NOT_CONTROLLER, responses=[])

    cluster.after = resign

    assert Committed() == write(admin_of(cluster), "t-0:2")
    assert (2, [("t", 0, [2])] * 2) == (cluster.requests, cluster.asked)


def test_moves_that_nobody_answers_for_are_named_with_the_way_on() -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1"}, timeout_s=0.2)
    cluster.before = lost

    with pytest.raises(
        MovesUnanswered, match=r"asked to move 2 partitions, and did not answer \(.*gone\)"
    ) as caught:
        write(admin_of(cluster), "t-0:2", "t-1:2")

    assert (part("t-0"), part("t-1")) == caught.value.partitions
    assert "kadmin reassign --list" in str(caught.value.hint)
    assert cluster.requests > 1


def test_a_request_that_is_refused_as_a_whole_is_no_outcome_of_partitions() -> None:
    cluster = Cluster({"t-0": "1"})
    admin = admin_of(cluster)

    def refuse_with(code: int) -> Hook:
        return lambda _: AlterPartitionReassignmentsResponse(
            error_code=code, error_message=None, responses=[]
        )

    cluster.after = refuse_with(DENIED)
    with pytest.raises(ClusterAuthorizationFailedError, match="move 1 partition"):
        write(admin, "t-0:2")
    cluster.after = refuse_with(DISABLED)
    with pytest.raises(Refused, match="the brokers refuse to move 1 partition: "):
        write(admin, "t-0:3")


def test_all_is_asked_for_at_once_and_nothing_where_nothing_moves() -> None:
    admin = admin_of(Cluster({"t-0": "1", "t-1": "1"}))
    plan, still = planned(admin, "t-0:2", "t-1:1"), planned(admin, "t-1:1")

    assert [plan] == admin.waves(plan)
    assert [] == admin.waves(still)


MOVE_TO_D = DirMove(replica=Replica(BrokerId(2), part("t-0")), target="/d", path="/c")
MOVE_TO_E = DirMove(replica=Replica(BrokerId(2), part("t-1")), target="/e")
MOVE_OF_U = DirMove(replica=Replica(BrokerId(1), part("u-0")), target="/d", path="/c")


def test_who_changes_a_directory_alone_has_something_to_ask_for_too() -> None:
    admin = admin_of(Cluster({"t-0": "1"}))
    plan = replace(planned(admin, "t-0:1"), dir_moves=(MOVE_OF_U,))

    assert [plan] == admin.waves(plan)


def test_brokers_that_move_no_replica_between_directories_are_told_apart() -> None:
    cluster = Cluster({"t-0": "1"})
    cluster.unserved = [AlterReplicaLogDirsRequest]
    admin = admin_of(cluster)
    plan = replace(planned(admin, "t-0:2"), dir_moves=(MOVE_OF_U,))

    with pytest.raises(NotServed, match="do not serve moves to other log directories"):
        admin.waves(plan)
    with pytest.raises(NotServed):
        admin.move_dirs([MOVE_OF_U])


def test_each_broker_is_asked_for_its_directories_and_says_what_it_cannot_do() -> None:
    cluster = Cluster({"t-0": "2", "t-1": "2", "u-0": "1"})
    cluster.dir_errors = {(2, part("t-1")): NO_REPLICA, (1, part("u-0")): NO_LOG_DIR}
    admin = admin_of(cluster)

    asked = admin.move_dirs([MOVE_TO_D, MOVE_TO_E, MOVE_OF_U])
    cluster.dir_errors = {}
    cluster.silent = [2]
    again = admin.move_dirs([MOVE_TO_E, MOVE_OF_U])

    assert [("/d", 1, part("u-0")), ("/d", 2, part("t-0")), ("/e", 2, part("t-1"))] == (
        cluster.asked_dirs[:3]
    )
    assert ([MOVE_TO_D], [MOVE_TO_E]) == (asked.begun, asked.awaited)
    assert [MOVE_OF_U.replica] == list(asked.refused)
    assert "log dir" in asked.refused[MOVE_OF_U.replica].lower()
    assert DirsAsked(begun=[MOVE_OF_U], awaited=[MOVE_TO_E], refused={}) == again


def test_those_that_move_are_left_until_they_have_arrived() -> None:
    cluster = Cluster({"t-0": "1", "t-1": "1"})
    admin = admin_of(cluster)
    plan = planned(admin, "t-0:2", "t-1:2")
    admin.write(NO_FENCE, plan)
    cluster.assignments[part("t-0")] = PartitionAssignment(ids("2"))

    def left() -> Remaining[Move]:
        return admin.not_moved(plan.moves)

    assert Remaining(items=[plan.moves[1]], has_controller=True) == left()
    cluster.controller_id = -1
    assert Remaining(items=plan.moves, has_controller=False) == left()
    cluster.controller_id = 3
    cluster.finish()
    assert Remaining(items=[], has_controller=True) == left()


def test_replicas_are_as_large_as_their_brokers_tell_if_they_do() -> None:
    cluster = Cluster({"t-0": "1,2"})
    admin = admin_of(cluster)
    result = DescribeLogDirsResponse.DescribeLogDirsResult
    topic = result.DescribeLogDirsTopic

    def told(*dirs: list[tuple[int, bool]], error_code: int = 0) -> Any:
        return DescribeLogDirsResponse(
            error_code=error_code,
            results=[
                result(
                    log_dir=f"/{number}",
                    error_code=0,
                    topics=[
                        topic(
                            name="t",
                            partitions=[
                                topic.DescribeLogDirsPartition(
                                    partition_index=0,
                                    partition_size=size,
                                    offset_lag=0,
                                    is_future_key=is_future,
                                )
                                for size, is_future in replicas
                            ],
                        )
                    ],
                )
                for number, replicas in enumerate(dirs)
            ],
        )

    cluster.log_dirs = {
        BrokerId(1): told([(9, False)]),
        BrokerId(2): told([(3, True)], [(7, False)]),
    }
    found = admin.log_dirs([part("t-0")])
    cluster.log_dirs = {BrokerId(1): told(error_code=DENIED)}
    denied = admin.log_dirs([part("t-0")])
    cluster.unserved = [DescribeLogDirsRequest]
    unserved = admin.log_dirs([part("t-0")])

    assert found is not None
    assert {part("t-0"): {1: 9, 2: 7}} == sizes_of(found)
    assert (None, None) == (denied, unserved)


def test_throttles_are_remembered_by_the_cluster_s_id() -> None:
    admin = admin_of(Cluster({}))

    journal = admin.journal()

    assert ThrottleJournal() == journal
    assert Committed() == admin.write_journal(admin.fence(), journal)
    assert "c.json" == admin.journal_file.path.name
