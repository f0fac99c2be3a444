"""The servers of an ensemble, one by one: what does each tell of itself, and which are down?

Asks without a session: by four-letter words, or by the admin server.  Knows no znode.
"""

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from cluster.model.address import host_and_port, split_address
from kadmin.admin.tls import tls_context
from kadmin.admin.zookeeper.client import reason
from kadmin.four_letter_words import say
from kadmin.plan.ensemble import NOT_SERVING, STATE, WORDS, Told
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

T = TypeVar("T")

PATIENCE_S: Final = 3.0
"""For one server that is to tell of itself; --timeout makes it shorter."""

GLANCE_S: Final = 0.3
"""For servers that nobody waits for: a command with a live one ends that much later at most."""


class Asking(Generic[T]):
    """Questions to several servers at the same time, each on a thread that nobody waits for."""

    def __init__(self, servers: Sequence[str], ask: Callable[[str], T]) -> None:
        self.servers = tuple(servers)
        self._ask = ask
        self._answers: dict[str, T] = {}
        self._started_s = time.monotonic()
        self._threads = [
            threading.Thread(target=self._put, args=(server,), daemon=True) for server in servers
        ]
        for thread in self._threads:
            thread.start()

    def _put(self, server: str) -> None:
        self._answers[server] = self._ask(server)

    def answers(self, patience_s: float) -> Mapping[str, T]:
        """Those that have come *patience_s* after the questions were asked, at the latest."""
        for thread in self._threads:
            thread.join(max(0.0, self._started_s + patience_s - time.monotonic()))
        return dict(self._answers)


class Glance:
    """A look at the other servers while one of them is asked: which are down?"""

    def __init__(self, settings: ZooKeeperSettings, in_use: str) -> None:
        others = [server for server in servers_of(settings.connect) if server != in_use]
        tls = tls_context(settings, "zookeeper") if others else None
        self._asking = Asking(others, lambda server: failure_of(server, tls))

    def down(self) -> dict[str, str]:
        """Those of them that are down, each with the reason."""
        found = self._asking.answers(GLANCE_S)
        reasons = {each: found.get(each, "no answer") for each in self._asking.servers}
        return {server: why for server, why in reasons.items() if why is not None}


def failure_of(server: str, tls: "ssl.SSLContext | None") -> str | None:
    """Why *server* does not serve; None where it does, or says no more than that it lives."""
    try:
        text = say(STATE, *split_address(server), timeout_s=GLANCE_S, tls=tls)
    except OSError as error:
        return reason(error)
    return "it does not serve: most of the ensemble is not there" if NOT_SERVING in text else None


def ask_ensemble(settings: ZooKeeperSettings, admin_port: int | None) -> list[Told]:
    """What each server of the connect string tells of itself, in its order.

    *admin_port* is that of the admin servers, which are asked as well; None for none.
    """
    servers = servers_of(settings.connect)
    patience_s = min(PATIENCE_S, settings.timeout_s)
    tls = tls_context(settings, "zookeeper")
    ask = partial(ask_server, timeout_s=patience_s, tls=tls, admin_port=admin_port)
    found = Asking(servers, ask).answers(patience_s)
    return [found.get(server, Told(server=server, failure="no answer")) for server in servers]


def ask_server(
    server: str, *, timeout_s: float, tls: "ssl.SSLContext | None", admin_port: int | None
) -> Told:
    host, port = split_address(server)
    answers = {}
    try:
        for word in WORDS:
            answers[word] = say(word, host, port, timeout_s=timeout_s, tls=tls)
    except OSError as error:
        return Told(server=server, failure=reason(error))
    if admin_port is None:
        return Told(server=server, answers=answers)
    try:
        figures = admin_figures(host, admin_port, timeout_s)
    except (OSError, ValueError) as error:
        told = reason(error) if isinstance(error, OSError) else str(error)
        why = f"{host_and_port(host, admin_port)}: {told}"
        return Told(server=server, answers=answers, admin_failure=why)
    return Told(server=server, answers=answers, figures=figures)


def admin_figures(host: str, port: int, timeout_s: float) -> dict[str, str]:
    """What the admin server's `monitor` tells, which are the figures of `mntr`.

    Raises:
        OSError: nobody listens there, or nobody answers in time.
        ValueError: it is no admin server.
    """
    import json
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", "/commands/monitor")
        body = json.loads(connection.getresponse().read())
    except (HTTPException, ValueError) as error:
        raise ValueError("what answers there is none") from error
    finally:
        connection.close()
    if not isinstance(body, dict) or "command" not in body:
        raise ValueError("what answers there is none")
    return {name: str(value) for name, value in body.items() if value is not None}


def servers_of(connect: str) -> list[str]:
    """The servers of a connect string, `host:port` each."""
    return connect.partition("/")[0].split(",")
