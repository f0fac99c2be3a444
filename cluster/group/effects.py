"""Effects: the actions that a coordinator requests, in their order.

There is no effect that sets a timer: a shell asks the core for its next deadline after every step.
"""

from typing import Final, NamedTuple, TypeAlias

from cluster.group.answers import Answer
from cluster.model.group_records import GroupRecords
from cluster.model.ids import LeaderEpoch


class Producer(NamedTuple):
    """The producer of a transactional batch."""

    producer_id: int
    producer_epoch: int


NO_PRODUCER: Final = Producer(-1, -1)
"""Of a batch that is in no transaction."""


class Respond(NamedTuple):
    """Answer the `Requested` with the same *request_id*."""

    request_id: int
    answer: Answer


class Append(NamedTuple):
    """Append *records* as one batch to a partition of `__consumer_offsets`.

    Refused unless this broker leads the partition in *leader_epoch*: what an earlier coordinator
    decided must not follow what a later one did.

    With an *append_id*: with acks=-1, and the outcome comes back as `Appended` or `AppendFailed`.
    Without one: no acknowledgement, and no outcome.  A tombstone that is lost is written again by
    a later expiration.
    """

    partition: int
    leader_epoch: LeaderEpoch
    records: GroupRecords
    append_id: int | None = None
    producer: Producer = NO_PRODUCER


class Load(NamedTuple):
    """Read the partition from its start to its end into a `Replay`; then comes `Loaded`.

    But not before the high watermark is at that end.  A coordinator that served what is not
    replicated yet could give members an assignment that is lost with its leadership: the next one
    would give others the same partitions in a generation of the same number.  Kafka serves at once.
    """

    partition: int
    leader_epoch: LeaderEpoch


Effect: TypeAlias = Respond | Append | Load
