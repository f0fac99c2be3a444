"""Membership in the cluster: the registration, its epoch, and notifications of changes.

Registers with the first session and with each later one, and lends the session to other parts in
between.  Knows neither requests nor logs.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Final, Protocol, TypeVar

from kazoo.exceptions import SessionExpiredError

from cluster.model.broker import BrokerRegistration, Endpoint
from cluster.model.ids import UNKNOWN_BROKER_EPOCH, BrokerId, TopicPartition
from cluster.runtime.environment import LoopClock
from cluster.runtime.errors import BrokerFailure, ZooKeeperRefuses, ZooKeeperUnreachable
from cluster.runtime.zookeeper.registration import register, registration
from cluster.runtime.zookeeper.registration_watch import RegistrationWatch
from cluster.runtime.zookeeper.session import Session, SessionKeeper
from cluster.zk.steps import Refusal

PATIENCE_FACTOR: Final = 2
"""How many session timeouts to wait for the registration of an earlier run to expire."""

T = TypeVar("T")

logger: Final = logging.getLogger(__name__)


class Member(Protocol):
    """A part that uses ZooKeeper while this broker is registered."""

    def joined(self, session: Session) -> None:
        """The broker is registered in *session*, and may write in it."""
        ...

    def left(self) -> None:
        """The session has expired, and with it the registration."""
        ...

    def connection_changed(self, *, is_connected: bool) -> None:
        """Within a session: watches are gone when the connection comes back."""
        ...


class Membership:
    """The registration of one broker, from its first session on."""

    def __init__(
        self,
        connect: str,
        session_timeout_ms: int,
        note_latency: Callable[[int], None] | None = None,
    ) -> None:
        """*note_latency* receives of each request how many milliseconds its answer took."""
        self._loop = asyncio.get_running_loop()
        self._connect = connect
        self._session_timeout_ms = session_timeout_ms
        self._keeper = SessionKeeper(self._loop, connect, session_timeout_ms, self, note_latency)
        self._session: asyncio.Future[Session] = self._loop.create_future()
        """The present session, or the next one."""
        self._members: list[Member] = []
        self._watch: RegistrationWatch | None = None
        self._refused: Mapping[TopicPartition, str] = {}
        self._joined_ms = 0
        """The wall time of the latest registration."""
        self._endpoints: tuple[Endpoint, ...] = ()
        self._rack: str | None = None
        self._own_sessions: set[int] = set()
        self._note: Callable[[Collection[int]], None] | None = None
        self._joining: asyncio.Task[None] | None = None
        self._has_joined = False
        self._is_leaving = False
        self.failed: asyncio.Future[None] = self._loop.create_future()
        """Raises the failure that prevents another registration."""
        self.is_registered = False
        self.connect_count = self.disconnect_count = self.expire_count = 0
        """How often ZooKeeper was connected to and lost, and how often a session expired."""
        self.is_connected = False
        """Whether ZooKeeper answers; without a connection a session may still last."""
        self.broker_id = BrokerId(-1)
        self.broker_epoch = UNKNOWN_BROKER_EPOCH
        """Of the latest registration; while there is none, of the last one."""
        self.incarnation = 0
        """The number of this start of the broker, which its log directories know."""
        self.intact_since = UNKNOWN_BROKER_EPOCH
        """The earliest registration since which the logs have lost nothing; see
        `BrokerRegistration`.  Unknown until a controller has taken a loss into account."""
        self.flushed_since = UNKNOWN_BROKER_EPOCH
        """The same of what was flushed."""
        self._registered_since = (UNKNOWN_BROKER_EPOCH, UNKNOWN_BROKER_EPOCH)
        """Both as they are registered: what is lost since then counts from the next registration
        on."""
        self._lost_epoch: int | None = None
        """The broker epoch in which something was lost last, if anything was."""
        self._ordered_epoch: int = UNKNOWN_BROKER_EPOCH
        """The newest broker epoch for which a controller has sent an order."""
        self.cluster_id = ""

    @property
    def was_registered(self) -> bool:
        """Whether this broker has ever been registered: if not, it never led anything."""
        return self.broker_epoch != UNKNOWN_BROKER_EPOCH

    # Events of ZooKeeper.

    def session_began(self, session: Session) -> None:
        self.is_connected = True
        self.connect_count += 1
        self._session.set_result(session)
        if self._has_joined and not self._is_leaving:
            logger.info("A new session with ZooKeeper: 0x%x; registering again", session.session_id)
            self._joining = self._loop.create_task(self._rejoin(session))

    def session_ended(self, session: Session) -> None:
        self._session = self._loop.create_future()
        session.ended.set()
        if self._is_leaving:
            return
        self.expire_count += 1
        logger.warning(
            "Session 0x%x with ZooKeeper is over: nothing is written until the broker is"
            " registered again",
            session.session_id,
        )
        self._leave()

    def connection_changed(self, *, is_connected: bool) -> None:
        self.is_connected = is_connected
        if self._is_leaving:
            return
        self.connect_count += is_connected
        self.disconnect_count += not is_connected
        logger.info("The connection to ZooKeeper is %s", "back" if is_connected else "lost")
        if self.is_registered:
            for member in self._members:
                member.connection_changed(is_connected=is_connected)

    # Registration.

    async def connect(self, patience_ms: int) -> None:
        """Connect to ZooKeeper.

        Raises:
            ZooKeeperUnreachable: there is no session within *patience_ms*.
        """
        self._keeper.start()
        try:
            await asyncio.wait_for(asyncio.shield(self._session), patience_ms / 1000)
        except TimeoutError:
            raise ZooKeeperUnreachable(self._connect, patience_ms) from None

    async def in_session(self, work: Callable[[Session], Awaitable[T]]) -> T:
        """The result of *work* in the present session; repeated in the next one, if that expires
        before.

        A broker that starts loses nothing by waiting for ZooKeeper, as a running one does.
        """
        while True:
            session = await asyncio.shield(self._session)
            try:
                return await work(session)
            except SessionExpiredError:
                # An answer may have reported it first.
                await session.ended.wait()

    async def join(
        self,
        endpoints: Sequence[Endpoint],
        rack: str | None,
        *,
        members: Sequence[Member],
        earlier_sessions: Sequence[int],
        note_sessions: Callable[[Collection[int]], None],
    ) -> None:
        """Register, now and with every later session; then call *members*.

        *earlier_sessions* were those of this broker's earlier runs.  *note_sessions* is called with
        all in which the broker may be registered: before anything is written in a new one, which
        may be refused or end, and with that one alone once the broker is registered in it.

        Raises:
            RegistrationRefused: another broker has the id or an address.
        """
        self._endpoints = tuple(endpoints)
        self._rack = rack
        self._watch = RegistrationWatch(self.broker_id)
        self._members = [*members, self._watch]
        self._own_sessions.update(earlier_sessions)
        self._note = note_sessions
        await self.in_session(self._join)
        self._has_joined = True

    def change_endpoints(self, endpoints: Sequence[Endpoint]) -> None:
        """Register *endpoints* as the broker's addresses from now on."""
        self._endpoints = tuple(endpoints)
        self._register_anew()

    def show_refused(self, refused: Mapping[TopicPartition, str]) -> None:
        """Register which partitions are not served, and why, for operators."""
        self._refused = dict(refused)
        self._register_anew()

    def _register_anew(self) -> None:
        if self._watch is not None:
            self._watch.replace(self._registration())

    def note_loss(self) -> None:
        """Note that the logs may have lost something just now."""
        self.intact_since = self.flushed_since = UNKNOWN_BROKER_EPOCH
        self._lost_epoch = self.broker_epoch

    def note_order(self, broker_epoch: int) -> None:
        """Note that a controller knows the registration of *broker_epoch*, and the loss in it."""
        if broker_epoch > self._ordered_epoch:
            self._ordered_epoch = broker_epoch
            self._settle_loss()

    def _settle_loss(self) -> None:
        """Register as intact from now on if the loss that is registered was taken into account.

        Not before: states that are written meanwhile, by a controller that does not know of it, are
        newer than the registration, and another controller would trust them.
        """
        epoch, (since, flushed_since) = self.broker_epoch, self._registered_since
        is_open = not UNKNOWN_BROKER_EPOCH < since <= epoch
        if not is_open or not self.is_registered or self._ordered_epoch != epoch:
            return
        self._registered_since = epoch, flushed_since
        if self._lost_epoch != epoch:
            self.intact_since = epoch
            assert self._note is not None
            self._note(self._own_sessions)
        self._register_anew()

    def _registration(self) -> BrokerRegistration:
        intact_since, flushed_since = self._registered_since
        return registration(
            self.broker_id,
            self._endpoints,
            self._rack,
            self._joined_ms,
            intact_since,
            self._refused,
            flushed_since,
        )

    async def _join(self, session: Session) -> None:
        assert self._note is not None
        self._own_sessions.add(session.session_id)
        self._note(self._own_sessions)
        self._joined_ms = LoopClock(self._loop).wall_ms()
        self._registered_since = self.intact_since, self.flushed_since
        epoch = await register(
            session,
            self._registration(),
            self.incarnation,
            own_sessions=self._own_sessions,
            patience_ms=PATIENCE_FACTOR * self._session_timeout_ms,
        )
        if session.is_over:
            raise SessionExpiredError
        self.broker_epoch = epoch
        if self.intact_since > epoch:
            # Of another ZooKeeper, which counted further.
            self.intact_since = UNKNOWN_BROKER_EPOCH
        self._own_sessions = {session.session_id}
        self._note(self._own_sessions)
        self.is_registered = True
        logger.info(
            "Broker %d is registered with epoch %d by session 0x%x",
            self.broker_id,
            epoch,
            session.session_id,
        )
        for member in self._members:
            member.joined(session)
        self._settle_loss()

    async def _rejoin(self, session: Session) -> None:
        try:
            await self._join(session)
        except SessionExpiredError:
            # The next session will begin, or has begun already.
            return
        except BrokerFailure as error:
            self._fail(error)
        except Refusal as error:
            self._fail(ZooKeeperRefuses(error))

    def _fail(self, failure: BrokerFailure) -> None:
        if not self.failed.done():
            self.failed.set_exception(failure)

    def _leave(self) -> None:
        if self._joining is not None:
            self._joining.cancel()
            self._joining = None
        if self.is_registered:
            self.is_registered = False
            for member in self._members:
                member.left()

    async def leave(self) -> None:
        """Close the session: others learn at once that the broker is gone."""
        self._is_leaving = True
        self._leave()
        if not self.failed.done():
            self.failed.cancel()
        await self._keeper.close()
