"""A session reads only what is due, and nobody can tell.

Two brokers live through the same history, drawn from a seed.  One of them takes all partitions of a
session for due at all times, as if nothing was known of them; both give the same answers, and know
the same of their followers.
"""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from cluster.api.dispatch import Dispatch
from cluster.broker.ports import ApiSettings
from cluster.broker.replica_manager.delayed_fetch import LOOKS_AT_ONCE_MAX
from cluster.broker.replica_manager.fetch_reading import FetchReader
from cluster.broker.replica_manager.fetch_sessions import EVICTION_MS, FetchSessions, Session, Want
from cluster.broker.replica_manager.partitions import HostedPartition
from cluster.formats.record_batch import whole_batches
from cluster.model.error_codes import ErrorCode
from cluster.model.ids import BrokerId, TopicPartition, ZkVersion
from cluster.replication.isr import PendingIsrChange
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.fetch import FetchPartition
from cluster.wire.messages.topics import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.cluster.api.fetching import BY_NAME, base_offsets, fetch, indexes, part
from tests.cluster.api.orders import OTHER_ID, stop
from tests.cluster.api.test_stop_replica import delete_all
from tests.cluster.api.world import ME, TOPIC_ID, Answer, World, only_part
from tests.cluster.storage.batches import batch
from tests.support.examples import example_count
from tests.support.seeds import seeds

SEEDS = example_count(40)
STEPS = 150
PARTITIONS = 4
FOLLOWERS = (2, 3)
IDS = (TOPIC_ID, OTHER_ID)
YEARS_MS = 10**12


class AllDue(set[Want]):
    """Lets go of nothing but what its session has forgotten."""

    def __init__(self, session: Session) -> None:
        super().__init__(session.parts.values())
        self._session = session

    def discard(self, want: object) -> None:
        if want not in self._session.parts.values():
            super().discard(want)


class FullSessions(FetchSessions):
    """Sessions of which each fetch reads everything."""

    __slots__ = ()

    def begin(self, *args: Any, **options: Any) -> Session | None:
        session = super().begin(*args, **options)
        if session is not None:
            session.due = AllDue(session)
        return session


class Proposals:
    """The ISR changes that leaders have proposed; in the place of `Broker.isr_changes`."""

    def __init__(self, world: World) -> None:
        self.made: list[tuple[HostedPartition, PendingIsrChange]] = []
        broker: Any = world.broker
        broker.isr_changes = self
        world.dispatch = Dispatch(broker)

    def propose(self, hosted: HostedPartition, change: PendingIsrChange) -> None:
        self.made.append((hosted, change))


class Client:
    """A consumer or a follower, with one fetch at a time; it knows what it was told."""

    def __init__(self, random: Random, replica_id: int) -> None:
        self._random = random
        self.replica_id = replica_id
        self.version = random.choice((BY_NAME, 17))
        self.isolation = random.choice((0, 1)) if replica_id < 0 else 0
        self.session = (0, 0)
        self.topic_id = TOPIC_ID
        self.offsets: dict[int, int] = {}
        self.epochs: dict[int, int] = {}
        self.changed: set[int] = set()
        self.forgotten: set[int] = set()
        for index in range(PARTITIONS):
            self.change(index)

    def begin(self, topic_id: bytes) -> None:
        """Begin anew; the session of before is named, or left to itself."""
        session_id = self._random.choice((self.session[0], 0))
        self.session = (session_id, self._random.choice((0, 0, 0, -1)))
        self.topic_id = self._random.choice((*8 * (topic_id,), *IDS))
        self.changed = set(self.offsets)
        self.forgotten = set()

    def change(self, index: int) -> None:
        """Take a partition, let go of one, or go on somewhere else in it."""
        if index in self.offsets and self._random.random() < 0.2:
            del self.offsets[index]
            self.changed.discard(index)
            self.forgotten.add(index)
            return
        self.offsets[index] = self._random.choice((*9 * (0, 0, 1), 10**6))
        self.epochs[index] = self._random.choice((*18 * (-1,), 0, 1))
        self.changed.add(index)

    def send(self, worlds: list[World]) -> list[Answer]:
        random = self._random
        if not self.offsets:
            self.change(0)
        named = self.changed if self.session[1] > 0 else set(self.offsets)
        parts = [
            part(
                self.offsets[index],
                index,
                size_max=random.choice((1, 100, 300, 1 << 20)),
                leader_epoch=self.epochs[index],
            )
            for index in sorted(named)
        ]
        said: dict[str, Any] = {
            "session": self.session,
            "version": self.version,
            "topic_id": self.topic_id,
            "forgotten": tuple(self.forgotten) if self.session[1] > 0 else (),
            "replica_id": self.replica_id,
            "isolation": self.isolation,
            "min_bytes": random.choice((1, 1, 1, 200)),
            "max_wait_ms": random.choice((0, 20, 50, 50)),
            "max_bytes": random.choice((1, 150, 1 << 20, 1 << 20)),
        }
        self.changed, self.forgotten = set(), set()
        return [fetch(world, *parts, **said) for world in worlds]

    def take(self, body: Any, start_of: Callable[[int], int]) -> None:
        if body.error_code != ErrorCode.NONE or body.session_id == 0:
            self.session = (0, 0)
        else:
            self.session = (body.session_id, max(self.session[1], 0) + 1)
        for topic in body.responses:
            for data in topic.partitions:
                if data.error_code != ErrorCode.NONE and data.partition_index in self.offsets:
                    self.offsets[data.partition_index] = start_of(data.partition_index)
                    self.epochs[data.partition_index] = -1
                    self.changed.add(data.partition_index)
                ends = [
                    placed.header.next_offset
                    for placed in whole_batches(bytes(data.records or b""))
                ]
                # Now and then what came is not taken.
                if ends and data.partition_index in self.offsets and self._random.random() < 0.9:
                    self.offsets[data.partition_index] = ends[-1]
                    self.changed.add(data.partition_index)


