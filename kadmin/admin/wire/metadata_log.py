"""A copy of the metadata log of a KRaft quorum, fetched from its active controller.

Controllers serve it to their observers; a reader without a node id is none, and changes nothing at
the quorum.  What is in it is left to others: the copy is a directory as a controller has it.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from kafka.errors import (
    FencedLeaderEpochError,
    KafkaError,
    NotLeaderForPartitionError,
    UnknownLeaderEpochError,
    UnknownTopicIdError,
    for_code,
)
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer import FetchRequest

from cluster.formats.record_batch import HEADER_SIZE, parse_header
from cluster.model.address import host_and_port
from kadmin.admin.wire.bounded_client import client_within
from kadmin.admin.wire.connection import plain
from kadmin.admin.wire.opening import (
    HANG_UPS,
    TLS_FAILURE,
    FailureLog,
    client_config,
    logging_to,
    login_of,
    tls_words,
)
from kadmin.admin.wire.quorum import METADATA_LOG
from kadmin.budget import Budget
from kadmin.errors import UnreachableError
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.keys import BrokerSasl

SCHEMAS: Final = "kadmin.admin.wire.schemas"
TOPIC_ID: Final = UUID(int=1)
"""That of the metadata log, in every cluster."""
BY_TOPIC_ID: Final = (13, 17)
"""The versions of Fetch in which a quorum is asked for its log."""
FETCH_MAX: Final = 8 * 1024**2
RECEIVE_MAX: Final = 64 * 1024**2
"""A batch may be larger than what is asked for."""
ROUNDS_MAX: Final = 3
"""How often in a row another leader epoch, or another beginning of the log, is taken up."""


class FetchSnapshotRequest(ApiMessage, load_json=SCHEMAS):  # type: ignore[call-arg, misc]
    """The request, which kafka-python lacks."""


class FetchSnapshotResponse(ApiMessage, load_json=SCHEMAS):  # type: ignore[call-arg, misc]
    """The answer; kafka-python finds it by its name."""


class QuorumUnreachable(UnreachableError):
    """No active controller serves its log at the *addresses*."""

    def __init__(self, addresses: str, reason: str) -> None:
        super().__init__(
            f"cannot fetch the metadata log from the controllers at {addresses}: {reason}",
            hint="name their listeners (controller.listener.names), whose security is set as that"
            " of brokers is; or read the files: --metadata-dir DIR",
        )


class NotActive(Exception):
    """A node that is not the active controller; *leader* is its address, if the node knows it."""

    def __init__(self, leader: str | None) -> None:
        super().__init__("it is not the active controller")
        self.leader = leader


class MetadataLogCopy:
    """The log of the quorum at the addresses of *settings*, as far as it is in *directory*, which
    is empty at first."""

    def __init__(self, settings: BrokerSettings, directory: Path) -> None:
        self.directory = directory
        self._settings = settings
        self._leader_epoch = 0
        self._begin(0, 0)

    def _begin(self, offset: int, epoch: int) -> None:
        self._segment = self.directory / f"{offset:020}.log"
        self._end_offset, self._end_epoch = offset, epoch

    def update(self, budget: Budget) -> None:
        """Append what the log has beyond the copy.

        Raises:
            QuorumUnreachable: none of the addresses, nor the one that they name, is the active
                controller's.
        """
        left = self._settings.bootstrap.split(",")
        reasons: dict[str, str] = {}
        while left:
            address = left.pop(0)
            if address in reasons:
                continue
            try:
                with asking(replace(self._settings, bootstrap=address), budget) as ask:
                    self._follow(ask)
                return
            except NotActive as error:
                reasons[address] = str(error)
                if error.leader is not None:
                    left.insert(0, error.leader)
            except UnknownTopicIdError:
                reasons[address] = "that is a broker"
            except KafkaError as error:
                reasons[address] = reason_of(error, self._settings)
        why = [f"{address}: {reason}" for address, reason in reasons.items()]
        if len(reasons) == 1:
            why = list(reasons.values())
        raise QuorumUnreachable(self._settings.bootstrap, ", ".join(why))

    def _follow(self, ask: Callable[[ApiMessage], Any]) -> None:
        rounds = 0
        while rounds < ROUNDS_MAX:
            answer = ask(self._fetch())
            if answer.error_code:
                raise for_code(answer.error_code)
            part = answer.responses[0].partitions[0]
            if part.error_code:
                self._lead(answer, part)
                rounds += 1
            elif part.snapshot_id is not None:
                self._take_snapshot(ask, part.snapshot_id)
                rounds += 1
            elif part.diverging_epoch is not None:
                self._forget()
                rounds += 1
            else:
                rounds = 0
                if not self._append(part.records or b"") or self._end_offset >= part.high_watermark:
                    return
        raise NotLeaderForPartitionError

    def _fetch(self) -> FetchRequest:
        topic_of = FetchRequest.FetchTopic
        part = topic_of.FetchPartition(
            partition=0,
            current_leader_epoch=self._leader_epoch,
            fetch_offset=self._end_offset,
            last_fetched_epoch=self._end_epoch,
            partition_max_bytes=FETCH_MAX,
        )
        return FetchRequest(
            max_wait_ms=0,
            min_bytes=0,
            max_bytes=FETCH_MAX,
            topics=[topic_of(topic_id=TOPIC_ID, partitions=[part])],
            min_version=BY_TOPIC_ID[0],
            max_version=BY_TOPIC_ID[1],
        )

    def _lead(self, answer: Any, part: Any) -> None:
        """Take up the leader epoch that is in an error; raise any other error."""
        error = for_code(part.error_code)
        if issubclass(error, NotLeaderForPartitionError):
            # Only that of the leader is among the endpoints.
            addresses = [
                host_and_port(each.host, each.port) for each in answer.node_endpoints or ()
            ]
            raise NotActive(addresses[0] if addresses else None)
        is_of_epoch = issubclass(error, FencedLeaderEpochError | UnknownLeaderEpochError)
        if not is_of_epoch or part.current_leader is None:
            raise error
        self._leader_epoch = part.current_leader.leader_epoch

    def _append(self, content: bytes) -> int:
        """Append the whole batches of *content*; return how many there are."""
        position = count = 0
        while position + HEADER_SIZE <= len(content):
            header = parse_header(content, position)
            if position + header.size > len(content):
                break
            position += header.size
            count += 1
            self._end_offset, self._end_epoch = header.last_offset + 1, header.leader_epoch
        with self._segment.open("ab") as file:
            file.write(content[:position])
        return count

    def _take_snapshot(self, ask: Callable[[ApiMessage], Any], snapshot: Any) -> None:
        """Begin anew with a snapshot, behind which the log goes on."""
        self._forget()
        name = f"{snapshot.end_offset:020}-{snapshot.epoch:010}.checkpoint"
        path = self.directory / name
        topic_of = FetchSnapshotRequest.TopicSnapshot
        part_of = topic_of.PartitionSnapshot
        with path.with_suffix(".part").open("wb") as file:
            size = None
            while size is None or file.tell() < size:
                part = part_of(
                    partition=0,
                    current_leader_epoch=self._leader_epoch,
                    snapshot_id=part_of.SnapshotId(
                        end_offset=snapshot.end_offset, epoch=snapshot.epoch
                    ),
                    position=file.tell(),
                )
                topic = topic_of(name=METADATA_LOG, partitions=[part])
                answer = ask(FetchSnapshotRequest(max_bytes=FETCH_MAX, topics=[topic]))
                if answer.error_code:
                    raise for_code(answer.error_code)
                piece = answer.topics[0].partitions[0]
                if piece.error_code:
                    # Of a leader that has changed, or a snapshot that was deleted meanwhile.
                    raise for_code(piece.error_code)
                size = piece.size
                file.write(piece.unaligned_records)
        path.with_suffix(".part").rename(path)
        self._begin(snapshot.end_offset, snapshot.epoch)

    def _forget(self) -> None:
        for path in self.directory.iterdir():
            path.unlink()
        self._begin(0, 0)


def reason_of(error: KafkaError, settings: BrokerSettings) -> str:
    """Return why a node has not answered, in an operator's words."""
    text = TLS_FAILURE.sub(tls_words, plain(error))
    if not any(words in text for words in HANG_UPS):
        return text
    if settings.sasl is BrokerSasl.NONE:
        return f"{text}: does that listener speak {settings.protocol}?"
    return f"it hangs up on {login_of(settings)}"


@contextmanager
def asking(settings: BrokerSettings, budget: Budget) -> Iterator[Callable[[ApiMessage], Any]]:
    """Open a connection to the one node of *settings*, and hand out what it answers to a request.

    kafka-python's client for brokers would want metadata first, which controllers do not serve.
    """
    failures = FailureLog()
    config = {**client_config(settings), "receive_message_max_bytes": RECEIVE_MAX}
    with (
        logging_to(failures, None),
        closing(client_within(budget, failures.threads)(**config)) as client,
    ):
        manager = client._manager
        (node,) = manager.cluster.bootstrap_brokers()
        yield lambda request: manager.run(lambda: manager.send(request, node.node_id))
