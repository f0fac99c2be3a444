"""The lines that a broker writes about the requests of a controller.

Texts are as in `language`; before 1.0 they begin with `Broker 1`, which is not said here.
"""

from typing import Final

from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.payloads import NEWEST
from kadmin.statechange.template_rows import lines

_OLD: Final = "Latest known controller epoch is {n}"
_REQUEST: Final = (
    "correlation id {correlation} from controller {controller} epoch {controller_epoch}"
)
_UPDATE: Final = (
    "in response to UpdateMetadata request sent by controller {controller} "
    "epoch {controller_epoch} with correlation id {correlation}"
)
_IGNORING: Final = (
    "ignoring LeaderAndIsr request from controller {controller} "
    "with correlation id {correlation} epoch {controller_epoch} for partition {partition} "
)
_IGNORING_STOP: Final = (
    "Ignoring StopReplica request (delete=<true|false>) from controller {controller} "
    "with correlation id {correlation} epoch {controller_epoch} for partition {partition} "
)
_LAST_UPDATE: Final = "[[ (last update controller epoch {n})]]"
_MARKED: Final = (
    "state change after marking its partition as <leader|follower> with "
    f"{_REQUEST} for partition {{partition}}{_LAST_UPDATE} since "
)
_NEW_LEADER: Final = "[[ with leader {leader}]]"
BROKER_LINES: Final = (
    *lines(
        Kind.RECEIVED_LEADER_AND_ISR,
        Role.BROKER,
        (
            *("0.8.1", "2.3", "T"),
            f"received LeaderAndIsr request {{received}} {_REQUEST} for partition {{partition}}",
        ),
        ("2.4", NEWEST, "T", f"Received LeaderAndIsr request {{received}} {_REQUEST}"),
    ),
    *lines(
        Kind.HANDLING,
        Role.BROKER,
        (
            *("0.8.0", "0.8.0", "T"),
            "handling LeaderAndIsr request correlation id {correlation} received from "
            "controller {controller} epoch {controller_epoch} for partition {partition}",
        ),
        (
            *("0.8.0", "0.8.0", "T"),
            "received LeaderAndIsr request correlationId {correlation} "
            "from controller {controller} epoch {controller_epoch} "
            "starting the {transition} transition for partition {partition}",
        ),
        (
            *("0.8.1", NEWEST, "T"),
            "handling LeaderAndIsr request correlationId {correlation} "
            "from controller {controller} epoch {controller_epoch} "
            f"starting the {{transition}} transition for partition {{partition}}{_NEW_LEADER}",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.COMPLETED,
        Role.BROKER,
        (
            *("0.8.0", "0.8.0", "T"),
            "handled LeaderAndIsr request correlationId {correlation} received from "
            "controller {controller} epoch {controller_epoch} for partition {partition}",
        ),
        (
            *("0.8.0", "0.8.0", "T"),
            "completed [[the ]]{transition} transition for partition {partition}",
        ),
        (
            *("0.8.1", NEWEST, "T"),
            "completed LeaderAndIsr request correlationId {correlation} "
            "from controller {controller} epoch {controller_epoch} "
            f"for the {{transition}} transition for partition {{partition}}{_NEW_LEADER}",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.FETCHERS,
        Role.BROKER,
        (
            *("0.8.1", "2.5", "T"),
            "stopped fetchers as part of {transition} request from controller {controller} "
            "epoch {controller_epoch} with correlation id {correlation} "
            f"for partition {{partition}}{_LAST_UPDATE}{_NEW_LEADER}",
        ),
        (
            *("0.8.2", "2.5", "T"),
            "started fetcher to new leader as part of {transition} request "
            "from controller {controller} epoch {controller_epoch} "
            "with correlation id {correlation} for partition {partition}"
            "[[ with leader <{leader}|BrokerEndPoint(id={leader}, host={word})"
            "|BrokerEndPoint({leader},{word},{n})>]]",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.TRUNCATED,
        Role.BROKER,
        (
            *("0.8.1", "2.5", "T"),
            "truncated logs and checkpointed recovery boundaries for partition {partition} "
            "as part of {transition} request with correlation id {correlation} "
            f"from controller {{controller}} epoch {{controller_epoch}}{_NEW_LEADER}",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.SUMMARY,
        Role.BROKER,
        (
            *("2.6", NEWEST, "I"),
            "Handling LeaderAndIsr request correlationId {correlation} "
            "from controller {controller} for {n} partitions",
        ),
        (
            *("2.7", NEWEST, "I"),
            "Finished LeaderAndIsr request in {n}ms correlationId {correlation} "
            "from controller {controller} for {n} partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            "Stopped fetchers as part of LeaderAndIsr request correlationId {correlation} "
            "from controller {controller} epoch {controller_epoch} "
            "as part of the {transition} transition for {n} partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            "Stopped fetchers as part of {transition} request from controller {controller} "
            "epoch {controller_epoch} with correlation id {correlation} for {n} partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            "Handling StopReplica request correlationId {correlation} "
            "from controller {controller} for {n} partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            f"Add {{n}} partitions and deleted {{n}} partitions from metadata cache {_UPDATE}",
        ),
        (
            *("3.6", NEWEST, "I"),
            "While handling full LeaderAndIsr request from KRaft controller {controller} "
            "with correlation id {correlation}, found {n} stray partition(s).",
        ),
        ("3.0", NEWEST, "I", "Transitioning {n} partition(s) to local <leaders|followers>."),
        ("3.0", NEWEST, "I", "Deleting {n} partition(s)."),
        (
            *("3.0", NEWEST, "I"),
            "<Stopped|Started> fetchers as part of {transition} for {n} partitions",
        ),
        (
            *("3.3", NEWEST, "I"),
            "Stopped fetchers as part of controlled shutdown for {n} partitions",
        ),
    ),
    *lines(
        Kind.SKIPPED,
        Role.BROKER,
        (
            *("0.8.2", "3.2", "I"),
            f"skipped the {{transition}} {_MARKED}"
            "the new leader {leader} is the same as the old leader",
        ),
        (
            *("0.9.0", "3.2", "I"),
            f"skipped the {{transition}} {_MARKED}it is already the leader for the partition.",
        ),
        (
            *("0.8.2", NEWEST, "T"),
            "skipped the <adding-fetcher|update topic ID> step of the {transition} state change "
            f"with {_REQUEST} for partition {{partition}}{_NEW_LEADER} since it is shutting down",
        ),
        (
            *("1.0", NEWEST, "E"),
            f"Skipped the {{transition}} state change with {_REQUEST} for partition {{partition}}"
            f"{_LAST_UPDATE}{_NEW_LEADER} since the replica for the partition is offline "
            "due to <disk|storage> error {error}",
        ),
        (
            *("0.8.1", "0.8.1", "E T"),
            "ignored the {transition} state change with correlation id {correlation} "
            "controller {controller} epoch {controller_epoch} for partition {partition} "
            "since <it is shutting down|the designated leader {leader} cannot be found "
            "in live or shutting down brokers {text}>",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.SKIPPED,
        Role.BROKER,
        (
            *("3.3", NEWEST, "I"),
            "Skipped the {transition} state change for {partition} with topic id {word} "
            "and partition state {sent} since the <leader|follower> is already at a newer "
            "partition epoch {n}.",
        ),
        (
            *("3.3", NEWEST, "I"),
            "Skipped the {transition} state change for {partition} with topic id {word} "
            "and partition state {sent} since it is already the leader with leader epoch {n}. "
            "Current high watermark {n}, ISR [{numbers}], adding replicas [{numbers}] "
            "and removing replicas [{numbers}].",
        ),
        (
            *("3.3", NEWEST, "I"),
            "Skipped the {transition} state change for {partition} with topic id {word} "
            "and partition state {sent} since it is already a follower with leader epoch {n}.",
        ),
        (
            *("3.0", NEWEST, "I"),
            "Skipped the {transition} state change for {partition} with topic id {word} "
            "<because this partition is already a local leader."
            "|due to <a storage|disk> error {error}>",
        ),
        (
            *("3.0", "3.2", "I"),
            "Skipped the {transition} state change after marking its partition as follower "
            "for partition {partition} with id {word} and partition state {sent}.",
        ),
        (
            *("2.7", NEWEST, "E"),
            "A ZooKeeper client exception has occurred< and makeLeader|. makeFollower> will be "
            "skipping the state change for the partition {partition} "
            "with leader epoch: {leader_epoch}.",
        ),
    ),
    *lines(
        Kind.REFUSED,
        Role.BROKER,
        (
            *("0.8.0", "0.8.0", "T"),
            f"discarded the {{transition}} request with {_REQUEST} for partition {{partition}} "
            "since current leader epoch {n} is >= the request's leader epoch {leader_epoch}",
        ),
        (
            *("0.8.0", "0.8.1", "W"),
            "received LeaderAndIsr request correlation id {correlation} with an old controller "
            f"epoch {{controller_epoch}}. {_OLD}",
        ),
        (
            *("0.8.1", "0.8.1", "W"),
            f"ignoring LeaderAndIsr request with {_REQUEST} as broker is not in assigned "
            "replica list {numbers} for partition {partition}",
        ),
        (
            *("0.8.1", "0.8.1", "W"),
            f"received invalid LeaderAndIsr request with {_REQUEST} with an older leader epoch "
            "{leader_epoch} for partition {partition}, current leader epoch is {n}",
        ),
        (
            *("0.8.2", NEWEST, "W"),
            "ignoring LeaderAndIsr request from controller {controller} "
            "with correlation id {correlation} since its controller epoch {controller_epoch} "
            f"is old. {_OLD}",
        ),
        (
            *("0.8.2", NEWEST, "W"),
            f"{_IGNORING}as itself is not in assigned replica list {{numbers}}",
        ),
        (
            *("0.8.2", "0.10.0", "W"),
            f"{_IGNORING}since its associated leader epoch {{leader_epoch}} is old. "
            "Current leader epoch is {n}",
        ),
        (
            *("0.10.1", "2.2", "W"),
            f"{_IGNORING}since its associated leader epoch {{leader_epoch}} "
            "is not higher than the current leader epoch {n}",
        ),
        (
            *("2.3", NEWEST, "W"),
            f"{_IGNORING}since its associated leader epoch {{leader_epoch}} "
            "is smaller than the current leader epoch {n}",
        ),
        (
            *("2.3", NEWEST, "D I@2.6"),
            f"{_IGNORING}since its associated leader epoch {{leader_epoch}} "
            "matches the current leader epoch",
        ),
        (
            *("1.0", NEWEST, "W"),
            f"{_IGNORING}as the local replica for the partition is in an offline log directory",
        ),
        (
            *("0.8.0", NEWEST, "W"),
            "received update metadata request with correlation id {correlation} "
            "from an old controller {controller} with epoch {controller_epoch}. "
            f"{_OLD}",
        ),
        (
            *("0.8.0", "2.5", "W"),
            # Before 0.10 the number was never filled in, but appended.
            "received stop replica request from an old controller epoch {controller_epoch}. "
            "Latest known controller epoch is <%d {n}|{n}>",
        ),
        (
            *("2.6", NEWEST, "W"),
            "Ignoring StopReplica request from controller {controller} "
            "with correlation id {correlation} since its controller epoch {controller_epoch} "
            f"is old. {_OLD}",
        ),
        (
            *("2.6", NEWEST, "W"),
            f"{_IGNORING_STOP}as the local replica for the partition "
            "is in an offline log directory",
        ),
        (
            *("2.6", NEWEST, "W"),
            f"{_IGNORING_STOP}since its associated leader epoch {{leader_epoch}} "
            "is smaller than the current leader epoch {n}",
        ),
        (
            *("2.6", NEWEST, "I"),
            f"{_IGNORING_STOP}since its associated leader epoch {{leader_epoch}} "
            "matches the current leader epoch",
        ),
        ("2.7", NEWEST, "E", f"{_IGNORING_STOP}due to an unexpected {{error}}"),
        (
            *("3.6", NEWEST, "E"),
            "Received UpdateMetadataRequest with Type=FULL (2), but <version of {n}, which should "
            "not be possible|ZK migrations are not enabled on this broker>. Not treating this as "
            "a full metadata update",
        ),
    ),
    *lines(
        Kind.FAILED,
        Role.BROKER,
        (
            *("0.8.2", NEWEST, "E"),
            f"received LeaderAndIsrRequest with {_REQUEST} for partition {{partition}}"
            f"{_LAST_UPDATE} but cannot become follower since the new leader {{leader}} "
            "is unavailable.",
        ),
        (
            *("0.8.0", "0.8.0", "E"),
            f"aborted the {{transition}} state change with {_REQUEST} "
            "for partition {partition} new leader {leader}",
        ),
        (
            *("1.0", NEWEST, "E"),
            "Error while processing LeaderAndIsr request correlationId {correlation} received "
            "from controller {controller} epoch {controller_epoch} for partition {partition}",
        ),
        (
            *("1.0", NEWEST, "E"),
            "Error while processing LeaderAndIsr request with correlationId {correlation} "
            "received from controller {controller} epoch {controller_epoch}"
            "[[ when trying to update topic IDs in the fetchers]]",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.FAILED,
        None,
        (
            *("0.8.0", "0.11.0", "E"),
            "Error on broker {broker} while processing LeaderAndIsr request "
            "correlationId {correlation} received from controller {controller} "
            "epoch {controller_epoch} for partition {partition}",
        ),
        (
            *("0.8.0", "0.11.0", "E"),
            "Error on broker {broker} while processing LeaderAndIsr request "
            "with correlationId {correlation} received from controller {controller} "
            "epoch {controller_epoch}",
        ),
        dashed_from="0.10.2",
        sets=(("role", Role.BROKER),),
    ),
    *lines(
        Kind.RECEIVED_STOP_REPLICA,
        Role.BROKER,
        (
            *("2.6", NEWEST, "T"),
            f"Received StopReplica request {{stopped}} {_REQUEST} for partition {{partition}}",
        ),
    ),
    *lines(
        Kind.STOP_REPLICA,
        Role.BROKER,
        (
            *("0.8.0", "2.5", "T"),
            "<handling|finished handling> stop replica [[(delete=<true|false>) ]]"
            "for partition {partition}",
        ),
        (
            *("0.8.1", "2.5", "T"),
            "ignoring stop replica (delete=<true|false>) for partition {partition} "
            "as replica doesn't exist on broker",
        ),
        (
            *("1.0", "2.5", "E"),
            "Ignoring stop replica (delete=<true|false>) for partition {partition} "
            "due to storage exception",
        ),
        dashed_from="0.10.2",
    ),
    *lines(
        Kind.CACHED,
        Role.BROKER,
        (
            *("0.8.0", NEWEST, "T"),
            f"cached leader info {{cached}} for partition {{partition}} {_UPDATE}",
        ),
        dashed_from="0.10.0",
    ),
    *lines(
        Kind.DELETED_FROM_CACHE,
        Role.BROKER,
        (
            *("0.8.1", NEWEST, "T"),
            f"deleted partition {{partition}} from metadata cache {_UPDATE}",
        ),
        (
            *("0.8.1", "0.8.1", "T"),
            f"deleted partitions for topic {{word}} from metadata cache {_UPDATE}",
        ),
        (
            *("3.6", NEWEST, "E"),
            "Error: topic {word} appeared in currentMetadata.topicNames, "
            "but not in currentMetadata.partitionStates.",
        ),
        (
            *("3.6", NEWEST, "I"),
            "Removing topic {word} with ID {word} from the metadata cache "
            "since the full UMR did not include it.",
        ),
        (
            *("3.6", NEWEST, "I"),
            "Removing {n} partition(s) from topic {word} with ID {word} from the metadata cache "
            "since the full UMR did not include them.",
        ),
        dashed_from="0.10.0",
    ),
)