class History:
    """What happens to two brokers, which differ in their sessions alone."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        settings = ApiSettings(fetch_sessions_max=4)
        self.worlds = [World(settings), World(settings)]
        sessions = self.worlds[1].broker.fetch_sessions
        self.worlds[1].broker.fetch_sessions = FullSessions(4, sessions._next_id)
        self.proposals = [Proposals(world) for world in self.worlds]
        for world in self.worlds:
            world.tell_all({}, brokers=(0, ME, *FOLLOWERS))
        self.topic_id = TOPIC_ID
        self.leader_epochs = dict.fromkeys(range(PARTITIONS), 0)
        self.clients = [Client(self.random, one) for one in (-1, -1, *FOLLOWERS)]
        self.waiting: dict[int, list[Answer]] = {}
        for index in range(PARTITIONS):
            self.lead(index)

    def run(self) -> None:
        steps: list[Callable[[], None]] = [
            *40 * [self.fetch],
            *15 * [self.produce],
            *8 * [self.advance],
            self.change_client,
            self.begin_anew,
            self.give_up,
            self.lead_again,
            self.follow,
            self.decide_on_proposals,
            self.delete_records,
            self.apply_retention,
            self.change_min_isr,
            self.delete,
            self.hear_of_ids,
            self.rest,
        ]
        for _ in range(STEPS):
            self.random.choice(steps)()
            self.compare()

    def both(self, act: Callable[[World], Any]) -> None:
        for world in self.worlds:
            act(world)

    def index(self) -> int:
        return self.random.randrange(PARTITIONS)

    def compare(self) -> None:
        for number, answers in tuple(self.waiting.items()):
            assert answers[0].body == answers[1].body
            if not answers[0].is_waiting:
                del self.waiting[number]
                self.clients[number].take(answers[0].body, self.start_of)
        assert self.known(0) == self.known(1)

    def start_of(self, index: int) -> int:
        """Where a client goes on whose offset is out of range."""
        hosted = self.worlds[0].broker.partitions.find_index("orders", index)
        return 0 if hosted is None else hosted.log.log_start_offset

    def known(self, number: int) -> list[object]:
        """All that a broker knows of its partitions, and of their followers."""
        world = self.worlds[number]
        now_ms = world.clock.now_ms()
        hosted = list(world.broker.partitions)
        return [
            *((one.partition, one.replica.high_watermark, one.replica.state) for one in hosted),
            *(
                (one.partition, follower.broker_id, follower.log_end_offset)
                for one in hosted
                for follower in one.replica.followers
            ),
            *(
                [follower.broker_id for follower in one.replica.lagging(now_ms + ahead_ms)]
                for one in hosted
                for ahead_ms in (29_900, 29_950, 30_000)
            ),
            [(one.partition, change) for one, change in self.proposals[number].made],
            world.clock.timers,
        ]

    # What clients do.

    def fetch(self) -> None:
        number = self.random.randrange(len(self.clients))
        if number not in self.waiting:
            self.waiting[number] = self.clients[number].send(self.worlds)

    def change_client(self) -> None:
        self.random.choice(self.clients).change(self.index())

    def begin_anew(self) -> None:
        number = self.random.randrange(len(self.clients))
        if number not in self.waiting:
            self.clients[number].begin(self.topic_id)

    def give_up(self) -> None:
        """A connection ends, and its client begins anew."""
        number = self.random.randrange(len(self.clients))
        for answer in self.waiting.pop(number, ()):
            assert answer.cancel is not None
            answer.cancel()
            self.clients[number].session = (0, 0)

    def produce(self) -> None:
        index, acks, count = self.index(), self.random.choice((1, 1, -1)), self.random.randint(1, 3)
        self.both(lambda world: world.produce(batch(count), index=index, acks=acks))

    def delete_records(self) -> None:
        partition, offset = TopicPartition("orders", self.index()), self.random.randrange(20)

        def delete(world: World) -> None:
            hosted = world.broker.partitions.find(partition)
            if hosted is not None and offset <= hosted.replica.high_watermark:
                hosted.log.delete_records_before(offset, hosted.replica.high_watermark)
                hosted.replica.log_start_moved()

        self.both(delete)

    # What the broker does by itself, and the controller tells it.

    def advance(self) -> None:
        by_ms = self.random.choice((1, 5, 20, 60))
        self.both(lambda world: world.clock.advance(by_ms))

    def rest(self) -> None:
        if self.random.random() < 0.1:
            self.both(lambda world: world.clock.advance(EVICTION_MS))

    def apply_retention(self) -> None:
        def apply(world: World) -> None:
            now_ms, wall_ms = world.clock.now_ms(), world.clock.wall_ms() + YEARS_MS
            partitions = world.broker.partitions
            dropped = world.logs.delete_old_segments(now_ms, wall_ms, partitions.high_watermark)
            world.broker.partitions.log_starts_moved(dropped)

        if self.random.random() < 0.3:
            self.both(apply)

    def lead(self, index: int, isr: tuple[int, ...] = (ME, *FOLLOWERS)) -> None:
        epoch, topic_id = self.leader_epochs[index], self.topic_id

        def order(world: World) -> None:
            replicas = (ME, *FOLLOWERS)
            world.tell_all({"orders": {index: replicas}}, ids={"orders": topic_id})
            world.order(
                "orders",
                index,
                leader_epoch=epoch,
                replicas=replicas,
                isr=isr,
                topic_id=topic_id,
            )

        self.both(order)

    def lead_again(self) -> None:
        index = self.index()
        self.leader_epochs[index] += 1
        self.lead(index, self.random.choice(((ME,), (ME, 2), (ME, *FOLLOWERS))))

    def follow(self) -> None:
        """Another broker leads, in most cases for a moment."""
        index, topic_id = self.index(), self.topic_id
        self.leader_epochs[index] += 1
        epoch = self.leader_epochs[index]
        self.both(
            lambda world: world.order(
                "orders",
                index,
                leader=2,
                leader_epoch=epoch,
                replicas=(ME, *FOLLOWERS),
                topic_id=topic_id,
            )
        )
        self.compare()
        if self.random.random() < 0.8:
            self.leader_epochs[index] += 1
            self.lead(index)

    def decide_on_proposals(self) -> None:
        is_accepted = self.random.random() < 0.8
        for world, proposals in zip(self.worlds, self.proposals, strict=True):
            now_ms = world.clock.now_ms()
            for hosted, change in proposals.made:
                before = change.before
                version = ZkVersion(before.zk_version + 1)
                state = before._replace(isr=change.isr, zk_version=version)
                if is_accepted:
                    hosted.replica.accepted(change, state, now_ms)
                else:
                    hosted.replica.refused(change, ErrorCode.INELIGIBLE_REPLICA)
            proposals.made.clear()

    def change_min_isr(self) -> None:
        count = self.random.choice((1, 2, 3))
        overrides = {"min.insync.replicas": str(count)}
        self.both(lambda world: world.broker.role_changer.change_topic_configs("orders", overrides))

    def delete(self) -> None:
        """The topic is deleted, and comes again under another id, or not yet."""
        if self.random.random() < 0.5:
            return

        def delete(world: World) -> None:
            world.tell_all(
                {"orders": dict.fromkeys(range(PARTITIONS), (ME, *FOLLOWERS))},
                leaders={("orders", index): -2 for index in range(PARTITIONS)},
            )
            delete_all(world, PARTITIONS)

        self.both(delete)
        self.topic_id = IDS[1 - IDS.index(self.topic_id)]
        self.compare()
        for index in range(self.random.choice((2, *4 * (PARTITIONS,)))):
            self.lead(index)
        for client in self.clients:
            client.topic_id = self.topic_id

    def hear_of_ids(self) -> None:
        """The broker is told another id, by metadata alone."""

        def tell(topic_id: bytes) -> None:
            self.both(
                lambda world: world.tell_all({"orders": {0: (ME,)}}, ids={"orders": topic_id})
            )
            for _ in range(3):
                self.fetch()
                self.compare()

        tell(IDS[1 - IDS.index(self.topic_id)])
        tell(self.topic_id)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(SEEDS))
def test_answers_are_those_of_who_reads_everything(seed: int) -> None:
    history = History(seed)

    history.run()

    for world in history.worlds:
        world.end_connections()
        world.end_sessions()
        assert 0 == world.watcher_count


def test_a_follower_that_goes_back_had_kept_up_until_then() -> None:
    """Its last fetches had everything, and named nothing."""
    History(14335006).run()


# How much is read.


class Reads:
    """The partitions that are read, in their order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.indexes: list[int] = []
        read_one = FetchReader.read_one

        def noted(reader: Any, want: Want, *args: Any, **options: Any) -> Any:
            self.indexes.append(want.part.partition)
            return read_one(reader, want, *args, **options)

        monkeypatch.setattr(FetchReader, "read_one", noted)

    def take(self) -> list[int]:
        taken, self.indexes = self.indexes, []
        return taken


