"""What of a cluster's configs, quotas, credentials and ACLs the controllers cannot copy."""

import binascii
import math
import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from cluster.model.acl import AclOperation
from cluster.model.config_entity import ConfigEntity, EntityKind
from cluster.model.config_table import find_spec
from cluster.zk import paths
from cluster.zk.configs import config_path
from kadmin.plan.check.findings import Severity
from kadmin.plan.entity_options import options_of
from kadmin.plan.migration.evidence import MigrationEvidence
from kadmin.plan.migration.findings import (
    DIES,
    SOURCE_3_9,
    MigrationFinding,
    MigrationKind,
)
from kadmin.plan.migration.unreadable import BAD_NAME
from kadmin.plan.scram import HASHES
from kadmin.quoting import quoted

SHOWN_MAX: Final = 80
QUOTA_KINDS: Final = frozenset({EntityKind.USERS, EntityKind.CLIENTS, EntityKind.IPS})
CREDENTIAL_FIELDS: Final = frozenset({"salt", "stored_key", "server_key", "iterations"})
OPERATIONS: Final = frozenset(
    {
        "All",
        "CreateTokens",
        "DescribeTokens",
        *("".join(map(str.capitalize, each.name.split("_"))) for each in AclOperation),
    }
)
"""The words of operations in znodes."""
NUMBER: Final = re.compile(
    r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[dDfF]?"
    r"|0[xX]([\da-fA-F]+\.?|[\da-fA-F]*\.[\da-fA-F]+)[pP][+-]?\d+[dDfF]?)",
    re.ASCII,
)
WHOLE_NUMBER: Final = re.compile(r"[+-]?\d+")
WHOLE_QUOTAS: Final = frozenset(
    {"producer_byte_rate", "consumer_byte_rate", "connection_creation_rate"}
)
INT32: Final = range(-(2**31), 2**31)
PRINCIPAL: Final = re.compile(r"[^:]*:")
BLANKS: Final = "".join(map(chr, range(33)))
"""What Java's `String.trim` takes away."""
PERMISSIONS: Final = frozenset({"Allow", "Deny"})


