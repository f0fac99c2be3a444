"""Delegation tokens.

Which delegation token was given to whom, and until when?  Does not hold the token's secret.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from cluster.model.ids import NEVER_READ, ZkVersion


@dataclass(frozen=True, slots=True, kw_only=True)
class DelegationToken:
    """The content of `/delegation_token/tokens/<id>`.

    Principals are written as `User:alice`.  *requester* is the owner where the node does not say
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