@pytest.mark.slow
@pytest.mark.parametrize("replica_id", [-1, 2])
def test_what_happens_to_many_partitions_in_a_turn_is_looked_at_together(
    world: World, reads: Reads, replica_id: int
) -> None:
    count = 10 * LOOKS_AT_ONCE_MAX
    world.lead(partitions=count, replicas=(1, 2), isr=(1, 2))
    parts = [part(0, index) for index in range(count)]
    session = begun(world, *parts, replica_id=replica_id)
    reads.take()
    answer = session.fetch(max_wait_ms=500)

    for hosted in tuple(world.broker.partitions):
        hosted.replica.recount(world.clock.now_ms())
    assert len(reads.take()) <= LOOKS_AT_ONCE_MAX**2
    world.clock.advance(0)
    assert list(range(count)) == sorted(reads.take())
    assert answer.is_waiting
    for hosted in tuple(world.broker.partitions):
        hosted.log.health.fail(OSError())
        hosted.replica.go_offline()
    assert answer.is_waiting
    world.clock.advance(0)
    assert list(range(count)) == sorted(indexes(answer.body))


def test_a_look_that_is_due_ends_with_its_fetch(world: World, reads: Reads) -> None:
    count = 2 * LOOKS_AT_ONCE_MAX
    world.lead(partitions=count, replicas=(1, 2), isr=(1, 2))
    session = begun(world, *(part(0, index) for index in range(count)), replica_id=2)
    answer = session.fetch(max_wait_ms=500)
    for hosted in tuple(world.broker.partitions):
        hosted.replica.recount(world.clock.now_ms())

    assert answer.cancel is not None
    answer.cancel()
    reads.take()
    world.clock.advance(0)
    assert [] == reads.take()


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def begun(world: World, *parts: FetchPartition, **said: Any) -> "Following":
    opened = fetch(world, *parts, session=(0, 0), **said).body
    following = Following(world, opened.session_id, said)
    # What was told once is looked at once more: the client may not have taken it.
    assert [] == indexes(following.fetch().body)
    return following


