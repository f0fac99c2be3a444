"""The kinds of lines in a state-change.log, their levels, and the roles of who writes them.

Knows no text of any line: those are in `templates`.
"""

from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """In which of its two roles a broker wrote a line."""

    CONTROLLER = "controller"
    BROKER = "broker"


class Level(StrEnum):
    TRACE = "TRACE"
    DEBUG = "DEBUG"
    INFO = "INFO"
    WARN = "WARN"
    ERROR = "ERROR"
    FATAL = "FATAL"


class Kind(StrEnum):
    """The kind of a line; operators see and filter by these words."""

    PARTITION_STATE = "partition-state"
    REPLICA_STATE = "replica-state"
    ISR_CHANGE = "isr-change"
    ELECTION_START = "election-start"
    ELECTED = "elected"
    TRANSITION_FAILED = "transition-failed"
    SEND_LEADER_AND_ISR = "send-leaderandisr"
    SEND_UPDATE_METADATA = "send-updatemetadata"
    SEND_STOP_REPLICA = "send-stopreplica"
    RESPONSE = "response"
    RESPONSE_ERROR = "response-error"
    OFFLINE_REPLICAS = "offline-replicas"
    REASSIGNMENT = "reassignment"
    RECEIVED_LEADER_AND_ISR = "received-leaderandisr"
    RECEIVED_STOP_REPLICA = "received-stopreplica"
    HANDLING = "handling"
    COMPLETED = "completed"
    FETCHERS = "fetchers"
    TRUNCATED = "truncated"
    SKIPPED = "skipped"
    REFUSED = "refused"
    FAILED = "failed"
    STOP_REPLICA = "stop-replica"
    CACHED = "cached"
    DELETED_FROM_CACHE = "deleted-from-cache"
    LEADER_START = "leader-start"
    FOLLOWER_START = "follower-start"
    SUMMARY = "summary"
    TOPIC_ID = "topic-id"
    RECOVERY = "recovery"
    LOCAL_PARTITION = "local-partition"
    METADATA_BATCH = "metadata-batch"
    NOISE = "noise"
    CONTINUATION = "continuation"
    OTHER = "other"


KIND_MEANINGS: Final = {
    Kind.PARTITION_STATE: "the controller moved a partition from one state to another",
    Kind.REPLICA_STATE: "the controller moved one replica from one state to another",
    Kind.ISR_CHANGE: "the controller took a replica out of the ISR",
    Kind.ELECTION_START: "the controller starts to look for a leader",
    Kind.ELECTED: "the controller has found a leader",
    Kind.TRANSITION_FAILED: "a partition or a replica could not be moved to its next state",
    Kind.SEND_LEADER_AND_ISR: "the controller orders a broker to lead or to follow a partition",
    Kind.SEND_UPDATE_METADATA: "the controller sends brokers the metadata that clients ask for",
    Kind.SEND_STOP_REPLICA: "the controller orders a broker to stop or delete a replica",
    Kind.RESPONSE: "a broker answered the controller",
    Kind.RESPONSE_ERROR: "a broker answered the controller with an error",
    Kind.OFFLINE_REPLICAS: "a broker reported replicas on a failed disk",
    Kind.REASSIGNMENT: "the controller sent a leader its new replicas",
    Kind.RECEIVED_LEADER_AND_ISR: "a broker got the state of a partition",
    Kind.RECEIVED_STOP_REPLICA: "a broker got the order to stop a replica",
    Kind.HANDLING: "a broker begins to lead or to follow",
    Kind.COMPLETED: "a broker now leads or follows",
    Kind.FETCHERS: "a broker started or stopped fetching a partition",
    Kind.TRUNCATED: "a follower cut its log before fetching",
    Kind.SKIPPED: "a broker had nothing to do, or could not do it",
    Kind.REFUSED: "a broker refused a request as old, unknown or impossible",
    Kind.FAILED: "a broker failed to do what a request asked for",
    Kind.STOP_REPLICA: "a broker stops or deletes a replica",
    Kind.CACHED: "a broker noted who leads a partition, for its clients",
    Kind.DELETED_FROM_CACHE: "a broker forgot a deleted partition",
    Kind.LEADER_START: "a replica starts to lead: epoch, offset, ISR",
    Kind.FOLLOWER_START: "a replica starts to follow: epoch, offset",
    Kind.SUMMARY: "only counts, no partition (most lines at INFO since 2.6)",
    Kind.TOPIC_ID: "a topic's id was assigned, removed, or does not match",
    Kind.RECOVERY: "a leader was marked as recovered after an unclean election",
    Kind.LOCAL_PARTITION: "KRaft: a broker made, missed or deleted a replica of its own",
    Kind.METADATA_BATCH: "KRaft preview of 2.8: a batch of metadata was applied",
    Kind.NOISE: "nothing: log4j's own message at a file's start",
    Kind.CONTINUATION: "no line of its own: a stack trace, or the rest of a line that was cut",
    Kind.OTHER: "not understood, kept as it is",
}
assert KIND_MEANINGS.keys() == set(Kind)

STATES: Final = (
    *("NonExistentPartition", "NewPartition", "OnlinePartition", "OfflinePartition"),
    *("NonExistentReplica", "NewReplica", "OnlineReplica", "OfflineReplica"),
    *("ReplicaDeletionStarted", "ReplicaDeletionSuccessful", "ReplicaDeletionIneligible"),
    # 0.8.0 has no names of its own for replicas, and writes NotExists for a partition.
    *("NotExists", "New", "Online", "Offline", "NonExistent"),
)
TRANSITIONS: Final = ("become-leader", "become-follower")

STATE_WORDS: Final = STATES + TRANSITIONS
"""All that `from_state` and `to_state` can say."""
