"""The clients of the servers of an ensemble, as each server reports them; without a session."""

from functools import partial
from typing import TYPE_CHECKING, Final

from cluster.model.address import split_address
from kadmin.admin.asking import Asking, Lines
from kadmin.admin.tls import tls_context
from kadmin.admin.zookeeper.client import reason
from kadmin.admin.zookeeper.ensemble_probe import answer_from, servers_of
from kadmin.plan.zookeeper_clients import ADMIN_COMMANDS, CLIENT_WORDS, ServerClients
from kadmin.plan.zookeeper_words import NOT_ALLOWED
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

PATIENCE_S: Final = 5.0
"""For one server; --timeout makes it shorter."""


def ask_clients(settings: ZooKeeperSettings, admin_port: int | None) -> list[ServerClients]:
    """Return what each server of the connect string reports of its clients, in its order.

    *admin_port* is that of the admin servers, which are asked for what the words do not answer;
    None for none.
    """
    servers = servers_of(settings.connect)
    tls = tls_context(settings, "zookeeper")
    lines = Lines()
    patience_s = min(PATIENCE_S, settings.timeout_s)
    ask = partial(ask_words, admin_port=admin_port, lines=lines, timeout_s=patience_s / 2, tls=tls)
    asking: Asking[str, ServerClients] = Asking(servers, ask, lines)
    try:
        found = asking.answers(patience_s)
    finally:
        asking.close()
    return [found.get(server) or ServerClients(server, {}, "no answer") for server in servers]


def ask_words(
    server: str,
    *,
    admin_port: int | None,
    lines: Lines,
    timeout_s: float,
    tls: "ssl.SSLContext | None",
) -> ServerClients:
    host, port = split_address(server)
    answers = {}
    try:
        for word, command in zip(CLIENT_WORDS, ADMIN_COMMANDS, strict=True):
            text = answer_from(host, port, word, lines=lines, timeout_s=timeout_s, tls=tls)
            if NOT_ALLOWED in text and admin_port is not None:
                text = admin_answer(host, admin_port, command, timeout_s) or text
            answers[word] = text
    except OSError as error:
        return ServerClients(server, answers, reason(error))
    return ServerClients(server, answers)


def admin_answer(host: str, port: int, command: str, timeout_s: float) -> str | None:
    """Return the JSON of the admin server's *command*; None where it has none."""
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", f"/commands/{command}")
        answer = connection.getresponse()
        return answer.read().decode() if answer.status == 200 else None
    except (HTTPException, OSError, UnicodeDecodeError):
        return None
    finally:
        connection.close()
