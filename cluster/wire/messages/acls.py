"""DescribeAcls, CreateAcls and DeleteAcls: reading and changing ACLs."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@request(ApiKey.DESCRIBE_ACLS, "0-3", "2+")
class DescribeAclsRequest(NamedTuple):
    resource_type_filter: int = int8()
    resource_name_filter: str | None = string(null="0+", default=None)
    pattern_type_filter: int = int8("1+", default=3)
    principal_filter: str | None = string(null="0+", default=None)
    host_filter: str | None = string(null="0+", default=None)
    operation: int = int8()
    permission_type: int = int8()


@struct
class AclDescription(NamedTuple):
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@struct
class DescribeAclsResource(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    pattern_type: int = int8("1+", default=3)
    acls: Sequence[AclDescription] = array(AclDescription)


@response(ApiKey.DESCRIBE_ACLS, "0-3", "2+")
class DescribeAclsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    resources: Sequence[DescribeAclsResource] = array(DescribeAclsResource)


@struct
class AclCreation(NamedTuple):
    resource_type: int = int8()
    resource_name: str = string()
    resource_pattern_type: int = int8("1+", default=3)
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@request(ApiKey.CREATE_ACLS, "0-3", "2+")
class CreateAclsRequest(NamedTuple):
    creations: Sequence[AclCreation] = array(AclCreation)


@struct
class AclCreationResult(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()


@response(ApiKey.CREATE_ACLS, "0-3", "2+")
class CreateAclsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[AclCreationResult] = array(AclCreationResult)


@struct
class DeleteAclsFilter(NamedTuple):
    resource_type_filter: int = int8()
    resource_name_filter: str | None = string(null="0+", default=None)
    pattern_type_filter: int = int8("1+", default=3)
    principal_filter: str | None = string(null="0+", default=None)
    host_filter: str | None = string(null="0+", default=None)
    operation: int = int8()
    permission_type: int = int8()


@request(ApiKey.DELETE_ACLS, "0-3", "2+")
class DeleteAclsRequest(NamedTuple):
    filters: Sequence[DeleteAclsFilter] = array(DeleteAclsFilter)


@struct
class DeleteAclsMatchingAcl(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    resource_type: int = int8()
    resource_name: str = string()
    pattern_type: int = int8("1+", default=3)
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@struct
class DeleteAclsFilterResult(NamedTuple):
    error_code: int = int16()
    error_message: str | None = explanation()
    matching_acls: Sequence[DeleteAclsMatchingAcl] = array(DeleteAclsMatchingAcl)


@response(ApiKey.DELETE_ACLS, "0-3", "2+")
class DeleteAclsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    filter_results: Sequence[DeleteAclsFilterResult] = array(DeleteAclsFilterResult)
