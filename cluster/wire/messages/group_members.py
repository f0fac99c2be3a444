"""Requests of group members to their coordinator: JoinGroup, Heartbeat, LeaveGroup and
SyncGroup.
"""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, boolean, data, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class JoinGroupRequestProtocol(NamedTuple):
    name: str = string()
    metadata: bytes = data()


@request(ApiKey.JOIN_GROUP, "0-9", "6+")
class JoinGroupRequest(NamedTuple):
    group_id: str = string()
    session_timeout_ms: int = int32()
    rebalance_timeout_ms: int = int32("1+", default=-1)
    member_id: str = string()
    group_instance_id: str | None = string("5+", null="5+", default=None)
    protocol_type: str = string()
    protocols: Sequence[JoinGroupRequestProtocol] = array(JoinGroupRequestProtocol)
    reason: str | None = string("8+", null="8+", default=None)


@struct
class JoinGroupResponseMember(NamedTuple):
    member_id: str = string()
    group_instance_id: str | None = string("5+", null="5+", default=None)
    metadata: bytes = data()


@response(ApiKey.JOIN_GROUP, "0-9", "6+")
class JoinGroupResponse(NamedTuple):
    throttle_time_ms: int = int32("2+")
    error_code: int = int16()
    generation_id: int = int32(default=-1)
    protocol_type: str | None = string("7+", null="7+", default=None)
    protocol_name: str | None = string(null="7+")
    leader: str = string()
    skip_assignment: bool = boolean("9+")
    member_id: str = string()
    members: Sequence[JoinGroupResponseMember] = array(JoinGroupResponseMember)


@request(ApiKey.HEARTBEAT, "0-4", "4+")
class HeartbeatRequest(NamedTuple):
    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="3+", default=None)


@response(ApiKey.HEARTBEAT, "0-4", "4+")
class HeartbeatResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16()


@struct
class MemberIdentity(NamedTuple):
    member_id: str = string()
    group_instance_id: str | None = string(null="0+", default=None)
    reason: str | None = string("5+", null="5+", default=None)


@request(ApiKey.LEAVE_GROUP, "0-5", "4+")
class LeaveGroupRequest(NamedTuple):
    group_id: str = string()
    member_id: str = string("0-2")
    members: Sequence[MemberIdentity] = array(MemberIdentity, "3+")


@struct
class MemberResponse(NamedTuple):
    member_id: str = string()
    group_instance_id: str | None = string(null="0+", default=None)
    error_code: int = int16()


@response(ApiKey.LEAVE_GROUP, "0-5", "4+")
class LeaveGroupResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    members: Sequence[MemberResponse] = array(MemberResponse, "3+")


@struct
class SyncGroupRequestAssignment(NamedTuple):
    member_id: str = string()
    assignment: bytes = data()


@request(ApiKey.SYNC_GROUP, "0-5", "4+")
class SyncGroupRequest(NamedTuple):
    group_id: str = string()
    generation_id: int = int32()
    member_id: str = string()
    group_instance_id: str | None = string("3+", null="3+", default=None)
    protocol_type: str | None = string("5+", null="5+", default=None)
    protocol_name: str | None = string("5+", null="5+", default=None)
    assignments: Sequence[SyncGroupRequestAssignment] = array(SyncGroupRequestAssignment)


@response(ApiKey.SYNC_GROUP, "0-5", "4+")
class SyncGroupResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    protocol_type: str | None = string("5+", null="5+", default=None)
    protocol_name: str | None = string("5+", null="5+", default=None)
    assignment: bytes = data()
