"""Arguments about ACLs: which resources and which rules do the options of kafka-acls mean?"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from itertools import product
from typing import Final

from cluster.model.acl import ResourceType
from kadmin.errors import UsageError
from kadmin.plan.acls import (
    ALL,
    ALLOW,
    ANYWHERE,
    CLUSTER_NAME,
    DENY,
    OPERATIONS,
    SUPPORTED,
    AclRequest,
    PatternFilter,
    ResourceFilter,
    Rule,
    constant,
)

PRODUCER: Final = {
    ResourceType.TOPIC: ("Write", "Describe", "Create"),
    ResourceType.TRANSACTIONAL_ID: ("Write", "Describe"),
}
CONSUMER: Final = {ResourceType.TOPIC: ("Read", "Describe"), ResourceType.GROUP: ("Read",)}
IDEMPOTENT: Final = "IdempotentWrite"
USER: Final = "User"
BLANK_IN_DN: Final = re.compile(r",\s+(?=[A-Za-z0-9.]+=)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Whom:
    """Whom rules are about; without hosts, wherever he comes from."""

    allowed: tuple[str, ...] = ()
    denied: tuple[str, ...] = ()
    allowed_hosts: tuple[str, ...] = ()
    denied_hosts: tuple[str, ...] = ()

    def rules(self, operations: Iterable[str]) -> tuple[Rule, ...]:
        """Return a rule for each principal, host and one of *operations*."""
        sides = (
            (ALLOW, self.allowed, self.allowed_hosts),
            (DENY, self.denied, self.denied_hosts),
        )
        words = tuple(operations)
        return tuple(
            Rule(principal, permission, operation, host)
            for permission, principals, hosts in sides
            for principal, host, operation in product(principals, hosts or (ANYWHERE,), words)
        )


def principals_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return principals as they were given.

    Raises:
        UsageError: one is not of the form `User:alice`.
    """
    for text in texts:
        kind, _, name = text.strip().partition(":")
        if not kind or not name:
            raise UsageError(
                f"'{text}' is no principal: it is principalType:principalName", hint="User:alice"
            )
        require_utf8(text)
    return tuple(text.strip() for text in texts)


def hosts_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return hosts as they were given.

    Raises:
        UsageError: one is empty, which would match no client.
    """
    for text in texts:
        if not text.strip():
            raise UsageError(
                "a host is empty: such a rule would match nobody",
                hint="give an address, or leave the host out, for everywhere",
            )
        require_utf8(text)
    return tuple(text.strip() for text in texts)


def require_utf8(text: str) -> None:
    """See that *text* can be written.

    Raises:
        UsageError: it came as bytes that are no UTF-8.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{text!a} is no UTF-8, and no broker would know it",
            hint="see what the shell passes: locale, and how the name was made",
        ) from error


