"""Listeners: the addresses at which a broker listens, and those that it advertises.

Reads `listeners`, `advertised.listeners` and `listener.security.protocol.map`.  Knows no socket.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, NamedTuple

from cluster.model.broker import Endpoint
from cluster.model.config_spec import members
from cluster.zk.brokers import ENDPOINT, PORT_MAX

BOUND: Final = "listeners"
ADVERTISED: Final = "advertised.listeners"
PROTOCOL_MAP: Final = "listener.security.protocol.map"
INTER_BROKER: Final = "inter.broker.listener.name"
LISTENER_KEYS: Final = frozenset({BOUND, ADVERTISED, PROTOCOL_MAP})
"""The configs of them that can change while a broker runs."""

SUPPORTED: Final = "PLAINTEXT"
"""The one supported security protocol."""

DEFAULT_PROTOCOLS: Final = {
    name: name for name in ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
}
EVERY_ADDRESS: Final = ("", "0.0.0.0", "::")
"""Hosts that mean all interfaces: a broker can listen there, but clients cannot connect to them."""
ANY_PORT: Final = 0


class InvalidListeners(ValueError):
    """A text that names no listeners, or unsupported ones; the message has the reason."""

    key = ""
    """The config with that text, where it is known."""


class Listeners(NamedTuple):
    """The listeners of a broker; other brokers reach it by the listener *inter_broker*."""

    bound: tuple[Endpoint, ...]
    advertised: tuple[Endpoint, ...]
    inter_broker: str


def read_listeners(value_of: Callable[[str], str]) -> Listeners:
    """The listeners of a broker with the configs that *value_of* returns, empty for an unset one.

    Raises:
        InvalidListeners: with the invalid key.
    """
    key = PROTOCOL_MAP
    try:
        protocols = parse_protocols(value_of(key))
        key = BOUND
        bound = advertised = parse_listeners(value_of(key), protocols)
        key = ADVERTISED
        if value_of(key):
            advertised = parse_listeners(value_of(key), protocols)
            check_advertised(advertised, bound)
        key = INTER_BROKER
        names = [endpoint.listener for endpoint in advertised]
        inter_broker = value_of(key).upper() or names[0]
        if inter_broker not in names:
            known = ", ".join(names)
            raise InvalidListeners(f"{inter_broker} is not among the listeners: {known}")
    except InvalidListeners as error:
        error.key = key
        raise
    return Listeners(bound, advertised, inter_broker)


def check_inter_broker(name: str, listeners: Listeners) -> None:
    """Check that brokers still reach this one by the listener *name*.

    Raises:
        InvalidListeners: they do not.
    """
    if all(endpoint.listener != name for endpoint in listeners.advertised):
        error = InvalidListeners(
            f"the listener {name}, by which brokers reach this one, is missing"
        )
        error.key = ADVERTISED
        raise error


def parse_protocols(text: str) -> dict[str, str]:
    """Parse `LISTENER:PROTOCOL,…`; empty text means that each protocol names its own listener.

    Raises:
        InvalidListeners: something else, or a protocol that Kafka does not have.
    """
    if not text:
        return dict(DEFAULT_PROTOCOLS)
    protocols = {}
    for pair in members(text):
        listener, colon, protocol = pair.partition(":")
        if not colon or not listener:
            raise InvalidListeners(f"{pair!r} is not LISTENER:PROTOCOL")
        if protocol.upper() not in DEFAULT_PROTOCOLS:
            known = ", ".join(DEFAULT_PROTOCOLS)
            raise InvalidListeners(f"{protocol!r} is no security protocol, which are {known}")
        protocols[listener.upper()] = protocol.upper()
    return protocols


def parse_listeners(text: str, protocols: Mapping[str, str]) -> tuple[Endpoint, ...]:
    """Parse `LISTENER://host:port,…`; a host may be empty, and in brackets.

    Raises:
        InvalidListeners: something else, a name twice, or a protocol other than PLAINTEXT.
    """
    endpoints: list[Endpoint] = []
    for word in members(text):
        endpoint = parse_endpoint(word, protocols)
        if any(other.listener == endpoint.listener for other in endpoints):
            raise InvalidListeners(f"listener {endpoint.listener} is there twice")
        endpoints.append(endpoint)
    if not endpoints:
        raise InvalidListeners("there has to be one listener at least")
    return tuple(endpoints)


def parse_endpoint(word: str, protocols: Mapping[str, str]) -> Endpoint:
    match = ENDPOINT.fullmatch(word)
    if match is None or not 0 <= int(match[3]) <= PORT_MAX:
        raise InvalidListeners(f"{word!r} is not LISTENER://host:port")
    listener = match[1].upper()
    protocol = protocols.get(listener)
    if protocol is None:
        raise InvalidListeners(
            f"listener {listener} has no protocol: add {listener}:PLAINTEXT to"
            " listener.security.protocol.map"
        )
    if protocol != SUPPORTED:
        raise InvalidListeners(
            f"listener {listener} speaks {protocol}, which is not supported: only {SUPPORTED} is"
        )
    return Endpoint(
        listener=listener, security_protocol=protocol, host=match[2], port=int(match[3])
    )


def check_advertised(advertised: Sequence[Endpoint], bound: Sequence[Endpoint]) -> None:
    """Check that others can use the advertised addresses.

    Raises:
        InvalidListeners: an address that clients cannot connect to, or a listener that is not
        bound.
    """
    bound_names = {endpoint.listener for endpoint in bound}
    for endpoint in advertised:
        if endpoint.listener not in bound_names:
            raise InvalidListeners(f"{endpoint.listener} is not among the listeners")
        if endpoint.host in EVERY_ADDRESS[1:]:
            raise InvalidListeners(f"nobody can connect to {endpoint.host}")


def reachable(
    advertised: Sequence[Endpoint], ports: Mapping[str, int], host_name: str
) -> tuple[Endpoint, ...]:
    """The addresses to advertise: *ports* as they were bound, *host_name* for an empty host."""
    return tuple(
        replace(
            endpoint,
            host=host_name if endpoint.host in EVERY_ADDRESS else endpoint.host,
            port=ports[endpoint.listener] if endpoint.port == ANY_PORT else endpoint.port,
        )
        for endpoint in advertised
    )
