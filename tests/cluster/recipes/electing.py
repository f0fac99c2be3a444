"""An election without delays: contenders over a simulated ZooKeeper, each in its own session."""

from collections import deque

from cluster.recipes.attempt import Attempt
from cluster.recipes.contender import Contender
from cluster.recipes.effects import Effect, Send
from cluster.recipes.events import Connected, Event, Join, Replied, WatchFired
from cluster.recipes.fair import FairAttempt
from cluster.recipes.lease import looks_at_clock_after_ms
from cluster.recipes.unfair import UnfairAttempt
from cluster.zk.requests import Lost, Multi, Operation, Refused, ZkReply, ZkRequest
from tests.sim.zookeeper import TOOL, SimZooKeeper

PATH = "/jobs/nightly"
TIMEOUT_MS = 1200


class Election:
    """Serves what contenders send, at once; *now_ms* is moved on by the test."""

    def __init__(self) -> None:
        self.zookeeper = SimZooKeeper(self._on_watch, lambda _: None)
        self.operator = self.zookeeper.connect()
        self.now_ms = 1000
        self.contenders: dict[int, Contending] = {}

    def _on_watch(self, session: int, _path: str) -> None:
        self.contenders[session].events.append(WatchFired())

    def contender(self, *, is_fair: bool = True) -> "Contending":
        session = self.zookeeper.connect()
        made = Contending(self, session, is_fair)
        self.contenders[session] = made
        return made

    def settle(self) -> None:
        """Let all that follows from the past events happen."""
        while any(contender.go_on() for contender in list(self.contenders.values())):
            pass

    def pass_time(self, ms: int) -> None:
        """Let time pass in which all are awake."""
        while ms > 0:
            step_ms = min(ms, looks_at_clock_after_ms(TIMEOUT_MS))
            ms -= step_ms
            self.now_ms += step_ms
            for contender in list(self.contenders.values()):
                contender.on_time()
            self.settle()

    def operate(self, operation: Operation) -> None:
        self.zookeeper.serve(self.operator, Multi((operation,)), TOOL)

    def names(self) -> list[str]:
        return sorted(self.zookeeper.children(PATH))


class Contending:
    """One contender and what became of it."""

    def __init__(self, election: Election, session: int, is_fair: bool) -> None:
        kind = FairAttempt if is_fair else UnfairAttempt
        self._election = election
        self.session = session
        self.attempts = 0

        def new_attempt(session_id: int) -> Attempt:
            self.attempts += 1
            unique_id = f"u{self.session}.{self.attempts}"
            return kind(PATH, unique_id, session_id, str(self.session).encode())

        self.core = Contender(new_attempt)
        self.events: deque[Event] = deque()
        self.effects: list[Effect] = []
        """All but what was sent."""
        self.sent: list[tuple[ZkRequest, ...]] = []
        self.loses = False
        """Whether replies are lost from now on."""
        self.refusal: str | None = None
        self.losses: list[bool | None] = []
        """For each sending whether its replies are lost, and then whether it was carried out."""

    def join(self) -> None:
        self.do(Connected(self.session, TIMEOUT_MS), Join())

    def do(self, *events: Event) -> None:
        """Handle *events*, and let all that follows happen."""
        self.events.extend(events)
        self._election.settle()

    def go_on(self) -> bool:
        if not self.events:
            return False
        self._perform(self.core.step(self.events.popleft(), self._election.now_ms))
        return True

    def on_time(self) -> None:
        deadline_ms = self.core.next_deadline()
        if deadline_ms is not None and deadline_ms <= self._election.now_ms:
            self._perform(self.core.on_deadline(self._election.now_ms))

    def _perform(self, effects: tuple[Effect, ...]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self.sent.append(effect.requests)
                is_done = self.losses.pop(0) if self.losses else None
                replies: tuple[ZkReply, ...] = (Lost(),) * len(effect.requests)
                if is_done is not False:
                    served = tuple(map(self._serve, effect.requests))
                    replies = served if is_done is None else replies
                if not self.loses:
                    self.events.append(Replied(effect.number, replies))
            else:
                self.effects.append(effect)

    def _serve(self, request: ZkRequest) -> ZkReply:
        if self.refusal is not None:
            return Refused(self.refusal)
        if not self._election.zookeeper.is_live(self.session):
            return Lost()
        return self._election.zookeeper.serve(self.session, request, TOOL)

    @property
    def leads(self) -> bool:
        return self.core.is_leading(self._election.now_ms)
