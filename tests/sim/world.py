"""A simulated cluster: the lives and the ends of its brokers."""

from collections.abc import Iterable
from contextlib import suppress
from functools import partial

from cluster.controller.active_controller import ControllerConfig, LeaderRebalance
from cluster.formats.directory_names import directory_name, partition_of
from cluster.formats.errors import CorruptFileError
from cluster.model.ids import BrokerId
from cluster.storage.directories.properties import read_topic_id
from cluster.storage.errors import LogDirectoryRefused
from cluster.zk import paths
from tests.sim.disk import Crashed, SimDisk
from tests.sim.history import Incarnation, LogKey
from tests.sim.process import DIRECTORIES, Process
from tests.sim.sim_process import SimProcess
from tests.sim.story import ALL_FENCES, Fault, Fences, Story
from tests.sim.surroundings import Surroundings


class World(Surroundings):
    """A cluster of three or four brokers on an empty ZooKeeper, with all brokers starting."""

    def __init__(
        self, story: Story, fences: Fences = ALL_FENCES, events: list[str] | None = None
    ) -> None:
        super().__init__(story, fences, events)
        self.processes: dict[BrokerId, Process] = {}
        self._disks = {broker_id: SimDisk(story.seed + broker_id) for broker_id in self.broker_ids}
        for broker_id in self.broker_ids:
            self.start(broker_id)

    def process_of(self, broker_id: BrokerId) -> Process:
        return self.processes[broker_id]

    def last_processes(self) -> Iterable[Process]:
        return self.processes.values()

    def knows(self, controller_id: int, broker_id: BrokerId) -> bool:
        active = self.processes[BrokerId(controller_id)].controller.core.active
        node = self.zookeeper.node(paths.broker(broker_id))
        if active is None or node is None:
            return False
        known = active.context.brokers.get(broker_id)
        return known is not None and known.broker_epoch == node.czxid

    def start(self, broker_id: BrokerId) -> None:
        """Begin a new life of a broker that is down: recover, and register."""
        disk = self._disks[broker_id]
        disk.fault = lambda kind, path: None
        config = ControllerConfig(
            broker_id=broker_id,
            partitions_in_a_turn=self.partitions_in_a_turn,
            writes_traces=self.writes_traces,
            leader_rebalance=LeaderRebalance(
                interval_ms=self.pace.rebalance_ms, imbalance_percentage=0
            ),
        )
        self._remove_abandoned_logs(broker_id)
        core = partial(self.fences.core, config, new_topic_id=self.new_topic_id)
        name = f"b{broker_id}"
        topics = self.zookeeper.children(paths.TOPICS)
        unreadable = frozenset(topic for topic in topics if self.does(Fault.CORRUPTION, 0.3, name))
        self.tell(broker_id, "starts", "")
        process = None
        while process is None:
            try:
                process = Process(self, broker_id, disk, core, unreadable)
            except Crashed as crashed:
                self.tell(broker_id, "machine stops", str(crashed))
                self.history.on_machine_stopped(broker_id)
                disk.crash()
            except LogDirectoryRefused as refused:
                self.tell(broker_id, "refuses", str(refused))
                disk.release_locks()
                self._remove_left_behind(broker_id)
        self.processes[broker_id] = process
        self.invariants.on_start(broker_id, process.known_logs)
        self.history.on_started(process)
        process.start_session(self.connect(process))

    def _remove_abandoned_logs(self, broker_id: BrokerId) -> None:
        """Let an operator remove what no controller deletes any more: of the next topic of that
        name nothing could be kept there.

        A crash may have taken the id of the topic from such a log.
        """
        disk = self._disks[broker_id]
        crash_at, disk.crash_at = disk.crash_at, None
        for topic_id, partition, _ in self.invariants.abandoned(broker_id):
            for path in (f"{one}/{directory_name(partition)}" for one in DIRECTORIES):
                found: str | None = None
                with suppress(OSError, CorruptFileError):
                    found = read_topic_id(disk, path)
                if found in (topic_id, None):
                    remove_directory(disk, path)
            self.invariants.on_deleted(broker_id, partition, topic_id)
            self.history.on_deleted(LogKey(broker_id, Incarnation(topic_id, partition)))
        disk.crash_at = crash_at

    def _remove_left_behind(self, broker_id: BrokerId) -> None:
        """Let an operator do as the broker says that has found a log in two directories: the move
        to one of them was over, or as good as that, when the other failed or the machine stopped.
        """
        disk, last = self._disks[broker_id], self.processes[broker_id].logs
        crash_at, disk.crash_at = disk.crash_at, None
        names = [{entry.name for entry in disk.list(path)} for path in DIRECTORIES]
        for name in sorted(set.intersection(*names)):
            partition = partition_of(name)
            if partition is not None:
                used = last.directory_of(partition)
                kept = DIRECTORIES[0] if used is None else used.path
                for path in DIRECTORIES:
                    if path != kept:
                        remove_directory(disk, f"{path}/{name}")
        disk.crash_at = crash_at

    def start_later(self, broker_id: BrokerId) -> None:
        """Start a broker that has ended, after a while, unless somebody does before."""

        def start() -> None:
            if not self.processes[broker_id].is_up:
                self.start(broker_id)

        self.after(self.between(*self.pace.down_ms, f"start b{broker_id}"), start)

    def crash(self, process: SimProcess, *, is_machine: bool) -> None:
        """Kill a process, maybe with its machine; ZooKeeper notices after the session's timeout."""
        self.tell(process.broker_id, "crashes", "with its machine" if is_machine else "")
        process.kill()
        self.history.on_ended(process)
        if is_machine:
            self.history.on_machine_stopped(process.broker_id)
            process.disk.crash()
        process.disk.release_locks()
        session = process.session
        self.after(self.pace.session_timeout_ms, lambda: self.zookeeper.expire(session))

    def stop(self, process: SimProcess) -> None:
        """End a process in order: it closes its logs, and its session."""
        self.tell(process.broker_id, "stops", "")
        process.kill()
        try:
            process.close()
        except Crashed as crashed:
            self.tell(process.broker_id, "machine stops", str(crashed))
            self.crash(process, is_machine=True)
            return
        self.history.on_ended(process)
        process.disk.release_locks()
        self.zookeeper.expire(process.session)

    def end_session(self, process: SimProcess) -> None:
        """Let a session expire; its process hears of it later, and asks on in the meantime."""
        self.tell(process.broker_id, "expires", f"session {process.session}")
        self.zookeeper.expire(process.session)
        process.is_expiring = True
        next_session = None
        name = f"b{process.broker_id}"
        if self.does(Fault.LATE_NEWS, 0.7, name):
            next_session = process.session = self.connect(process)
        delay_ms = self.between(1, 700, name)

        def tell() -> None:
            session = self.connect(process) if next_session is None else next_session
            process.on_session_expired(session)

        self.after(delay_ms, lambda: process.deliver(tell))


def remove_directory(disk: SimDisk, path: str) -> None:
    with suppress(OSError):
        for entry in disk.list(path):
            disk.remove(f"{path}/{entry.name}")
        disk.remove(path)
