"""Znodes of ACLs: codecs of the authorizer's rules and of notifications about them."""

from typing import Final

from cluster.model.acl import (
    AclChange,
    AclEntry,
    PatternType,
    ResourceAcls,
    ResourcePattern,
    ResourceType,
)
from cluster.zk.fields import (
    JsonObject,
    extra_fields,
    integer,
    json_bytes,
    json_list,
    json_object,
    plain_text,
    shown,
    text,
)
from cluster.zk.znode import Znode

VERSION: Final = 1
ACLS_FIELDS: Final = frozenset({"version", "acls"})
ENTRY_FIELDS: Final = frozenset({"principal", "permissionType", "operation", "host"})
CHANGE_FIELDS: Final = frozenset({"version", "resourceType", "name", "patternType"})


def decode_acls(node: Znode) -> ResourceAcls:
    """Decode a resource's rules; no data means no rules."""
    if not node.data:
        return ResourceAcls(entries=(), zk_version=node.zk_version)
    document = json_object(node)
    integer(node, document, "version", VERSION, VERSION)
    return ResourceAcls(
        entries=tuple(decode_entry(node, item) for item in json_list(node, document, "acls")),
        zk_version=node.zk_version,
        extra=extra_fields(document, ACLS_FIELDS),
    )


def decode_entry(node: Znode, item: object) -> AclEntry:
    if type(item) is not dict:
        raise node.corrupt(f"{shown(item)} is no rule")
    return AclEntry(
        principal=text(node, item, "principal"),
        permission_type=text(node, item, "permissionType"),
        operation=text(node, item, "operation"),
        host=text(node, item, "host"),
        extra=extra_fields(item, ENTRY_FIELDS),
    )


def encode_acls(acls: ResourceAcls) -> bytes:
    entries = [
        {
            "principal": entry.principal,
            "permissionType": entry.permission_type,
            "operation": entry.operation,
            "host": entry.host,
            **entry.extra,
        }
        for entry in acls.entries
    ]
    return json_bytes({"version": VERSION, "acls": entries, **acls.extra})


def decode_acl_change(node: Znode) -> AclChange:
    """Decode a node of `/kafka-acl-changes`, whose patterns are all literal: `Topic:name`."""
    content = plain_text(node)
    spelling, _, name = content.partition(":")
    resource_type = resource_type_of(node, spelling)
    if not name:
        raise node.corrupt(f"{shown(content)} is no type and name of a resource")
    return AclChange(
        resource=ResourcePattern(resource_type, name),
        spells_type_as_in_path=spelling == resource_type.value,
        zk_version=node.zk_version,
    )


def decode_extended_acl_change(node: Znode) -> AclChange:
    """Decode a node of `/kafka-acl-extended-changes`, whose patterns are all prefixes."""
    document = json_object(node)
    integer(node, document, "version", VERSION, VERSION)
    pattern_type = text(node, document, "patternType")
    if pattern_type != PatternType.PREFIXED:
        raise node.corrupt(f"{shown(pattern_type)} is no pattern type that belongs here")
    resource_type = resource_type_of(node, text(node, document, "resourceType"))
    return AclChange(
        resource=ResourcePattern(resource_type, text(node, document, "name"), PatternType.PREFIXED),
        zk_version=node.zk_version,
        extra=extra_fields(document, CHANGE_FIELDS),
    )


def resource_type_of(node: Znode, spelling: str) -> ResourceType:
    for resource_type in ResourceType:
        if spelling in (resource_type.name, resource_type.value):
            return resource_type
    raise node.corrupt(f"{shown(spelling)} is no type of a resource")


def encode_acl_change(change: AclChange) -> bytes:
    """Encode for the change store that `paths.acl_change_prefix` names for the same resource."""
    resource = change.resource
    if resource.is_literal:
        spelling = resource.resource_type.name
        if change.spells_type_as_in_path:
            spelling = resource.resource_type.value
        return f"{spelling}:{resource.name}".encode()
    document: JsonObject = {
        "version": VERSION,
        "resourceType": resource.resource_type.name,
        "name": resource.name,
        "patternType": resource.pattern_type.value,
    }
    return json_bytes({**document, **change.extra})