def content_findings(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    yield from quotas(evidence)
    yield from fractions(evidence)
    yield from host_names(evidence)
    yield from credentials(evidence)
    yield from broker_names(evidence)
    yield from undecodable_names(evidence)
    yield from passwords(evidence)
    yield from rules(evidence)
    yield from principals(evidence)
    yield from token_principals(evidence)
    yield from misplaced(evidence)


def delete_command(entity: ConfigEntity, key: str) -> str:
    return f"kadmin configs --alter {options_of(entity)} --delete-config {quoted(key)}"


def quotas(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for entity, config in evidence.configs.items():
        if entity.root.kind not in QUOTA_KINDS:
            continue
        for key, value in config.values.items():
            if (key in HASHES and entity.child is None) or (
                is_number(value) and find_spec(entity.kind, key) is not None
            ):
                continue
            if is_number(value):
                yield unknown_quota(entity, key)
                continue
            # What is no quota may be a secret, such as a credential of another mechanism.
            is_quota = find_spec(entity.kind, key) is not None
            seen = value[:SHOWN_MAX] if is_quota else "…"
            yield MigrationFinding(
                severity=Severity.CRITICAL,
                kind=MigrationKind.QUOTA,
                text=f"{key[:SHOWN_MAX]} of {entity} is no number: {seen}",
                outcome="IllegalStateException 'Unexpected client quota configuration value:"
                f" {key[:SHOWN_MAX]} -> {seen}': {DIES}",
                command=delete_command(entity, key),
                znodes=(config_path(entity),),
                source=f"ZkConfigMigrationClient; {SOURCE_3_9}",
            )


def fractions(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find quotas that controllers read, and brokers over ZooKeeper do not, once they restart."""
    for entity, config in evidence.configs.items():
        if entity.root.kind not in QUOTA_KINDS:
            continue
        for key in WHOLE_QUOTAS & config.values.keys():
            value = config.values[key]
            if is_number(value) and not WHOLE_NUMBER.fullmatch(value):
                yield MigrationFinding(
                    severity=Severity.CRITICAL,
                    kind=MigrationKind.QUOTA,
                    text=f"{key} of {entity} is no whole number: {value[:SHOWN_MAX]}",
                    outcome=f"'NumberFormatException: For input string: \"{value[:SHOWN_MAX]}\"': a"
                    " broker that is restarted over ZooKeeper, as in migration mode, exits",
                    command=delete_command(entity, key),
                    znodes=(config_path(entity),),
                    source=f"Kafka's ConfigHandler; {SOURCE_3_9}",
                )


def host_names(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find limits of connections for what is no IP address."""
    for entity, config in evidence.configs.items():
        name = entity.root.name
        if entity.kind is not EntityKind.IPS or not config.values or is_address(name):
            continue
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.QUOTA,
            text=f"{entity} has limits, and is no IP address",
            outcome="where it cannot be resolved: 'Encountered metadata publishing fault: Uncaught"
            " exception while publishing dynamic client quota changes'",
            # kadmin refuses the name as well.
            command="kadmin configs --describe --entity-type ips",
            znodes=(config_path(entity),),
            source=f"ClientQuotaMetadataManager; {SOURCE_3_9}",
        )


def is_address(name: str | None) -> bool:
    """Return whether *name* is an IP address; the default, which has no name, is one."""
    try:
        return name is None or bool(ip_address(name))
    except ValueError:
        return False


def unknown_quota(entity: ConfigEntity, key: str) -> MigrationFinding:
    return MigrationFinding(
        severity=Severity.CRITICAL,
        kind=MigrationKind.QUOTA,
        text=f"{entity} has {key[:SHOWN_MAX]}, which is no quota",
        outcome="it is copied, and cannot be written back: 'Encountered ZooKeeper error during"
        f" event SyncKRaftMetadataEvent. Will retry.' (Invalid configuration key"
        f" {key[:SHOWN_MAX]}): the migration never reaches dual-write, and KRaft has the cluster",
        command=delete_command(entity, key),
        znodes=(config_path(entity),),
        source=f"ZkConfigMigrationClient; {SOURCE_3_9}",
    )


def is_number(text: str) -> bool:
    """Return whether Java's `Double.parseDouble` reads *text*."""
    return double(text) is not None


def double(text: str) -> float | None:
    """Return what Java's `Double.parseDouble` makes of *text*; None where it refuses it."""
    number = text.strip(BLANKS)
    if NUMBER.fullmatch(number) is None:
        return None
    number = number.rstrip("dDfF")
    if "x" not in number.lower():
        return float(number)
    try:
        return float.fromhex(number)
    except OverflowError:
        return -math.inf if number.startswith("-") else math.inf


def credentials(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find credentials without the four fields; none is ever shown."""
    for entity, config in evidence.configs.items():
        if entity.root.kind not in QUOTA_KINDS or entity.child is not None:
            continue
        for mechanism in HASHES:
            value = config.values.get(mechanism)
            if value is None or is_credential(value):
                continue
            yield MigrationFinding(
                severity=Severity.CRITICAL,
                kind=MigrationKind.SCRAM,
                text=f"the {mechanism} credential of {entity} cannot be read",
                outcome=f"IllegalArgumentException 'Credentials not valid': {DIES}",
                command=delete_command(entity, mechanism),
                znodes=(config_path(entity),),
                source=f"ScramCredentialUtils; {SOURCE_3_9}",
            )


def is_credential(text: str) -> bool:
    # Java drops what is empty at the end.
    fields = dict(part.partition("=")[::2] for part in text.rstrip(",").split(","))
    return (
        CREDENTIAL_FIELDS == fields.keys()
        and is_int32(fields["iterations"])
        and all(is_base64(fields[name]) for name in CREDENTIAL_FIELDS - {"iterations"})
    )


def is_int32(text: str) -> bool:
    """Return whether Java's `Integer.parseInt` reads *text*."""
    return WHOLE_NUMBER.fullmatch(text) is not None and len(text) < 100 and int(text) in INT32


def is_base64(text: str) -> bool:
    """Return whether Java's decoder reads *text*, which may lack its padding, all of it."""
    try:
        padding = "" if "=" in text else "=" * (-len(text) % 4)
        binascii.a2b_base64(text + padding, strict_mode=True)
    except ValueError:
        return False
    return True


def broker_names(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for entity in evidence.configs:
        name = entity.root.name
        if entity.kind is not EntityKind.BROKERS or name is None or is_int32(name):
            continue
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.CONFIG_NAME,
            text=f"there is a znode for configs of a broker '{name}', which is no broker id",
            outcome=f"'Error in broker config consumer. Broker was {name}.': {DIES}",
            znodes=(config_path(entity),),
            source=f"ZkConfigMigrationClient; {SOURCE_3_9}",
        )


def undecodable_names(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find names that cannot be decoded, of entities without configs: with some it is damage."""
    damaged = {damage.path for damage in evidence.damages}
    for entity in evidence.configs:
        path = config_path(entity)
        if entity.is_raw and path not in damaged and paths.ILLEGAL_ESCAPE.search(path):
            yield MigrationFinding(
                severity=Severity.CRITICAL,
                kind=MigrationKind.CONFIG_NAME,
                text=f"{path} has no configs, and its name is not URL-encoded",
                outcome=BAD_NAME.outcome,
                znodes=(path,),
                source=BAD_NAME.source,
            )


def passwords(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find dynamic configs of brokers that are encrypted."""
    for entity, config in evidence.configs.items():
        if entity.kind is not EntityKind.BROKERS:
            continue
        keys = [key for key in config.values if is_password(key)]
        if keys:
            yield MigrationFinding(
                severity=Severity.WARNING,
                kind=MigrationKind.PASSWORD,
                text=f"{entity} has encrypted configs: {', '.join(sorted(keys))}",
                outcome="the controllers need the brokers' password.encoder.secret: without any,"
                " the encrypted text is copied as the password; with another one, or an older one,"
                f" they cannot decode it: {DIES}",
                command=f"kadmin configs --describe {options_of(entity)}",
                znodes=(config_path(entity),),
                source=f"ZkConfigMigrationClient, PasswordEncoder; {SOURCE_3_9}",
            )


def is_password(key: str) -> bool:
    spec = find_spec(EntityKind.BROKERS, key)
    return spec is not None and spec.is_sensitive


def rules(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for resource, acls in evidence.acls.items():
        wrong = [
            entry
            for entry in acls.entries
            if entry.operation not in OPERATIONS or entry.permission_type not in PERMISSIONS
        ]
        if wrong:
            first = wrong[0]
            yield MigrationFinding(
                severity=Severity.WARNING,
                kind=MigrationKind.ACL,
                text=f"ACLs of {resource.resource_type} '{resource.name}' have words that no"
                f" authorizer knows: {first.permission_type} {first.operation}",
                outcome="they are copied as UNKNOWN, and allow or deny nothing",
                command=f"kadmin acls --list --{resource.resource_type.lower()}"
                f" {quoted(resource.name)}",
                znodes=(paths.acls(resource),),
                source=f"ZkAclMigrationClient; {SOURCE_3_9}",
            )


def principals(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find principals without a type, such as `alice` for `User:alice`."""
    for resource, acls in evidence.acls.items():
        wrong = [entry.principal for entry in acls.entries if not PRINCIPAL.match(entry.principal)]
        if wrong:
            yield MigrationFinding(
                severity=Severity.CRITICAL,
                kind=MigrationKind.ACL,
                text=f"ACLs of {resource.resource_type} '{resource.name}' have a principal"
                f" without a type: {wrong[0][:SHOWN_MAX]}",
                outcome="'expected a string in format principalType:principalName but got"
                f" {wrong[0][:SHOWN_MAX]}': {DIES}",
                command=f"kadmin acls --list --{resource.resource_type.lower()}"
                f" {quoted(resource.name)}",
                znodes=(paths.acls(resource),),
                source=f"SecurityUtils; {SOURCE_3_9}",
            )


def token_principals(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    """Find delegation tokens with principals without a type."""
    for token in evidence.tokens:
        names = (token.owner, token.requester, *token.renewers)
        if all(map(PRINCIPAL.match, names)):
            continue
        path = paths.delegation_token(token.token_id)
        yield MigrationFinding(
            severity=Severity.CRITICAL,
            kind=MigrationKind.UNREADABLE,
            text=f"{path} has a principal without a type",
            outcome=f"'expected a string in format principalType:principalName': {DIES}",
            znodes=(path,),
            source=f"SecurityUtils; {SOURCE_3_9}",
        )


def misplaced(evidence: MigrationEvidence) -> Iterator[MigrationFinding]:
    for path in evidence.misplaced:
        yield MigrationFinding(
            severity=Severity.NOTE,
            kind=MigrationKind.CONFIG_NAME,
            text=f"{path} is no place that brokers or controllers read; it is not copied",
            znodes=(path,),
            source=SOURCE_3_9,
        )
