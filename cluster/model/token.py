"""Delegation tokens: owner, renewers and times, without the secret."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.ids import NEVER_READ, ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationToken:
    """The content of `/delegation_token/tokens/<id>`.

    Principals are written as `User:alice`.  *requester* is the owner where the node lacks it
    (before version 3, Kafka 3.3).  Times are ms since 1970.
    """

    token_id: str
    owner: str
    requester: str
    renewers: tuple[str, ...]
    issue_timestamp_ms: int
    expiry_timestamp_ms: int
    max_timestamp_ms: int
    version: int = 3
    zk_version: ZkVersion = NEVER_READ
    extra: Mapping[str, object] = field(default_factory=dict)