def operations_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return operations as ZooKeeper has them, All for none, from any spelling of Kafka's tools.

    Raises:
        UsageError: there is no such operation.
    """
    known = {spelling(name): name for name in OPERATIONS}
    for text in texts:
        if spelling(text) not in known:
            raise UsageError(
                f"there is no operation '{text}'", hint=f"--operation {'|'.join(OPERATIONS)}"
            )
    return tuple(known[spelling(text)] for text in texts) or (ALL,)


def spelling(text: str) -> str:
    return text.strip().replace("_", "").lower()


def filters_of(
    names: Mapping[ResourceType, Sequence[str]], pattern: PatternFilter
) -> tuple[ResourceFilter, ...]:
    """Return the resources that are named; the cluster has a name of its own, and no other pattern.

    Raises:
        UsageError: a name is empty, or no UTF-8.
    """
    filters = []
    for kind, given in names.items():
        for text in given:
            name = text.strip()
            if not name:
                raise UsageError(
                    f"a {constant(kind).lower()} has an empty name",
                    hint="name it, or give '*' for all of its kind",
                )
            require_utf8(name)
            is_cluster = kind is ResourceType.CLUSTER
            filters.append(
                ResourceFilter(kind, name, PatternFilter.LITERAL if is_cluster else pattern)
            )
    return tuple(dict.fromkeys(filters))


def plain_request(
    filters: Sequence[ResourceFilter],
    whom: Whom,
    operations: Sequence[str],
    *,
    is_removal: bool,
) -> AclRequest:
    """Return the same rules for each resource.

    Raises:
        UsageError: a resource takes no such operation.
    """
    for filter_ in filters:
        valid = SUPPORTED[filter_.resource_type] | {ALL}
        wrong = [operation for operation in operations if operation not in valid]
        if wrong:
            shown = ", ".join(name for name in OPERATIONS if name in valid)
            raise UsageError(
                f"ResourceType {filter_.resource_type.name} only supports operations {shown}:"
                f" not {', '.join(wrong)}",
                hint="kadmin acls --help",
            )
    rules = whom.rules(operations)
    return AclRequest(rules=dict.fromkeys(filters, rules), is_removal=is_removal)


def convenient_request(
    filters: Sequence[ResourceFilter],
    whom: Whom,
    *,
    produces: bool,
    consumes: bool,
    is_idempotent: bool,
    is_removal: bool,
) -> AclRequest:
    """Return the rules that a producer, a consumer, or who is both needs of the resources it
    names."""
    operations: dict[ResourceFilter, list[str]] = {}
    for needs, is_wanted in ((PRODUCER, produces), (CONSUMER, consumes)):
        for filter_ in filters:
            if is_wanted and filter_.resource_type in needs:
                operations.setdefault(filter_, []).extend(needs[filter_.resource_type])
    if is_idempotent:
        the_cluster = ResourceFilter(ResourceType.CLUSTER, CLUSTER_NAME)
        operations.setdefault(the_cluster, []).append(IDEMPOTENT)
    return AclRequest(
        rules={filter_: whom.rules(dict.fromkeys(words)) for filter_, words in operations.items()},
        is_removal=is_removal,
    )


def match_warnings(
    filters: Iterable[ResourceFilter], principals: Iterable[str], hosts: Iterable[str]
) -> Iterator[str]:
    """Return what names mean that seem to match more than they do: authorizers compare them letter
    by letter."""
    for each in filters:
        kind = constant(each.resource_type).lower().replace("_", " ")
        if each.name == ANYWHERE and each.pattern is PatternFilter.PREFIXED:
            yield (
                f"'*' with --resource-pattern-type prefixed means the {kind}s whose names begin"
                f" with '*': all {kind}s are {option_of(each)} '*' with literal, the default"
            )
        elif each.name != ANYWHERE and "*" in each.name:
            yield (
                f"'{each.name}' is no pattern: it means the {kind} with '*' in its name; a prefix"
                f" is given by {option_of(each)} {each.name.partition('*')[0] or 'PREFIX'}"
                " --resource-pattern-type prefixed"
            )
    for principal in principals:
        yield from principal_warnings(principal)
    for host in hosts:
        yield from host_warnings(host)


def principal_warnings(principal: str) -> Iterator[str]:
    kind, _, name = principal.strip().partition(":")
    if name != ANYWHERE and "*" in name:
        yield f"'{principal}' is no pattern: it means the principal with '*' in its name"
    if kind != USER and kind.lower() == USER.lower():
        yield f"'{principal}' is not {USER}:{name}: brokers distinguish capitals in the type, too"
    if BLANK_IN_DN.search(name):
        yield (
            f"'{principal}' has blanks between its parts: brokers write the name of a certificate"
            f" without, unless they map it: {kind}:{BLANK_IN_DN.sub(r',', name)}"
        )


def host_warnings(host: str) -> Iterator[str]:
    """Return why no client may come from *host*, as brokers write addresses.

    Source: Java's `InetAddress.getHostAddress`, which shortens no IPv6 address.
    """
    if host.strip() == ANYWHERE:
        return
    if is_network(host.strip()):
        yield (
            f"host '{host}' is a network: brokers before KAFKA-20088 (2026), and all with"
            " ZooKeeper, compare it with the client's address, and it matches none"
        )
        return
    try:
        address = ip_address(host.strip())
    except ValueError:
        yield (
            f"host '{host}' is no IP address: brokers compare it with the client's address, and"
            " look up no names"
        )
        return
    if address.version == 4:
        return
    written = ":".join(
        f"{int(part, 16):x}" for part in address.exploded.partition("%")[0].split(":")
    )
    if written != host.strip():
        yield f"host '{host}' matches no client: brokers write that address as {written}"


def is_network(host: str) -> bool:
    try:
        ip_network(host, strict=False)
    except ValueError:
        return False
    return "/" in host


def option_of(filter_: ResourceFilter) -> str:
    """Return the option that names a resource of that type."""
    if filter_.resource_type is ResourceType.USER:
        return "--user-principal"
    return "--" + constant(filter_.resource_type).lower().replace("_", "-")