class Following:
    """A session after its first fetches."""

    def __init__(self, world: World, session_id: int, said: dict[str, Any]) -> None:
        self._world = world
        self._session_id = session_id
        self._said = said
        self._epoch = 0

    def fetch(self, *parts: FetchPartition, **said: Any) -> Answer:
        self._epoch += 1
        session = (self._session_id, self._epoch)
        return fetch(self._world, *parts, session=session, **self._said, **said)


@pytest.mark.parametrize("replica_id", [-1, 2])
def test_a_quiet_session_reads_nothing(world: World, reads: Reads, replica_id: int) -> None:
    world.lead(partitions=3, replicas=(1, 2))
    session = begun(world, *(part(0, index) for index in range(3)), replica_id=replica_id)
    reads.take()

    for _ in range(3):
        answer = session.fetch(max_wait_ms=500)
        world.clock.advance(500)
        assert [] == indexes(answer.body)

    assert [] == reads.take()


@pytest.mark.parametrize("replica_id", [-1, 2])
def test_what_is_appended_is_read_alone(world: World, reads: Reads, replica_id: int) -> None:
    world.lead(partitions=3, replicas=(1, 2), isr=(1, 2))
    parts = [part(0, index) for index in range(3)]
    follower = begun(world, *parts, replica_id=2)
    session = begun(world, *parts, replica_id=-1) if replica_id < 0 else follower
    reads.take()

    answer = session.fetch(max_wait_ms=500)
    world.produce(index=1, acks=1)
    if replica_id < 0:
        assert answer.is_waiting
        assert [1] == indexes(follower.fetch().body)
        follower.fetch(part(1, 1))
        reads.indexes = reads.indexes[-1:]
    assert [1] == indexes(answer.body)
    assert [1] == reads.take()
    assert [] == indexes(session.fetch(part(1, 1)).body)
    assert [1] == reads.take()
    # By its fetch more may be committed, which it is told next, and that is looked at once more.
    for _ in range(2):
        session.fetch()
    reads.take()
    session.fetch()
    assert [] == reads.take()


