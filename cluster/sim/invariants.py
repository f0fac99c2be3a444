"""What must never happen, whatever fails?

Watches every commit of ZooKeeper and every order that a broker obeys, and remembers what was true
before.  A violation is an AssertionError that says what happened.
"""

from cluster.model.controller import ControllerEpochNode
from cluster.model.ids import NO_LEADER, BrokerId, TopicPartition
from cluster.model.topic import PartitionState
from cluster.sim.obeying import Role
from cluster.sim.zookeeper import Commit
from cluster.zk import paths
from cluster.zk.configs import decode_config
from cluster.zk.controller import decode_controller_epoch
from cluster.zk.topics import decode_assignment, decode_state


class Invariants:
    """Begins with an empty ZooKeeper."""

    def __init__(self) -> None:
        self.epoch: ControllerEpochNode | None = None
        self.elected: dict[int, int] = {}
        """Which broker raised the controller epoch to each value."""
        self.active_controllers: set[int] = set()
        self.topic_ids: dict[str, str] = {}
        """The ids of topics, by the topic's incarnation: its name and when it was made."""
        self.replicas: dict[TopicPartition, tuple[BrokerId, ...]] = {}
        self.unclean_topics: set[str] = set()
        self.doomed: set[str] = set()
        """The incarnations that somebody has asked to delete."""
        self.logs: dict[tuple[str, TopicPartition], set[int]] = {}
        """Who has a log of a topic id's partition, brokers that are down included."""
        self._requested: set[str] = set()
        self._incarnations: dict[str, str] = {}
        self._history: dict[tuple[str, TopicPartition], dict[tuple[int, int, int], None]] = {}
        self._states: dict[TopicPartition, PartitionState] = {}

    # ZooKeeper

    def on_commit(self, commit: Commit) -> None:
        path = commit.path
        if path == paths.CONTROLLER_EPOCH:
            self._on_epoch(commit)
        elif path.endswith("/state"):
            self._on_state(commit)
        elif path.startswith(f"{paths.TOPICS}/") and path.count("/") == 3:
            self._on_topic(commit)
        elif path.startswith(f"{paths.CONFIG}/topics/") and commit.after is not None:
            values = decode_config(commit.after).values
            change = self.unclean_topics.add if values else self.unclean_topics.discard
            change(commit.after.name)
        elif path.startswith(f"{paths.DELETE_TOPICS}/"):
            self._on_request(path.rpartition("/")[2], is_made=commit.after is not None)

    def _on_epoch(self, commit: Commit) -> None:
        assert commit.after is not None, "the controller epoch was removed"
        epoch = decode_controller_epoch(commit.after)
        if self.epoch is not None:
            assert epoch.epoch == self.epoch.epoch + 1, f"epoch {self.epoch} became {epoch}"
            self.elected[epoch.epoch] = commit.author.broker_id
        self.epoch = epoch

    def on_became_controller(self, controller_epoch: int) -> None:
        """Brokers tell terms apart by their epochs."""
        assert controller_epoch not in self.active_controllers, (
            f"two controllers in epoch {controller_epoch}"
        )
        self.active_controllers.add(controller_epoch)

    def _on_topic(self, commit: Commit) -> None:
        name = commit.path.rpartition("/")[2]
        if commit.after is None:
            self._on_topic_removed(name, commit)
            return
        if commit.before is None:
            self._incarnations[name] = f"{name}@{commit.after.czxid}"
            if name in self._requested:
                self.doomed.add(self._incarnations[name])
        assignment = decode_assignment(commit.after)
        if assignment.topic_id is not None:
            self.topic_ids[self._incarnations[name]] = assignment.topic_id
        for number, partition in assignment.partitions.items():
            self.replicas[TopicPartition(name, number)] = partition.replicas

    def _on_request(self, topic: str, *, is_made: bool) -> None:
        """A request means the topic that is there, or the next one that is made before it goes."""
        if is_made:
            self._requested.add(topic)
            self.doomed |= {self._incarnations[topic]} if topic in self._incarnations else set()
        else:
            self._requested.discard(topic)

    def _on_topic_removed(self, name: str, commit: Commit) -> None:
        incarnation = self._incarnations.pop(name)
        assert incarnation in self.doomed, f"{incarnation} was removed, and nobody had asked for it"
        self._must_be_controller(commit)
        topic_id = self.topic_ids[incarnation]
        left = {key: who for key, who in self.logs.items() if key[0] == topic_id and who}
        assert not left, f"{incarnation} was removed while there are logs: {left}"
        for partition in [p for p in self.replicas if p.topic == name]:
            del self.replicas[partition]

    def _on_state(self, commit: Commit) -> None:
        name, _, number, _ = commit.path.removeprefix(f"{paths.TOPICS}/").split("/")
        partition = TopicPartition(name, int(number))
        if commit.after is None:
            self._must_be_controller(commit)
            self._states.pop(partition, None)
            return
        state = decode_state(commit.after)
        self._check_alone(partition, state)
        before = self._states.get(partition)
        if commit.author.role == "controller":
            self._must_be_controller(commit)
            assert self.epoch is not None
            assert state.controller_epoch == self.epoch.epoch, f"{partition}: {state} is zombie's"
            if before is not None:
                self._check_election(partition, before, state)
        else:
            assert before is not None, f"{partition}: a leader made a state"
            self._check_isr_change(partition, before, state, commit.author.broker_id)
        self._states[partition] = state
        key = (self._topic_id(partition), partition)
        told = (state.leader_epoch, state.leader, state.zk_version)
        self._history.setdefault(key, {})[told] = None

    def _must_be_controller(self, commit: Commit) -> None:
        """One writer for each controller epoch, and only while it is the newest."""
        assert commit.author.role == "controller", f"{commit.author} wrote {commit.path}"
        assert self.epoch is not None
        newest = self.epoch.epoch
        assert self.elected.get(newest) == commit.author.broker_id, (
            f"{commit.author} wrote {commit.path}, but {self.elected} were elected"
        )

    def _check_alone(self, partition: TopicPartition, state: PartitionState) -> None:
        assert state.isr, f"{partition}: the ISR is empty"
        assert state.leader == NO_LEADER or state.leader in state.isr, f"{partition}: {state}"
        replicas = self.replicas[partition]
        assert set(state.isr) <= set(replicas), f"{partition}: {state} but replicas {replicas}"
        assert len(set(state.isr)) == len(state.isr), f"{partition}: {state}"

    def _check_election(
        self, partition: TopicPartition, before: PartitionState, state: PartitionState
    ) -> None:
        assert state.leader_epoch == before.leader_epoch + 1, f"{partition}: {before}, {state}"
        if set(state.isr) <= set(before.isr):
            return
        assert partition.topic in self.unclean_topics, f"{partition} lost: {before}, {state}"

    def _check_isr_change(
        self,
        partition: TopicPartition,
        before: PartitionState,
        state: PartitionState,
        author: int,
    ) -> None:
        told = f"{partition}: {before}, {state} by {author}"
        assert (before.leader, before.leader_epoch) == (state.leader, state.leader_epoch), told
        assert before.leader == author, told

    def _topic_id(self, partition: TopicPartition) -> str:
        return self.topic_ids[self._incarnations[partition.topic]]

    # Brokers

    def on_role(
        self, broker_id: BrokerId, partition: TopicPartition, role: Role, topic_id: str
    ) -> None:
        """No broker is told anything that does not stand in ZooKeeper already."""
        state = role.state
        told = (state.leader_epoch, state.leader, state.zk_version)
        known = self._history.get((topic_id, partition), {})
        assert told in known, f"broker {broker_id} was told {told} of {partition}, not {known}"
        self.logs.setdefault((topic_id, partition), set()).add(broker_id)

    def on_deleted(self, broker_id: BrokerId, partition: TopicPartition, topic_id: str) -> None:
        """No log goes that nobody wanted to delete."""
        incarnations = {i for i in self.doomed if self.topic_ids.get(i) == topic_id}
        assert incarnations, f"broker {broker_id} deleted {partition} of topic id {topic_id}"
        self.logs[topic_id, partition].discard(broker_id)
