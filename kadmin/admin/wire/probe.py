"""A probe of the addresses of brokers before any client connects: which of them answer.

kafka-python tries the addresses in random order, waits for a silent one for its whole timeout, and
may never reach one that answers.  So all are probed at the same time, on sockets of this module,
and kafka-python gets those that have answered first.
"""

import socket
import struct
from collections.abc import Callable, Collection, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from cluster.model.address import split_address
from cluster.wire.api_keys import ApiKey
from cluster.wire.codec import encode_request
from cluster.wire.messages.api_versions import ApiVersionsRequest
from kadmin.admin.asking import Asking, Lines
from kadmin.admin.tls import tls_context
from kadmin.admin.wire.errors import BrokersUnreachable
from kadmin.settings.brokers import BrokerSettings

if TYPE_CHECKING:
    import ssl

ANSWER_HEAD: Final = struct.Struct(">ii")
"""How a broker's answer begins: its size, without these four bytes, and the correlation id."""
SIZE_SIZE: Final = 4
CORRELATION_ID: Final = 0

PROBE_S: Final = 1.0
"""For addresses that the command does not wait for: a command lasts at least so long."""


class Voice(Enum):
    """How a server at an address behaves."""

    ANSWERS = "answers"
    HANGS_UP = "hangs up"
    """As brokers before 0.10 do at a request that they do not know, a server of another protocol,
    or a forwarder of ports without a server behind it."""
    TALKS = "talks"
    """As no broker does: a check of health by HTTP that is registered among the listeners."""


class Probe:
    """The addresses of *settings*, each being asked from now on."""

    def __init__(self, settings: BrokerSettings) -> None:
        self._settings = settings
        addresses = settings.bootstrap.split(",")
        # With one address there is no choice: that it accepts connections is enough.
        tls = None if len(addresses) == 1 else tls_context(settings, "broker")
        lines = Lines()
        ask = take_connection if len(addresses) == 1 else partial(greet, lines=lines, tls=tls)
        self._asking: Asking[str, Voice | str] = Asking(
            addresses, partial(voice_at, lines=lines, timeout_s=settings.timeout_s, ask=ask), lines
        )

    def close(self) -> None:
        """Wait for none of them any more."""
        self._asking.close()

    def working(self, patience_s: float | None = None, but: Collection[str] = ()) -> list[str]:
        """Return the addresses *but* these that have answered when the first one has, in their
        order.

        Waits at most *patience_s* after the probe began; None means the settings' timeout.
        Addresses that accept connections and close them count if there are no others, and after
        these those of servers that are no brokers.

        Raises:
            BrokersUnreachable: no address answers; names the reason of each.
        """
        found = self._asking.answers(
            self._settings.timeout_s if patience_s is None else patience_s,
            lambda answers: any(
                voice is Voice.ANSWERS and each not in but for each, voice in answers.items()
            ),
        )
        others = [each for each in self._asking.servers if each not in but]
        for voice in Voice:
            best = [each for each in others if found.get(each) is voice]
            if best:
                return best
        raise BrokersUnreachable(self._settings.bootstrap, self._reasons(found))

    def answered(self) -> frozenset[str]:
        """Return the addresses that have answered up to now."""
        found = self._asking.answers(0)
        return frozenset(each for each, voice in found.items() if voice is Voice.ANSWERS)

    def down(self) -> dict[str, str]:
        """Return the addresses that have not answered yet, each with the reason; none of a broker
        that has answered at another address."""
        found = self._asking.answers(PROBE_S)
        answered = {each for each, voice in found.items() if voice is Voice.ANSWERS}
        for listeners in self._settings.same_broker:
            if not answered.isdisjoint(listeners):
                answered.update(listeners)
        reasons = {each: found.get(each, "no answer") for each in self._asking.servers}
        return {
            each: why
            for each, why in reasons.items()
            if isinstance(why, str) and each not in answered
        }

    def _reasons(self, found: Mapping[str, Voice | str]) -> str:
        silence = "no answer"
        limit = f" within {self._settings.timeout_s:g} s"
        reasons = {each: found.get(each, silence) for each in self._asking.servers}
        if set(reasons.values()) == {silence}:
            return silence + limit
        return ", ".join(
            f"{each}: {why}{limit if why == silence else ''}" for each, why in reasons.items()
        )


def voice_at(
    address: str,
    *,
    lines: Lines,
    timeout_s: float,
    ask: Callable[[socket.socket, str], Voice],
) -> Voice | str:
    """Return what is at *address*, by what *ask* makes of a connection; or why nothing
    seems to be."""
    try:
        place = split_address(address)
        with lines.connect(place, timeout_s) as connection:
            try:
                return ask(connection, place[0])
            except TimeoutError:
                return "no answer"
            except OSError:  # Also of TLS: the client reports what is wrong.
                return Voice.HANGS_UP
    except TimeoutError:
        return "no answer"
    except (OSError, ValueError) as error:
        return str(getattr(error, "strerror", None) or error).lower()


def take_connection(_connection: socket.socket, _host: str) -> Voice:
    return Voice.ANSWERS


def greet(plain: socket.socket, host: str, *, lines: Lines, tls: "ssl.SSLContext | None") -> Voice:
    """Send ApiVersions, which every broker since 0.10 answers, also before a login."""
    buffers = encode_request(
        ApiKey.API_VERSIONS, 0, CORRELATION_ID, "kadmin", ApiVersionsRequest("", "")
    )
    with lines.secured(plain, tls, host) as connection:
        connection.sendall(b"".join(cast("list[bytes]", buffers)))
        head = b""
        while len(head) < ANSWER_HEAD.size:
            more = connection.recv(ANSWER_HEAD.size - len(head))
            if not more:
                return Voice.TALKS if head else Voice.HANGS_UP
            head += more
    size, correlation_id = ANSWER_HEAD.unpack(head)
    is_answer = correlation_id == CORRELATION_ID and size > ANSWER_HEAD.size - SIZE_SIZE
    return Voice.ANSWERS if is_answer else Voice.TALKS
