"""Invariants of the simulation: what must never happen, whatever fails?

Watches every commit of ZooKeeper and every role that a broker takes, and remembers what was true
before.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from cluster.controller.requests import (
    AlterPartition,
    AlterPartitionReply,
    AskedTopic,
    ControlledShutdown,
    ControlledShutdownReply,
    ControllerReply,
    ControllerRequest,
    ElectLeaders,
)
from cluster.model.config_spec import is_true
from cluster.model.controller import ControllerEpochNode
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.model.topic_config_specs import FLUSH_MESSAGES, UNCLEAN_LEADER_ELECTION
from cluster.zk import paths
from cluster.zk.configs import decode_config
from cluster.zk.controller import decode_controller_epoch
from cluster.zk.topics import decode_assignment, decode_state
from tests.sim.reassignments import Log, Reassignments
from tests.sim.violation import Kind, Violation
from tests.sim.zookeeper import Commit


def partition_of_state(path: str) -> TopicPartition:
    """Whose state stands at *path*."""
    topic, _, index, _ = path.removeprefix(f"{paths.TOPICS}/").split("/")
    return TopicPartition(topic, int(index))


class Invariants:
    """Begins with an empty ZooKeeper."""

    def __init__(self, knows: Callable[[int, BrokerId], bool]) -> None:
        """*knows* says whether a broker, as the controller, knows of another's life of now."""
        self.epoch: ControllerEpochNode | None = None
        self.elected: dict[int, int] = {}
        """Which broker raised the controller epoch to each value."""
        self.active_controllers: set[int] = set()
        self.topic_ids: dict[str, str] = {}
        """The ids of topics, by the topic's incarnation: its name and when it was made."""
        self.replicas: dict[TopicPartition, tuple[BrokerId, ...]] = {}
        self.unclean_topics: set[str] = set()
        self.flushing_topics: set[str] = set()
        """Those that have had `flush.messages=1` since they were made."""
        self._unclean_by_request: set[str] = set()
        """The incarnations for which an operator has asked for unclean elections."""
        self.ever_unclean_topics: set[str] = set()
        """Whose committed records may be gone, since nobody forbade that once."""
        self.to_be_deleted: set[str] = set()
        """The incarnations that somebody has asked to delete."""
        self.logs: dict[tuple[str, TopicPartition], set[int]] = {}
        """Who has a log of a topic id's partition, brokers that are down included."""
        self.reassignments = Reassignments(self.logs, knows)
        self._requested: set[str] = set()
        self._proposed: dict[TopicPartition, set[tuple[int, int, tuple[BrokerId, ...]]]] = {}
        """What leaders want: by whom, under which leader epoch, and the ISR."""
        self._incarnations: dict[str, str] = {}
        self._history: dict[tuple[str, TopicPartition], dict[tuple[int, int, int], None]] = {}
        self._states: dict[TopicPartition, PartitionState] = {}
        self._lives: Counter[BrokerId] = Counter()
        """How often each broker has started."""
        self._led: dict[tuple[str, TopicPartition, int], int] = {}
        """In which life a leader has led under each leader epoch."""
        self._known: set[TopicPartition] = set()
        """The partitions whose state a controller has written last: it need not read it."""

    @property
    def controller_epoch(self) -> int:
        """That of the controller that was elected last; 0 before the first."""
        return 0 if self.epoch is None else self.epoch.epoch

    # ZooKeeper

    def on_commit(self, commit: Commit) -> None:
        path = commit.path
        is_election = path == paths.CONTROLLER_EPOCH or (
            path == paths.CONTROLLER and commit.after is not None
        )
        if commit.author.role == "controller" and not is_election:
            self._must_be_controller(commit)
        if path == paths.CONTROLLER_EPOCH:
            self._on_epoch(commit)
        elif path.endswith("/state"):
            self._on_state(commit)
        elif path.startswith(f"{paths.TOPICS}/") and path.count("/") == 3:
            self._on_topic(commit)
        elif path.startswith(f"{paths.CONFIG}/topics/") and commit.after is not None:
            values = decode_config(commit.after).values
            is_unclean = is_true(values.get(UNCLEAN_LEADER_ELECTION, ""))
            change = self.unclean_topics.add if is_unclean else self.unclean_topics.discard
            change(commit.after.name)
            self.ever_unclean_topics |= self.unclean_topics
            if values.get(FLUSH_MESSAGES) != "1":
                self.flushing_topics.discard(commit.after.name)
            elif commit.before is None:
                self.flushing_topics.add(commit.after.name)
        elif path.startswith(f"{paths.DELETE_TOPICS}/"):
            self._on_request(path.rpartition("/")[2], is_made=commit.after is not None)

    def _on_epoch(self, commit: Commit) -> None:
        if commit.after is None:
            raise Violation(Kind.CONTROLLER_EPOCH, "it was removed")
        epoch = decode_controller_epoch(commit.after)
        if self.epoch is not None:
            if epoch.epoch != self.epoch.epoch + 1:
                raise Violation(Kind.CONTROLLER_EPOCH, f"{self.epoch} became {epoch}")
            self.elected[epoch.epoch] = commit.author.broker_id
        self.epoch = epoch

    def on_became_controller(self, controller_epoch: int) -> None:
        """Brokers tell terms apart by their epochs."""
        if controller_epoch in self.active_controllers:
            raise Violation(Kind.CONTROLLER_EPOCH, f"two controllers in epoch {controller_epoch}")
        self.active_controllers.add(controller_epoch)

    def _on_topic(self, commit: Commit) -> None:
        name = commit.path.rpartition("/")[2]
        if commit.after is None:
            self._on_topic_removed(name, commit)
            return
        if commit.before is None:
            self._incarnations[name] = f"{name}@{commit.after.czxid}"
            if name in self._requested:
                self.to_be_deleted.add(self._incarnations[name])
        assignment = decode_assignment(commit.after)
        if assignment.topic_id is not None:
            self.topic_ids[self._incarnations[name]] = assignment.topic_id
        self.reassignments.on_removed(name, kept=assignment.partitions)
        topic_id = self.topic_ids.get(self._incarnations[name], "")
        for number, assigned in assignment.partitions.items():
            partition = TopicPartition(name, number)
            self.replicas[partition] = assigned.replicas
            if self.reassignments.on_assignment(partition, assigned, topic_id, commit.author):
                self._must_be_controller(commit)
                if partition in self._states:
                    self._check_alone(partition, self._states[partition])

    def _on_request(self, topic: str, *, is_made: bool) -> None:
        """A request means the topic that is there, or the next one that is made before it goes."""
        if is_made:
            self._requested.add(topic)
            self.to_be_deleted |= (
                {self._incarnations[topic]} if topic in self._incarnations else set()
            )
        else:
            self._requested.discard(topic)

    def _on_topic_removed(self, name: str, commit: Commit) -> None:
        incarnation = self._incarnations.pop(name)
        if incarnation not in self.to_be_deleted:
            text = f"{incarnation} was removed, and nobody had asked for it"
            raise Violation(Kind.DELETION, text)
        self._must_be_controller(commit)
        topic_id = self.topic_ids[incarnation]
        left = [
            log
            for (of, partition), who in self.logs.items()
            if of == topic_id
            for broker_id in who
            if (log := Log(of, partition, BrokerId(broker_id))) not in self.reassignments.strays
        ]
        if left:
            text = f"{incarnation} was removed while there are logs: {left}"
            raise Violation(Kind.DELETION, text)
        for partition in [p for p in self.replicas if p.topic == name]:
            del self.replicas[partition]
        self.reassignments.on_removed(name)

    def _on_state(self, commit: Commit) -> None:
        partition = partition_of_state(commit.path)
        if commit.after is None:
            self._must_be_controller(commit)
            self._states.pop(partition, None)
            return
        state = decode_state(commit.after)
        self._check_alone(partition, state)
        before = self._states.get(partition)
        if commit.author.role == "controller":
            assert self.epoch is not None
            if state.controller_epoch != self.epoch.epoch:
                raise Violation(Kind.ZOMBIE_CONTROLLER, f"{partition}: {state}")
            if before is not None and state.leader_epoch == before.leader_epoch:
                self._check_altered(partition, before, state)
            elif before is not None:
                self._check_election(partition, before, state)
        else:
            if before is None:
                raise Violation(Kind.STATE, f"{partition}: a leader made it")
            self._check_isr_change(partition, before, state, commit.author.broker_id)
        self._states[partition] = state
        is_known = commit.author.role == "controller"
        (self._known.add if is_known else self._known.discard)(partition)
        key = (self._topic_id(partition), partition)
        told = (state.leader_epoch, state.leader, state.zk_version)
        self._history.setdefault(key, {})[told] = None

    def _must_be_controller(self, commit: Commit) -> None:
        """One writer for each controller epoch, and only while it is the newest."""
        told = f"{commit.author} wrote {commit.path}"
        if commit.author.role != "controller":
            raise Violation(Kind.ZOMBIE_CONTROLLER, told)
        assert self.epoch is not None
        if self.elected.get(self.epoch.epoch) != commit.author.broker_id:
            text = f"{told}, but {self.elected} were elected"
            raise Violation(Kind.ZOMBIE_CONTROLLER, text)

    def _check_alone(self, partition: TopicPartition, state: PartitionState) -> None:
        replicas = self.replicas[partition]
        is_whole = (
            len(state.isr) > 0
            and (state.leader == NO_LEADER or state.leader in state.isr)
            and set(state.isr) <= set(replicas)
            and len(set(state.isr)) == len(state.isr)
        )
        if not is_whole:
            raise Violation(Kind.STATE, f"{partition}: {state}, replicas {replicas}")

    def _check_election(
        self, partition: TopicPartition, before: PartitionState, state: PartitionState
    ) -> None:
        told = f"{partition}: {before}, then {state}"
        if state.leader_epoch != before.leader_epoch + 1:
            raise Violation(Kind.LOST_UPDATE, told)
        if set(state.isr) <= set(before.isr):
            return
        is_asked_for = self._incarnations[partition.topic] in self._unclean_by_request
        if not is_asked_for and partition.topic not in self.unclean_topics:
            raise Violation(Kind.UNCLEAN_ELECTION, told)

    def _check_altered(
        self, partition: TopicPartition, before: PartitionState, state: PartitionState
    ) -> None:
        """A controller changes an ISR within a leadership only as the leader has proposed it."""
        proposal = (state.leader, state.leader_epoch, state.isr)
        is_proposed = proposal in self._proposed.get(partition, ())
        if not is_proposed or state.leader != before.leader:
            text = f"{partition}: {before}, then {state}, which nobody had proposed"
            raise Violation(Kind.LOST_UPDATE, text)

    def _check_isr_change(
        self,
        partition: TopicPartition,
        before: PartitionState,
        state: PartitionState,
        author: int,
    ) -> None:
        is_own = before.leader == author
        if not is_own or before[:1] != state[:1] or before.leader_epoch != state.leader_epoch:
            text = f"{partition}: {before}, then {state} by {author}"
            raise Violation(Kind.LOST_UPDATE, text)

    def _topic_id(self, partition: TopicPartition) -> str:
        return self.topic_ids[self._incarnations[partition.topic]]

    def state_of(self, topic_id: str, partition: TopicPartition) -> PartitionState | None:
        """What stands in ZooKeeper; None when another topic has the name, or none, and of a topic
        that is to be deleted.
        """
        incarnation = self._incarnations.get(partition.topic, "")
        state = self._states.get(partition)
        is_there = (
            incarnation not in self.to_be_deleted and self.topic_ids.get(incarnation) == topic_id
        )
        return state if is_there else None

    def topic_id(self, topic: str) -> str:
        """The id of the topic that has the name; empty without one."""
        return self.topic_ids.get(self._incarnations.get(topic, ""), "")

    # Brokers

    def on_start(self, broker_id: BrokerId, logs: Mapping[TopicPartition, str]) -> None:
        """A broker has found *logs*, of topics by their ids: a crash has lost some, or has brought
        some back whose end was not durable.
        """
        self._lives[broker_id] += 1
        self.reassignments.on_disk(broker_id, works=True)
        for owners in self.logs.values():
            owners.discard(broker_id)
        for partition, topic_id in logs.items():
            self.logs.setdefault((topic_id, partition), set()).add(broker_id)

    def on_role(
        self,
        broker_id: BrokerId,
        partition: TopicPartition,
        before: PartitionState | None,
        state: PartitionState,
        topic_id: str,
    ) -> None:
        """No broker is told anything that does not stand in ZooKeeper already."""
        told = (state.leader_epoch, state.leader, state.zk_version)
        known = self._history.get((topic_id, partition), {})
        if told not in known:
            text = f"broker {broker_id} was told {told} of {partition}, not {list(known)}"
            raise Violation(Kind.UNKNOWN_ORDER, text)
        if before is not None and (state.leader_epoch, state.zk_version) <= (
            before.leader_epoch,
            before.zk_version,
        ):
            text = f"broker {broker_id} was told {state} of {partition} after {before}"
            raise Violation(Kind.STALE_ORDER, text)
        self.logs.setdefault((topic_id, partition), set()).add(broker_id)
        if state.leader == broker_id:
            self._check_life(broker_id, partition, topic_id, state.leader_epoch)

    def _check_life(
        self, broker_id: BrokerId, partition: TopicPartition, topic_id: str, leader_epoch: int
    ) -> None:
        """Nobody leads on, in the same leader epoch, with what a life before has left to it.

        It may be less than followers have, who then have other records at the offsets of the next.
        Without followers that is nobody's business, nor is it with a topic that is to go.
        """
        is_kept = self.state_of(topic_id, partition) is not None
        if not is_kept or len(self.replicas[partition]) == 1:
            return
        life = self._lives[broker_id]
        first = self._led.setdefault((topic_id, partition, leader_epoch), life)
        if life != first:
            text = f"broker {broker_id} leads {partition} in epoch {leader_epoch} in life {life}"
            raise Violation(Kind.SECOND_LIFE, f"{text}, as in life {first}")

    def on_deleted(self, broker_id: BrokerId, partition: TopicPartition, topic_id: str) -> None:
        """No log goes that nobody wanted to delete."""
        self.logs.get((topic_id, partition), set()).discard(broker_id)
        log = Log(topic_id, partition, broker_id)
        state = self._states.get(partition)
        incarnation = self._incarnations.get(partition.topic, "")
        may_go = any(self.topic_ids.get(one) == topic_id for one in self.to_be_deleted)
        may_go = may_go or self.reassignments.may_delete(
            log, self.topic_ids.get(incarnation), () if state is None else state.isr
        )
        self.reassignments.on_deleted(log)
        if topic_id and not may_go:
            text = f"broker {broker_id} deleted {partition} of topic id {topic_id}"
            raise Violation(Kind.DELETION, text)

    def on_controller_request(self, request: ControllerRequest) -> None:
        """An unclean election that an operator asks for is none of the controller's mistakes."""
        if isinstance(request, AlterPartition):
            for topic, proposals in request.topics.items():
                for number, proposal in proposals.items():
                    isr = tuple(member.broker_id for member in proposal.isr)
                    proposed = (request.broker_id, proposal.leader_epoch, isr)
                    for name in self._names_of(topic):
                        partition = TopicPartition(name, number)
                        self._proposed.setdefault(partition, set()).add(proposed)
        if isinstance(request, ElectLeaders) and request.is_unclean:
            topics = {partition.topic for partition in request.partitions}
            known = topics & self._incarnations.keys()
            self._unclean_by_request |= {self._incarnations[topic] for topic in known}
            self.ever_unclean_topics |= topics

    def _names_of(self, topic: AskedTopic) -> Iterable[str]:
        if topic.name is not None:
            return (topic.name,)
        return (name for name, own in self._incarnations.items() if self._has_id(own, topic))

    def _has_id(self, incarnation: str, topic: AskedTopic) -> bool:
        return self.topic_ids.get(incarnation) == topic.topic_id

    def abandoned(self, broker_id: BrokerId) -> list[Log]:
        """The broker's logs of removed replicas that no controller deletes any more."""
        return self.reassignments.abandoned(broker_id, self.controller_epoch)

    def on_controller_reply(
        self, broker_id: BrokerId, request: ControllerRequest, reply: ControllerReply
    ) -> None:
        if isinstance(reply, AlterPartitionReply):
            self._check_told(reply)
        if isinstance(request, ControlledShutdown):
            assert isinstance(reply, ControlledShutdownReply)
            self._check_may_stop(broker_id, request, reply)

    def _check_told(self, reply: AlterPartitionReply) -> None:
        """No leader is told an ISR that has not stood in ZooKeeper."""
        for topic, partitions in reply.topics.items():
            for number, (_, state) in partitions.items():
                if state is not None and not self._has_stood(topic, number, state):
                    text = f"{topic} {number}: the leader was told {state}"
                    raise Violation(Kind.UNKNOWN_ORDER, text)

    def _has_stood(self, topic: AskedTopic, number: int, state: PartitionState) -> bool:
        told = (state.leader_epoch, state.leader, state.zk_version)
        return any(
            told in states and number == partition.partition
            for (topic_id, partition), states in self._history.items()
            if topic in (AskedTopic(name=partition.topic), AskedTopic(topic_id=topic_id))
        )

    def _check_may_stop(
        self, broker_id: BrokerId, request: ControlledShutdown, reply: ControlledShutdownReply
    ) -> None:
        """Whoever may stop leads nothing that the newest controller has given to it while others
        could lead it, but for topics that are to be deleted, whose leaders nobody needs.

        Source: Kafka's ControllerContext.partitionLeadersOnBroker.
        """
        if self.epoch is None:
            return
        if reply.error is not ErrorCode.NONE or reply.remaining:
            return
        if self.elected.get(self.epoch.epoch) != broker_id:
            return
        for partition, state in self._states.items():
            is_led = state.leader == request.broker_id and len(state.isr) > 1
            is_known = state.controller_epoch == self.epoch.epoch and partition in self._known
            if is_led and is_known and not self._is_left_alone(partition.topic):
                text = f"broker {request.broker_id} may stop, and leads {partition}: {state}"
                raise Violation(Kind.SHUTDOWN, text)

    def _is_left_alone(self, topic: str) -> bool:
        """Whether it is to be deleted, and no reassignment has to be finished before that."""
        is_deleted = self._incarnations.get(topic, "") in self.to_be_deleted
        return is_deleted and not self.reassignments.is_under_way(topic, self._states)
