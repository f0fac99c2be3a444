"""Znodes of delegation tokens: codecs of the tokens and of notifications about them."""

from typing import Final

from cluster.model.token import DelegationToken
from cluster.zk.fields import (
    INT64_MAX,
    JsonObject,
    extra_fields,
    json_bytes,
    json_list,
    json_object,
    number,
    plain_text,
    shown,
    text,
)
from cluster.zk.paths import ILLEGAL_ESCAPE, desanitized, sanitized
from cluster.zk.znode import Znode

NEWEST_VERSION: Final = 3
FIELDS: Final = frozenset(
    {
        "version",
        "owner",
        "tokenRequester",
        "renewers",
        "issueTimestamp",
        "expiryTimestamp",
        "maxTimestamp",
        "tokenId",
    }
)


def decode_token(node: Znode) -> DelegationToken:
    document = json_object(node)
    version = number(node, document, "version", 1, NEWEST_VERSION)
    owner = principal(node, text(node, document, "owner"))
    requester = owner
    if version >= 3:
        requester = principal(node, text(node, document, "tokenRequester"))
    return DelegationToken(
        token_id=text(node, document, "tokenId"),
        owner=owner,
        requester=requester,
        renewers=tuple(
            decode_renewer(node, renewer) for renewer in json_list(node, document, "renewers")
        ),
        issue_timestamp_ms=number(node, document, "issueTimestamp", 0, INT64_MAX),
        expiry_timestamp_ms=number(node, document, "expiryTimestamp", 0, INT64_MAX),
        max_timestamp_ms=number(node, document, "maxTimestamp", 0, INT64_MAX),
        version=version,
        zk_version=node.zk_version,
        extra=extra_fields(document, FIELDS if version >= 3 else FIELDS - {"tokenRequester"}),
    )


def decode_renewer(node: Znode, renewer: object) -> str:
    if type(renewer) is not str:
        raise node.corrupt(f"a renewer is not text: {shown(renewer)}")
    return principal(node, renewer)


def principal(node: Znode, encoded: str) -> str:
    if ILLEGAL_ESCAPE.search(encoded):
        raise node.corrupt(f"a principal is not URL-encoded: {shown(encoded)}")
    return desanitized(encoded)


def encode_token(token: DelegationToken) -> bytes:
    """Encode in *token*'s own version, in the order of the hash map of Scala 2.13."""
    document: JsonObject = {
        "issueTimestamp": token.issue_timestamp_ms,
        "renewers": [sanitized(renewer) for renewer in token.renewers],
    }
    if token.version >= 3:
        document["tokenRequester"] = sanitized(token.requester)
    document |= {
        "tokenId": token.token_id,
        "owner": sanitized(token.owner),
        "expiryTimestamp": token.expiry_timestamp_ms,
        "maxTimestamp": token.max_timestamp_ms,
        "version": token.version,
    }
    return json_bytes({**document, **token.extra})


def decode_token_change(node: Znode) -> str:
    """The id of the token that was created, renewed or deleted."""
    return plain_text(node)


def encode_token_change(token_id: str) -> bytes:
    return token_id.encode()
