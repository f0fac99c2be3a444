"""The lines that a broker writes about its own replicas: what they became, and KRaft's changes.

Texts are as in `language`.  All of them begin with `[Broker id=1]`.
"""

from typing import Final

from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.payloads import NEWEST
from kadmin.statechange.template_rows import lines

LEADS: Final = (("to_state", "become-leader"),)
FOLLOWS: Final = (("to_state", "become-follower"),)

REPLICA_LINES: Final = (
    *lines(
        Kind.LEADER_START,
        Role.BROKER,
        (
            *("2.6", "3.2", "I"),
            "Leader {partition} starts at leader epoch {leader_epoch} from offset {n} "
            "with high watermark {n} ISR [{isr}] addingReplicas [{numbers}] "
            "removingReplicas [{numbers}]. Previous leader epoch was {n}.",
        ),
        (
            *("3.3", "3.4", "I"),
            "Leader {partition} with topic id {word} starts at leader epoch {leader_epoch} "
            "from offset {n} with partition epoch {zk_version}, high watermark {n}, "
            "ISR [{isr}], adding replicas [{numbers}] and removing replicas [{numbers}]. "
            "Previous leader epoch was {n}.",
        ),
        (
            *("3.5", NEWEST, "I"),
            "Leader {partition} with topic id {word} starts at leader epoch {leader_epoch} "
            "from offset {n} with partition epoch {zk_version}, high watermark {n}, "
            "ISR [{isr}], adding replicas [{numbers}] and removing replicas [{numbers}] "
            "[[(under-min-isr)]]. "
            "<Previous leader epoch|Previous leader <None|Some({n})> and previous leader epoch> "
            "was {n}.",
        ),
        sets=LEADS,
    ),
    *lines(
        Kind.FOLLOWER_START,
        Role.BROKER,
        (
            *("2.6", "3.2", "I"),
            "Follower {partition} starts at leader epoch {leader_epoch} from offset {n} "
            "with high watermark {n}. Previous leader epoch was {n}.",
        ),
        (
            *("3.3", NEWEST, "I"),
            "Follower {partition} starts at leader epoch {leader_epoch} from offset {n} "
            "with partition epoch {zk_version} and high watermark {n}. "
            "Current leader is {leader}. "
            "<Previous leader epoch|Previous leader <None|Some({n})> and previous leader epoch> "
            "was {n}.",
        ),
        sets=FOLLOWS,
    ),
    *lines(
        Kind.RECOVERY,
        Role.BROKER,
        (
            *("3.2", NEWEST, "I"),
            "The topic partition {partition} was marked as RECOVERING. "
            "[[Leader log recovery is not implemented. ]]"
            "Marking the topic partition as RECOVERED.",
        ),
    ),
    *lines(
        Kind.TOPIC_ID,
        Role.BROKER,
        (
            *("2.8", "2.8", "E"),
            "Topic Id in memory: {word} does not match the topic Id for partition {partition} "
            "provided in the request: {word}.",
        ),
        (
            *("3.0", NEWEST, "E"),
            "Topic ID in memory: {word} does not match the topic ID for partition {partition} "
            "received: {word}.",
        ),
        (
            *("3.0", NEWEST, "I"),
            "Updating log for {partition} to assign topic ID {word} from LeaderAndIsr request "
            "from controller {controller} with correlation id {correlation} "
            "epoch {controller_epoch}",
        ),
        (
            *("3.1", NEWEST, "I"),
            "Updating PartitionFetchState for {partition} to remove log topic ID {word} "
            "since LeaderAndIsr request from controller {controller} "
            "with correlation id {correlation} epoch {controller_epoch} did not contain "
            "a topic ID",
        ),
    ),
    *lines(
        Kind.LOCAL_PARTITION,
        Role.BROKER,
        (
            *("3.0", NEWEST, "I"),
            "Creating new partition {partition} with topic id {word}."
            "[[A topic with the same name but different id exists but it resides in an offline "
            "log directory.]]",
        ),
        (
            *("3.0", NEWEST, "W"),
            "Unable to bring up new local leader {partition} with topic id {word} "
            "because it resides in an offline log directory.",
        ),
        (
            *("3.0", NEWEST, "E"),
            "Expected partition {partition} with topic id {word} to exist, but it was missing. "
            "Creating...",
        ),
        (
            *("3.0", NEWEST, "E"),
            "Unable to delete [[stray ]]replica {partition} because {error}",
        ),
        (
            *("3.0", NEWEST, "E T"),
            "Unable to start fetching {partition} with topic ID {word} "
            "<due to {error}|because the replica manager is shutting down."
            "|from leader {leader} because it is not alive.>",
        ),
    ),
)