def test_a_follower_hears_of_the_high_watermark_when_its_time_is_up(world: World) -> None:
    world.lead(partitions=2, replicas=(1, 2, 3), isr=(1, 2, 3))
    others = [begun(world, part(0, 0), part(0, 1), replica_id=one) for one in (2, 3)]
    world.produce(index=1, acks=1)
    for other in others:
        assert [1] == indexes(other.fetch().body)

    waiting = others[0].fetch(part(1, 1), max_wait_ms=500)
    others[1].fetch(part(1, 1))
    assert waiting.is_waiting
    world.clock.advance(500)

    assert (1, 1) == (only_part(waiting).partition_index, only_part(waiting).high_watermark)


@pytest.mark.parametrize("by_retention", [True, False])
def test_where_a_log_starts_is_told(world: World, by_retention: bool) -> None:
    world.lead(partitions=2)
    world.produced(batch(3), index=1)
    session = begun(world, part(0, 0), part(3, 1))
    answer = session.fetch(max_wait_ms=500)
    ((partition, log),) = (
        one for one in world.logs.directories[0].logs.items() if one[0].partition == 1
    )

    if by_retention:
        now_ms, wall_ms = world.clock.now_ms(), world.clock.wall_ms() + YEARS_MS
        partitions = world.broker.partitions
        dropped = world.logs.delete_old_segments(now_ms, wall_ms, partitions.high_watermark)
        assert {partition: 1} == dropped
        world.broker.partitions.log_starts_moved(dropped)
    else:
        deleted = DeleteRecordsTopic("orders", [DeleteRecordsPartition(1, 3)])
        world.ask_now(ApiKey.DELETE_RECORDS, DeleteRecordsRequest([deleted], timeout_ms=0))

    assert answer.is_waiting
    world.clock.advance(500)
    assert (1, 3) == (only_part(answer).partition_index, only_part(answer).log_start_offset)
    assert 3 == log.log_start_offset


def test_what_there_was_no_room_for_is_read_next_time(world: World) -> None:
    world.lead(partitions=3)
    session = begun(world, *(part(0, index) for index in range(3)))
    for index in range(3):
        world.produced(index=index)

    first = session.fetch(max_bytes=1).body
    second = session.fetch(part(1, 0), max_bytes=1).body
    third = session.fetch(part(1, 1), max_bytes=1).body

    with_records = [
        [data.partition_index for data in body.responses[0].partitions if data.records]
        for body in (first, second, third)
    ]
    assert [[0], [1], [2]] == with_records


