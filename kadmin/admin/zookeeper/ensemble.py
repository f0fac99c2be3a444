"""The servers of an ensemble, one by one: what does each tell of itself?

Asks without a session: by four-letter words, or by the admin server.  Knows no znode.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

from cluster.model.address import host_and_port, split_address
from kadmin.admin.tls import tls_context
from kadmin.admin.zookeeper.client import reason
from kadmin.admin.zookeeper.glance import Asking, servers_of
from kadmin.four_letter_words import say
from kadmin.plan.ensemble import Told
from kadmin.plan.zookeeper_words import WORDS
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

PATIENCE_S: Final = 3.0
"""For one server that is to tell of itself; --timeout makes it shorter."""


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
