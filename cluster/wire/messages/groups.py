"""DescribeGroups, ListGroups, DeleteGroups and OffsetDelete: operators' requests about groups."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import STRING, array, boolean, data, int16, int32, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.DESCRIBE_GROUPS, "0-5", "5+")
class DescribeGroupsRequest(NamedTuple):
    groups: Sequence[str] = array(STRING)
    include_authorized_operations: bool = boolean("3+")


@struct
class DescribedGroupMember(NamedTuple):
    member_id: str = string()
    group_instance_id: str | None = string("4+", null="4+", default=None)
    client_id: str = string()
    client_host: str = string()
    member_metadata: bytes = data()
    member_assignment: bytes = data()


@struct
class DescribedGroup(NamedTuple):
    error_code: int = int16()
    group_id: str = string()
    group_state: str = string()
    protocol_type: str = string()
    protocol_data: str = string()
    members: Sequence[DescribedGroupMember] = array(DescribedGroupMember)
    authorized_operations: int = int32("3+", default=-(2**31))


@response(ApiKey.DESCRIBE_GROUPS, "0-5", "5+")
class DescribeGroupsResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    groups: Sequence[DescribedGroup] = array(DescribedGroup)


@request(ApiKey.LIST_GROUPS, "0-5", "3+")
class ListGroupsRequest(NamedTuple):
    states_filter: Sequence[str] = array(STRING, "4+")
    types_filter: Sequence[str] = array(STRING, "5+")


@struct
class ListedGroup(NamedTuple):
    group_id: str = string()
    protocol_type: str = string()
    group_state: str = string("4+")
    group_type: str = string("5+")


@response(ApiKey.LIST_GROUPS, "0-5", "3+")
class ListGroupsResponse(NamedTuple):
    throttle_time_ms: int = int32("1+")
    error_code: int = int16()
    groups: Sequence[ListedGroup] = array(ListedGroup)


@request(ApiKey.DELETE_GROUPS, "0-2", "2+")
class DeleteGroupsRequest(NamedTuple):
    groups_names: Sequence[str] = array(STRING)


@struct
class DeletableGroupResult(NamedTuple):
    group_id: str = string()
    error_code: int = int16()


@response(ApiKey.DELETE_GROUPS, "0-2", "2+")
class DeleteGroupsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[DeletableGroupResult] = array(DeletableGroupResult)


@struct
class OffsetDeleteRequestPartition(NamedTuple):
    partition_index: int = int32()


@struct
class OffsetDeleteRequestTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[OffsetDeleteRequestPartition] = array(OffsetDeleteRequestPartition)


@request(ApiKey.OFFSET_DELETE, "0")
class OffsetDeleteRequest(NamedTuple):
    group_id: str = string()
    topics: Sequence[OffsetDeleteRequestTopic] = array(OffsetDeleteRequestTopic)


@struct
class OffsetDeleteResponsePartition(NamedTuple):
    partition_index: int = int32()
    error_code: int = int16()


@struct
class OffsetDeleteResponseTopic(NamedTuple):
    name: str = string()
    partitions: Sequence[OffsetDeleteResponsePartition] = array(OffsetDeleteResponsePartition)


@response(ApiKey.OFFSET_DELETE, "0")
class OffsetDeleteResponse(NamedTuple):
    error_code: int = int16()
    throttle_time_ms: int = int32()
    topics: Sequence[OffsetDeleteResponseTopic] = array(OffsetDeleteResponseTopic)
