"""DescribeUserScramCredentials and AlterUserScramCredentials: credentials of users."""

from collections.abc import Sequence
from typing import NamedTuple

from cluster.wire.api_keys import ApiKey
from cluster.wire.fields import array, data, explanation, int8, int16, int32, string
from cluster.wire.schema import request, response, struct


@struct
class UserName(NamedTuple):
    name: str = string()


@request(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "0", "0+")
class DescribeUserScramCredentialsRequest(NamedTuple):
    users: Sequence[UserName] | None = array(UserName, null="0+")


@struct
class CredentialInfo(NamedTuple):
    mechanism: int = int8()
    iterations: int = int32()


@struct
class DescribeUserScramCredentialsResult(NamedTuple):
    user: str = string()
    error_code: int = int16()
    error_message: str | None = explanation()
    credential_infos: Sequence[CredentialInfo] = array(CredentialInfo)


@response(ApiKey.DESCRIBE_USER_SCRAM_CREDENTIALS, "0", "0+")
class DescribeUserScramCredentialsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = explanation()
    results: Sequence[DescribeUserScramCredentialsResult] = array(
        DescribeUserScramCredentialsResult
    )


@struct
class ScramCredentialDeletion(NamedTuple):
    name: str = string()
    mechanism: int = int8()


@struct
class ScramCredentialUpsertion(NamedTuple):
    name: str = string()
    mechanism: int = int8()
    iterations: int = int32()
    salt: bytes = data()
    salted_password: bytes = data()


@request(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "0", "0+")
class AlterUserScramCredentialsRequest(NamedTuple):
    deletions: Sequence[ScramCredentialDeletion] = array(ScramCredentialDeletion)
    upsertions: Sequence[ScramCredentialUpsertion] = array(ScramCredentialUpsertion)


@struct
class AlterUserScramCredentialsResult(NamedTuple):
    user: str = string()
    error_code: int = int16()
    error_message: str | None = explanation()


@response(ApiKey.ALTER_USER_SCRAM_CREDENTIALS, "0", "0+")
class AlterUserScramCredentialsResponse(NamedTuple):
    throttle_time_ms: int = int32()
    results: Sequence[AlterUserScramCredentialsResult] = array(AlterUserScramCredentialsResult)
