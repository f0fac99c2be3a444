"""Groups that commit offsets while faults come, and what they have been promised.

An offset whose commit was answered is the group's for ever, or a later one is: by whoever asks
afterwards, and by the member that a partition is given to next, which reads on from there and skips
nothing.
"""

import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from confluent_kafka import Consumer, KafkaException, TopicPartition

from tests.faults.moves import PARTITIONS, TOPIC
from tests.support.waiting import OUTER_LIMIT_S

COMMITTERS: Final = 6
"""Groups of one consumer each, which commits without reading."""
MEMBERS: Final = 3
"""Members of the group that shares the topic."""
SHARING: Final = "sharing"
STAYS_S: Final = 12
"""After so long a member leaves and joins anew."""
PAUSE_S: Final = 0.05
POLL_S: Final = 0.2
BATCH: Final = 100
CLOSES_S: Final = 30
"""For so long each consumer is waited for at the end: librdkafka may never close, as the referee
says of its reader."""
LIBRARY: Final[dict[str, Any]] = {
    "log_level": 0,
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "session.timeout.ms": 6000,
    "socket.timeout.ms": 5000,
    "reconnect.backoff.max.ms": 1000,
}


class Commits:
    """What was answered to the commits of a group, by partition."""

    def __init__(self) -> None:
        self.answered: dict[int, int] = {}
        """The highest offset whose commit was answered."""
        self.count = 0
        self.last_s = 0.0
        """When the last answer came, by the steady clock."""
        self._lock = threading.Lock()

    def note(self, committed: Sequence[TopicPartition] | None) -> None:
        with self._lock:
            for one in committed or ():
                # Of a partition of which nothing was read yet there is nothing to commit.
                if one.error is None and one.offset >= 0:
                    self.answered[one.partition] = max(
                        self.answered.get(one.partition, 0), one.offset
                    )
                    self.count += 1
                    self.last_s = time.monotonic()


class Committer:
    """A group that commits rising offsets of one partition, and asks for them now and then."""

    def __init__(self, bootstrap: str, number: int) -> None:
        self.group = f"committer {number}"
        self.commits = Commits()
        self.wrong: list[str] = []
        self._tried = 0
        self._partition = number % PARTITIONS
        self._library = Consumer({"bootstrap.servers": bootstrap, "group.id": self.group} | LIBRARY)

    def run(self, is_over: threading.Event) -> None:
        while not is_over.wait(PAUSE_S):
            self._tried += 1
            offset = TopicPartition(TOPIC, self._partition, self._tried)
            with suppress(KafkaException):
                self.commits.note(self._library.commit(offsets=[offset], asynchronous=False))
            if self._tried % BATCH == 0:
                self._look()
        self._library.close()

    def _look(self) -> None:
        answered = self.commits.answered.get(self._partition, 0)
        asked = [TopicPartition(TOPIC, self._partition)]
        with suppress(KafkaException):
            (found,) = self._library.committed(asked, timeout=OUTER_LIMIT_S)
            if found.error is None and not answered <= max(found.offset, 0) <= self._tried:
                self.wrong.append(
                    f"{self.group}: {found.offset} is committed after {answered} was answered and"
                    f" {self._tried} sent"
                )


class Member:
    """One of those that share the topic, read it and commit what they have read."""

    def __init__(self, bootstrap: str, commits: Commits, read: Mapping[int, set[int]]) -> None:
        self.wrong: list[str] = []
        self._bootstrap = bootstrap
        self._commits = commits
        self._read = read
        self._floors: dict[int, int] = {}
        """Of partitions of which nothing was read yet: what was committed when they were given."""

    def run(self, is_over: threading.Event) -> None:
        while not is_over.is_set():
            self._stay(is_over)

    def _stay(self, is_over: threading.Event) -> None:
        library = Consumer({"bootstrap.servers": self._bootstrap, "group.id": SHARING} | LIBRARY)
        library.subscribe([TOPIC], on_assign=self._begin)
        leaves_s = time.monotonic() + STAYS_S
        while time.monotonic() < leaves_s and not is_over.is_set():
            messages = [one for one in library.consume(BATCH, POLL_S) if one.error() is None]
            if not messages:
                continue
            for message in messages:
                self._note(message)
            # Not of a generation that is over: then another has what was read.
            with suppress(KafkaException):
                self._commits.note(library.commit(asynchronous=False))
        library.close()

    def _begin(self, library: Consumer, partitions: Sequence[TopicPartition]) -> None:
        answered = self._commits.answered
        self._floors = {one.partition: answered.get(one.partition, 0) for one in partitions}

    def _note(self, message: Any) -> None:
        index, offset = message.partition(), message.offset()
        floor = self._floors.pop(index, None)
        if floor is not None and offset < floor:
            self.wrong.append(
                f"{SHARING}: a member began at {offset} of partition {index}, of which {floor} was"
                " committed"
            )
        self._read[index].add(offset)


class Groups:
    """All groups of a trial."""

    def __init__(self, bootstrap: str) -> None:
        self._bootstrap = bootstrap
        self._is_over = threading.Event()
        self._commits = Commits()
        self._read: dict[int, set[int]] = defaultdict(set)
        self._committers = [Committer(bootstrap, number) for number in range(COMMITTERS)]
        members = [Member(bootstrap, self._commits, self._read) for _ in range(MEMBERS)]
        self._consumers: list[Committer | Member] = [*self._committers, *members]
        self._threads = [
            threading.Thread(target=one.run, args=[self._is_over], daemon=True)
            for one in self._consumers
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        self._is_over.set()
        for thread in self._threads:
            thread.join(CLOSES_S)

    @property
    def count(self) -> int:
        """How many commits were answered."""
        return sum(one.count for one in self._all().values())

    def behind(self, moment_s: float) -> list[str]:
        """The groups none of whose commits was answered since then."""
        return [group for group, one in self._all().items() if one.last_s <= moment_s]

    def _all(self) -> dict[str, Commits]:
        return {SHARING: self._commits} | {one.group: one.commits for one in self._committers}

    def problems(self) -> list[str]:
        """What is wrong, once everything is over and the cluster is whole."""
        wrong = [text for one in self._consumers for text in one.wrong]
        for group, commits in self._all().items():
            wrong += self._lost(group, commits)
        for index, offsets in self._read.items():
            skipped = set(range(self._commits.answered.get(index, 0))) - offsets
            if skipped:
                wrong.append(
                    f"{SHARING}: {len(skipped)} records of partition {index} were committed and"
                    f" read by no member, the first at {min(skipped)}"
                )
        return wrong

    def _lost(self, group: str, commits: Commits) -> list[str]:
        library = Consumer({"bootstrap.servers": self._bootstrap, "group.id": group} | LIBRARY)
        asked = [TopicPartition(TOPIC, index) for index in commits.answered]
        try:
            found = library.committed(asked, timeout=OUTER_LIMIT_S)
        finally:
            library.close()
        return [
            f"{group}: {one.offset} of partition {one.partition} is committed after"
            f" {commits.answered[one.partition]} was answered ({one.error})"
            for one in found
            if one.error is not None or one.offset < commits.answered[one.partition]
        ]
