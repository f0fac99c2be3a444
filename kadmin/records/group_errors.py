"""What coordinators refuse members with, in words for an operator."""

from confluent_kafka import KafkaError

from kadmin.admin.wire.errors import BrokersDenied
from kadmin.errors import KadminError
from kadmin.records.client import ConnectionLog, plain_reason
from kadmin.records.reader import Membership


def group_error(
    error: KafkaError, membership: Membership, log: ConnectionLog
) -> KadminError | None:
    """Return what *error* means to a member; None for one that is not about groups."""
    group = f"group '{membership.group}'"
    described = f"kadmin groups --describe --group {membership.group} --members"
    code = error.code()
    if code == KafkaError.GROUP_AUTHORIZATION_FAILED:
        return BrokersDenied(log.bootstrap, f"{group}: {plain_reason(error)}")
    if code == KafkaError.FENCED_INSTANCE_ID or (
        code == KafkaError._FATAL and "fenced" in error.str()
    ):
        return KadminError(
            f"{group}: another member has joined with the same group.instance.id"
            + (f" ('{membership.instance_id}')" if membership.instance_id else ""),
            hint=f"each member needs a --group-instance-id of its own; '{described}' shows all",
        )
    if code == KafkaError.INCONSISTENT_GROUP_PROTOCOL:
        return KadminError(
            f"{group}: its members use another assignor"
            + (f" than {membership.assignor}" if membership.assignor else ""),
            hint=f"--assignor; '{described} --verbose' shows theirs",
        )
    if code == KafkaError.INVALID_SESSION_TIMEOUT:
        return KadminError(
            f"{group}: its coordinator does not take this session.timeout.ms",
            hint="between the brokers' group.min.session.timeout.ms and"
            " group.max.session.timeout.ms",
        )
    if code == KafkaError.GROUP_MAX_SIZE_REACHED:
        return KadminError(f"{group}: it has as many members as may be", hint=described)
    return None
