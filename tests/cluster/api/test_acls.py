"""Are clients that ask for ACLs told that there is no authorizer, each of whatever they ask?"""

import pytest

from cluster.model.error_codes import ErrorCode
from cluster.wire.api_keys import ApiKey
from cluster.wire.messages.acls import (
    AclCreation,
    AclCreationResult,
    CreateAclsRequest,
    DeleteAclsFilter,
    DeleteAclsFilterResult,
    DeleteAclsRequest,
    DescribeAclsRequest,
)
from tests.cluster.api.world import World, versions

DISABLED = (ErrorCode.SECURITY_DISABLED, "No Authorizer is configured.")


@pytest.mark.parametrize("version", versions(ApiKey.DESCRIBE_ACLS))
def test_there_are_no_acls_to_describe(world: World, version: int):
    body = DescribeAclsRequest(resource_type_filter=1, operation=1, permission_type=1)

    answer = world.ask_now(ApiKey.DESCRIBE_ACLS, body, version)

    assert DISABLED == (answer.error_code, answer.error_message)
    assert () == tuple(answer.resources)


@pytest.mark.parametrize("version", versions(ApiKey.CREATE_ACLS))
def test_each_creation_is_refused(world: World, version: int):
    body = CreateAclsRequest(creations=(AclCreation(resource_name="a"), AclCreation()))

    answer = world.ask_now(ApiKey.CREATE_ACLS, body, version)

    assert (AclCreationResult(*DISABLED),) * 2 == tuple(answer.results)


@pytest.mark.parametrize("version", versions(ApiKey.DELETE_ACLS))
def test_each_deletion_is_refused(world: World, version: int):
    body = DeleteAclsRequest(filters=(DeleteAclsFilter(), DeleteAclsFilter()))

    answer = world.ask_now(ApiKey.DELETE_ACLS, body, version)

    assert (DeleteAclsFilterResult(*DISABLED),) * 2 == tuple(answer.filter_results)