def test_appends_to_what_is_due_already_are_not_heard(world: World) -> None:
    """A consumer that lags costs producers nothing."""
    world.lead()
    session = begun(world, part(0))
    assert 1 == world.watcher_count

    world.produced()
    assert 0 == world.watcher_count
    world.produced()

    assert [0, 1] == base_offsets(only_part(session.fetch()))
    assert 0 == world.watcher_count


def test_a_follower_that_is_not_in_the_isr_is_looked_at_each_time(world: World) -> None:
    """It joins by a fetch, and may be refused before."""
    world.lead(replicas=(1, 2), isr=(1,))
    proposals = Proposals(world)

    session = begun(world, part(0), replica_id=2)
    ((hosted, change),) = proposals.made
    hosted.replica.refused(change, ErrorCode.INELIGIBLE_REPLICA)
    session.fetch()

    assert 2 == len(proposals.made)


def test_a_follower_that_has_everything_keeps_up_without_naming_it(world: World) -> None:
    """Its fetches say that it is there: when the next record comes, it does not lag at once."""
    world.lead(partitions=2, replicas=(1, 2), isr=(1, 2))
    session = begun(world, part(0, 0), part(0, 1), replica_id=2)
    for _ in range(100):
        session.fetch(max_wait_ms=500)
        world.clock.advance(500)

    world.produce(index=1, acks=1)

    replica = world.broker.partitions.find_index("orders", 1).replica  # type: ignore[union-attr]
    lag_max_ms = world.broker.ports.settings.lag_max_ms
    assert () == replica.lagging(world.clock.now_ms() + lag_max_ms - 500)
    assert [2] == [one.broker_id for one in replica.lagging(world.clock.now_ms() + lag_max_ms)]


def test_an_id_that_is_forgotten_is_unknown_until_it_comes_again(world: World) -> None:
    world.lead()
    session = begun(world, part(0))

    world.tell_all({"orders": {0: (ME,)}}, ids={"orders": OTHER_ID})
    stop(world)
    forgotten = session.fetch()
    world.lead()
    known = session.fetch()

    assert ErrorCode.UNKNOWN_TOPIC_ID == only_part(forgotten).error_code
    assert ErrorCode.NONE == only_part(known).error_code


# The end of sessions.


def test_a_fetch_whose_session_is_evicted_is_answered() -> None:
    world = World(ApiSettings(fetch_sessions_max=1))
    world.lead()
    answer = begun(world, part(0)).fetch(max_wait_ms=10 * EVICTION_MS)
    world.clock.advance(EVICTION_MS)
    assert answer.is_waiting

    other = fetch(world, part(0), session=(0, 0)).body

    assert [] == indexes(answer.body)
    assert 0 < other.session_id != answer.body.session_id
    assert 0 == world.watcher_count


def test_a_fetch_that_its_client_has_given_up_is_answered_when_the_next_one_comes(
    world: World,
) -> None:
    world.lead(partitions=2)
    session = begun(world, part(0, 0), part(0, 1))
    first = session.fetch(max_wait_ms=500)

    second = session.fetch(max_wait_ms=500)
    assert [] == indexes(first.body)
    world.produced(index=1)

    assert [1] == indexes(second.body)
    assert 0 == world.clock.timers


def test_a_session_may_change_hands(world: World, reads: Reads) -> None:
    """Nobody does so; but whatever is asked is answered."""
    world.lead(replicas=(1, 2), isr=(1, 2))
    opened = fetch(world, part(0), session=(0, 0)).body
    fetch(world, session=(opened.session_id, 1))
    world.produce(acks=1)
    reads.take()

    assert [] == indexes(fetch(world, session=(opened.session_id, 2)).body)
    assert [0] == indexes(fetch(world, session=(opened.session_id, 3), replica_id=2).body)
    assert BrokerId(2) in world.broker.partitions.find_index("orders", 0).replica.state.isr  # type: ignore[union-attr]
    assert [0] == reads.take()


def test_reads_of_a_wait_are_of_what_is_due(world: World, reads: Reads) -> None:
    world.lead(partitions=3)
    size = len(batch(1))
    session = begun(world, *(part(0, index) for index in range(3)))
    reads.take()
    answer = session.fetch(max_wait_ms=500, min_bytes=3 * size)

    world.produced(index=2)
    world.produced(index=0)
    assert answer.is_waiting
    assert [] == reads.take()
    world.produced(index=2)

    assert [0, 2] == reads.take()
    assert [0, 2] == indexes(answer.body)
