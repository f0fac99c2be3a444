"""The surroundings of simulated brokers: time, random streams, ZooKeeper, and the checks of all.

Draws every delay and every loss from one seed.  What operators do, and what breaks when, is in
`faults`.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from random import Random
from typing import Final

from cluster.model.ids import BrokerId
from cluster.model.topic_id import topic_id_text
from cluster.statechange.line import StateChangeLine
from cluster.wire.api_keys import ApiKey
from cluster.zk import paths
from cluster.zk.brokers import encode_incarnation
from cluster.zk.layout import PERSISTENT_PATHS
from cluster.zk.requests import (
    Create,
    Delete,
    GetChildren,
    Lost,
    Multi,
    MultiDone,
    Operation,
    Refused,
    ZkReply,
    ZkRequest,
)
from cluster.zk.topics import decode_state
from tests.sim.history import History, Incarnation
from tests.sim.invariants import Invariants, partition_of_state
from tests.sim.ports import SimClock, SimRandomStream
from tests.sim.schedule import Schedule
from tests.sim.sim_process import SimProcess
from tests.sim.story import ALL_FENCES, SEEDS_PER_TRACE, Fault, Fences, Story, faults_of
from tests.sim.violation import violation_behind
from tests.sim.zookeeper import TOOL, Author, Commit, SimZooKeeper

OLD_CONTROLLERS: Final = 0.3
"""In how many stories controllers do not know AlterPartition."""
SHOWN_MAX: Final = 100
"""How much of a znode a line about an event shows."""


class SaidLines(list[StateChangeLine]):
    """Lines of all state-change.logs as they are written; *times_ms* has when each was."""

    def __init__(self, schedule: Schedule) -> None:
        super().__init__()
        self.times_ms: list[int] = []
        self._schedule = schedule

    def append(self, line: StateChangeLine, /) -> None:
        super().append(line)
        self.times_ms.append(self._schedule.now_ms)


class Surroundings(ABC):
    """All that brokers, clients and operators have in common."""

    def __init__(
        self, story: Story, fences: Fences = ALL_FENCES, events: list[str] | None = None
    ) -> None:
        """*events* gets a line for each event, if it is wanted."""
        self.story = story
        self.pace = story.pace
        self.fences = fences
        self._random_streams: dict[str, Random] = {}
        self.faults = frozenset(fault for fault in faults_of(story.seed) if story.has(fault.name))
        random = self.random_stream("world")
        self.is_troubled = True
        self.happened: Counter[str] = Counter()
        """How often each act has come up, and each kind of fault at each place."""
        self.event_count = 0
        self.last_commit_ms = 0
        self.known_broker_ids: set[BrokerId] = set()
        """The brokers that have been started."""
        self.invariants = Invariants(self.knows)
        self.history = History(
            self.invariants.ever_unclean_topics,
            self.invariants.flushing_topics,
            lambda of: self.invariants.state_of(*of),
        )
        self.schedule = Schedule()
        self.lines = SaidLines(self.schedule)
        self.clock = SimClock(self.schedule)
        self.wall_clocks_ahead_ms: Counter[int] = Counter()
        """By how much the clocks of the brokers' machines were set forward, or back."""
        self.zookeeper = SimZooKeeper(
            self._on_watch,
            self._on_commit,
            checks_state_versions=fences.state_versions,
            checks_epoch=fences.epoch_checks,
            checks_removals=fences.removal_checks,
        )
        self.broker_ids = tuple(BrokerId(n) for n in range(random.choice((3, 3, 4))))
        self.versions = {
            (ApiKey.LEADER_AND_ISR, 7): random.choice((5, 6, 7)),
            (ApiKey.UPDATE_METADATA, 8): random.choice((7, 8)),
            (ApiKey.STOP_REPLICA, 4): random.choice((3, 4)),
        }
        """The versions in which orders go: those of one form are told apart by nobody."""
        is_old = random.random() < OLD_CONTROLLERS
        self.unknown_apis = frozenset({ApiKey.ALTER_PARTITION} if is_old else ())
        """What no broker asks another: leaders write ISRs to ZooKeeper then, as before 2.7."""
        self.partitions_in_a_turn = self.random_stream("turns").choice((1, 2, 500))
        """How many partitions of a topic a controller begins, or deletes, in one turn."""
        self.writes_traces = story.seed % SEEDS_PER_TRACE == 0
        self._events = events
        self._values = count()
        self._tool_session = self.zookeeper.connect()
        self._sessions: dict[int, SimProcess] = {}
        self._last_arrival_ms: dict[int, int] = {}
        self._last_departure_ms: dict[int, int] = {}
        self._long_ms = self.pace.session_timeout_ms * 3 // 4
        """Enough for an election, and shorter than a session's timeout."""
        self._held_until_ms: dict[str, int] = {}
        for path in (*PERSISTENT_PATHS, paths.INCARNATIONS):
            self.tool(Create(path))
        for broker_id in self.broker_ids:
            self.tool(Create(paths.incarnation(broker_id), encode_incarnation(0)))

    @property
    def now_ms(self) -> int:
        return self.schedule.now_ms

    def after(self, delay_ms: int, action: Callable[[], None]) -> None:
        self.schedule.after(delay_ms, action)

    def run_until(self, end_ms: int) -> None:
        try:
            while self.schedule.run_next(end_ms):
                self.event_count += 1
        except Exception as error:
            # A core takes a violation for a failure of its own, and may fail over that.
            violation = violation_behind(error)
            if violation is None:
                raise
            raise violation from None

    def random_stream(self, of: str) -> Random:
        """The random stream of one thing: leaving a thing out of a story changes few others."""
        stream = self._random_streams.get(of)
        if stream is None:
            stream = self._random_streams[of] = Random(f"{self.story.seed} {of}")
        return stream

    def between(self, least: int, most: int, of: str) -> int:
        """A number from the random stream of something, both ends included."""
        return least + int(self.random_stream(of).random() * (most - least + 1))

    def does(self, fault: Fault, probability: float, of: str) -> bool:
        """Whether *fault* happens now to something: only in a troubled world that has it."""
        if not self.is_troubled or fault not in self.faults:
            return False
        name = f"{fault.name}.{of}"
        return self.random_stream(name).random() < probability and self.comes_up(name)

    def comes_up(self, name: str) -> bool:
        """Count one more fault or act of a kind; whether it is not left out of the story."""
        self.happened[name] += 1
        one = f"{name}#{self.happened[name]}"
        if not self.story.has(one):
            return False
        self.tell(None, "!", one)
        return True

    def tell(self, who: BrokerId | None, what: str, text: str) -> None:
        """Write a line about an event: when it was, of which broker, what."""
        if self._events is not None:
            name = "-" if who is None else f"b{who}"
            self._events.append(f"{self.now_ms:6d} {name:2} {what:13} {text}")

    def tool(self, *operations: Operation) -> bool:
        """Let an operator's tool make a transaction at once; whether it was done."""
        reply = self.zookeeper.serve(self._tool_session, Multi(operations), TOOL)
        return isinstance(reply, MultiDone)

    def new_topic_id(self) -> str:
        return topic_id_text(SimRandomStream(self.random_stream("ids")).unique_id())

    def next_value(self) -> int:
        """Something to produce that nobody has produced before."""
        return next(self._values)

    # Processes, which `world` has.

    @abstractmethod
    def process_of(self, broker_id: BrokerId) -> SimProcess:
        """The last process of a broker, which may have ended."""

    @abstractmethod
    def last_processes(self) -> Iterable[SimProcess]:
        """The last processes of all brokers."""

    @abstractmethod
    def knows(self, controller_id: int, broker_id: BrokerId) -> bool:
        """Whether the controller on *controller_id* knows the present registration of the other."""

    @abstractmethod
    def start_later(self, broker_id: BrokerId) -> None:
        """Start a broker that has ended, after a while, unless somebody does before."""

    @abstractmethod
    def crash(self, process: SimProcess, *, is_machine: bool) -> None:
        """Kill a process, maybe with its machine; ZooKeeper notices after the session's timeout."""

    @abstractmethod
    def stop(self, process: SimProcess) -> None:
        """End a process in order: it closes its logs, and its session."""

    # ZooKeeper

    def connect(self, process: SimProcess) -> int:
        """A new session for *process*."""
        session = self.zookeeper.connect()
        self._sessions[session] = process
        return session

    def ask(
        self,
        process: SimProcess,
        requests: tuple[ZkRequest, ...],
        author: Author,
        on_replies: Callable[[tuple[ZkReply, ...]], None],
    ) -> None:
        """Carry requests to ZooKeeper and the replies back, both in the order of their session.

        In a session that has ended all replies are lost; the process learns that late, maybe after
        it has begun something new.
        """
        session = process.session
        name = f"zk b{process.broker_id}"

        def arrive() -> None:
            if self.zookeeper.is_live(session):
                replies = self._serve(session, requests, author)
                self._depart(session, lambda: process.deliver(lambda: on_replies(replies)))
            else:
                lost = (Lost(),) * len(requests)
                delay_ms = self.between(1, self._long_ms, name)
                self.after(delay_ms, lambda: process.deliver(lambda: on_replies(lost)))

        arrival_ms = self.now_ms + self.between(1, 5, name)
        if removes_controller(requests) and self.does(
            Fault.LATE_REMOVAL, 0.5, f"b{process.broker_id}"
        ):
            self.tool(Delete(paths.CONTROLLER))
            arrival_ms += self.between(1, self._long_ms, name)
        arrival_ms = max(arrival_ms, self._last_arrival_ms.get(session, 0))
        self._last_arrival_ms[session] = arrival_ms
        self.after(arrival_ms - self.now_ms, arrive)

    def _serve(
        self, session: int, requests: tuple[ZkRequest, ...], author: Author
    ) -> tuple[ZkReply, ...]:
        lost_from = len(requests)
        name = f"b{author.broker_id}"
        if self.does(Fault.LOST_REPLY, 0.1, name):
            lost_from = self.random_stream(name).randrange(len(requests))
        replies: list[ZkReply] = []
        for index, request in enumerate(requests):
            if index < lost_from:
                if isinstance(request, GetChildren) and self.does(Fault.REFUSAL, 0.01, name):
                    replies.append(Refused("not now"))
                else:
                    replies.append(self.zookeeper.serve(session, request, author))
                continue
            if index == lost_from and self.random_stream(name).random() < 0.5:
                self.zookeeper.serve(session, request, author)
            replies.append(Lost())
        return tuple(replies)

    def _depart(self, session: int, action: Callable[[], None]) -> None:
        name = f"zk b{self._sessions[session].broker_id}"
        departure_ms = self.now_ms + self.between(1, 5, name)
        departure_ms = max(departure_ms, self._last_departure_ms.get(session, 0))
        self._last_departure_ms[session] = departure_ms
        self.after(departure_ms - self.now_ms, action)

    def _on_watch(self, session: int, path: str) -> None:
        process = self._sessions[session]
        self._depart(session, lambda: process.deliver(lambda: process.on_watch(path)))

    def _on_commit(self, commit: Commit) -> None:
        self.last_commit_ms = self.now_ms
        if self._events is not None:
            was, is_now = commit.before is not None, commit.after is not None
            word = "zk sets" if was and is_now else "zk makes" if is_now else "zk removes"
            data = commit.after.data if commit.after is not None and commit.after.data else b""
            author = None if commit.author.broker_id < 0 else BrokerId(commit.author.broker_id)
            self.tell(author, word, f"{commit.path} {data.decode()[:SHOWN_MAX]}")
        self.invariants.on_commit(commit)
        if commit.path.endswith("/state") and commit.after is not None:
            isr = () if commit.before is None else decode_state(commit.before).isr
            partition = partition_of_state(commit.path)
            topic_id = self.invariants.topic_id(partition.topic)
            is_known = partial(self._is_known, commit.author)
            self.history.on_isr(Incarnation(topic_id, partition), isr, is_known)

    def _is_known(self, author: Author, broker_id: BrokerId) -> bool:
        """Whether the process of a broker that *author* knows still runs.

        It may have ended with its session there yet, or have begun the next and not registered.
        """
        process = self.process_of(broker_id)
        is_known = author.role != "controller" or self.knows(author.broker_id, broker_id)
        return process.is_up and process.is_registered and is_known

    # Network

    def hold(self, way: str, for_ms: int) -> None:
        """Let what goes a *way* from now on arrive when that time is over, as if it were slow."""
        until_ms = self.now_ms + for_ms
        self._held_until_ms[way] = max(until_ms, self._held_until_ms.get(way, 0))

    def held_ms(self, way: str) -> int:
        """For how long that *way* is held from now on."""
        return max(0, self._held_until_ms.get(way, 0) - self.now_ms)

    def loses_frame(self, way: str) -> bool:
        return self.does(Fault.LOST_FRAME, 0.1, way)


def removes_controller(requests: Iterable[ZkRequest]) -> bool:
    """Whether a controller removes `/controller` by one of *requests*."""
    removal = Delete(paths.CONTROLLER)
    return any(isinstance(one, Multi) and removal in one.operations for one in requests)
