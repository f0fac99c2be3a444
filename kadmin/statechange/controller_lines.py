"""The lines that a broker writes as the controller.

Texts are as in `language`; before 1.0 they begin with `Controller 1 epoch 2`, which is not said
here.
"""

from typing import Final

from kadmin.statechange.kinds import Kind, Role
from kadmin.statechange.payloads import NEWEST
from kadmin.statechange.template_rows import lines

# A failure's text was itself written with the controller's name in front, from 0.11 on.
_AGAIN: Final = "[[Controller {n} epoch {n} ]]"

CONTROLLER_LINES: Final = (
    *lines(
        Kind.PARTITION_STATE,
        Role.CONTROLLER,
        (
            *("0.8.0", NEWEST, "T I@2.6"),
            "changed partition {partition} state from {from} to {to} "
            "with assigned replicas {numbers}",
        ),
        ("0.8.0", NEWEST, "T", "changed partition {partition} state from {from} to {to}"),
        (
            *("0.8.0", "1.0", "T"),
            "changed partition {partition} from {from} to {to} with leader {leader}",
        ),
        (
            *("1.1", NEWEST, "T I@2.6"),
            "changed partition {partition} from {from} to {to} with state {elected}",
        ),
    ),
    *lines(
        Kind.ELECTION_START,
        Role.CONTROLLER,
        ("0.8.0", "1.0", "T", "started leader election for partition {partition}"),
    ),
    *lines(
        Kind.ELECTED,
        Role.CONTROLLER,
        ("0.8.0", "1.0", "T", "elected leader {leader} for Offline partition {partition}"),
    ),
    *lines(
        Kind.REPLICA_STATE,
        Role.CONTROLLER,
        (
            *("0.8.0", "0.8.1", "T"),
            "changed state of replica {peer} for partition {partition} to {to}",
        ),
        (
            *("0.8.1", NEWEST, "T"),
            "changed state of replica {peer} for partition {partition} from {from} to {to}",
        ),
    ),
    *lines(
        Kind.ISR_CHANGE,
        Role.CONTROLLER,
        (
            *("2.6", NEWEST, "I"),
            "partition {partition} state changed to {decided} after removing replica {peer} "
            "from the ISR as part of transition to {to}",
        ),
    ),
    *lines(
        Kind.TRANSITION_FAILED,
        Role.CONTROLLER,
        (
            *("0.8.0", "1.0", "E"),
            "initiated state change for partition {partition} from {from} to {to} failed",
        ),
        (
            *("1.1", NEWEST, "E"),
            "Controller {n} epoch {n} failed to change state for partition {partition} "
            "from {from} to {to}",
        ),
        (
            *("0.8.0", NEWEST, "E"),
            f"{_AGAIN}initiated state change of replica {{peer}} for partition {{partition}}"
            "[[ from {from}]] to {to} failed",
        ),
        (
            *("0.8.0", NEWEST, "E"),
            f"{_AGAIN}encountered error during state change of partition {{partition}} "
            "from {from} to {to}, assigned replicas are [{numbers}], live brokers are [{text}]. "
            "No assigned replica is alive.",
        ),
        (
            *("0.8.0", "1.0", "E"),
            f"{_AGAIN}encountered error while changing partition {{partition}}'s state "
            "from {from} to {to} since LeaderAndIsr path already exists with value {stored} "
            "and controller epoch {n}",
        ),
        (
            *("0.8.0", NEWEST, "E"),
            f"{_AGAIN}aborted leader election for partition {{partition}} since the LeaderAndIsr "
            "path was already written by another controller. This probably means that the "
            "current controller {n} went through a soft failure and another controller was "
            "elected with epoch {n}.",
        ),
        (
            *("0.8.0", "1.0", "E"),
            f"{_AGAIN}encountered error while electing leader for partition {{partition}} "
            "due to: {error}.",
        ),
        (
            *("0.8.0", "0.11.0", "E"),
            f"{_AGAIN}LeaderAndIsr information doesn't exist for partition {{partition}} "
            "in {from} state",
        ),
    ),
    *lines(
        Kind.SEND_LEADER_AND_ISR,
        Role.CONTROLLER,
        (
            *("0.8.0", "0.8.0", "T"),
            "sending {transition} LeaderAndIsr request with correlationId {correlation} "
            "to broker {peer} for partition {partition}",
        ),
        (
            *("0.8.1", "0.8.2", "T"),
            "sending {transition} LeaderAndIsr request {sent} with correlationId {correlation} "
            "to broker {peer} for partition {partition}",
        ),
        (
            *("0.9.0", NEWEST, "T"),
            "sending {transition} LeaderAndIsr request {sent} to broker {peer} "
            "for partition {partition}",
        ),
    ),
    *lines(
        Kind.SEND_UPDATE_METADATA,
        Role.CONTROLLER,
        (
            *("0.8.0", "0.8.0", "T"),
            "sending UpdateMetadata request with correlationId {correlation} "
            "to broker {peer} for partition {partition}",
        ),
        (
            *("0.8.1", "0.8.2", "T"),
            "sending UpdateMetadata request {published} with correlationId {correlation} "
            "to broker {peer} for partition {partition}",
        ),
        (
            *("0.9.0", "0.10.1", "T"),
            "sending UpdateMetadata request {published} to broker {peer} for partition {partition}",
        ),
        (
            *("0.10.2", "2.5", "T"),
            "sending UpdateMetadata request {published} to brokers <Set|HashSet>({peers}) "
            "for partition {partition}",
        ),
        dashed_from="0.9.0",
    ),
    *lines(
        Kind.SEND_STOP_REPLICA,
        Role.CONTROLLER,
        (
            *("2.6", NEWEST, "T"),
            "Sending StopReplica request {stopped} to broker {peer} for partition {partition}",
        ),
    ),
    *lines(
        Kind.SUMMARY,
        Role.CONTROLLER,
        (
            *("2.6", NEWEST, "I"),
            "Sending LeaderAndIsr request to broker {peer} with {n} become-leader "
            "and {n} become-follower partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            "Sending UpdateMetadata request to brokers <Set|HashSet>({peers}) for {n} partitions",
        ),
        (
            *("2.6", NEWEST, "I"),
            "Sending StopReplica request[[ (delete = <true|false>)]] for {n} replicas "
            "to broker {peer}",
        ),
    ),
    *lines(
        Kind.RESPONSE,
        Role.CONTROLLER,
        (
            *("0.8.0", "0.8.1", "T"),
            "received response correlationId {correlation} for a request sent to broker {node}",
        ),
        (
            *("0.8.2", "1.0", "T"),
            "received response {response} for a request sent to broker {node}",
        ),
        (
            *("1.1", NEWEST, "T"),
            "received response {response} for request "
            "<LEADER_AND_ISR|UPDATE_METADATA|STOP_REPLICA> "
            "with correlation id {correlation} sent to broker {node}",
        ),
    ),
    *lines(
        Kind.RESPONSE_ERROR,
        Role.CONTROLLER,
        (
            *("1.0", "2.4", "E"),
            "Received error in LeaderAndIsr response {response} from broker {peer}",
        ),
        (
            *("2.5", NEWEST, "E"),
            "Received error {error} in <LeaderAndIsr|UpdateMetadata|StopReplica> "
            "response {response} from broker {peer}",
        ),
        (
            *("3.4", NEWEST, "E"),
            "Received error {error} in StopReplica request for partition {partition} "
            "from broker {peer}",
        ),
        has_epoch=False,
    ),
    *lines(
        Kind.OFFLINE_REPLICAS,
        Role.CONTROLLER,
        ("1.0", NEWEST, "I", "Mark replicas {partitions} on broker {peer} as offline"),
        ("3.4", NEWEST, "E", "Found {partitions} on broker {peer} as offline"),
        has_epoch=False,
    ),
    *lines(
        Kind.REASSIGNMENT,
        Role.CONTROLLER,
        (
            *("0.8.1", "2.3", "T"),
            "sent LeaderAndIsr request {decided} with new assigned replica list {numbers} "
            "to leader {peer} for partition being reassigned {partition}",
        ),
        (
            *("2.4", NEWEST, "T I@2.6"),
            "Sent LeaderAndIsr request {decided} with new replica assignment {text} "
            "to leader {peer} for partition being reassigned {partition}",
        ),
        (
            *("0.8.1", NEWEST, "E"),
            "failed to send LeaderAndIsr request with new "
            "<assigned replica list {numbers}|replica assignment {text}> "
            "to leader for partition being reassigned {partition}",
        ),
    ),
)
