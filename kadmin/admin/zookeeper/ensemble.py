"""The servers of an ensemble, one by one, with the state that each reports.

They are asked without a session: by four-letter words, or by the admin server.
"""

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from cluster.model.address import host_and_port, split_address
from kadmin.admin.asking import Asking, Lines
from kadmin.admin.tls import tls_context
from kadmin.admin.zookeeper.client import reason
from kadmin.admin.zookeeper.ensemble_probe import answer_from, servers_of
from kadmin.plan.ensemble import ServerAnswers
from kadmin.plan.zookeeper_words import WORDS
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

PATIENCE_S: Final = 3.0
"""For one server's report; --timeout makes it shorter."""


def ask_ensemble(settings: ZooKeeperSettings, admin_port: int | None) -> list[ServerAnswers]:
    """Return the report of each server of the connect string, in its order.

    *admin_port* is that of the admin servers, which are asked as well; None for none.
    """
    with EnsembleAsking(settings, admin_port) as asking:
        return asking.answers()


class EnsembleAsking:
    """The servers of a connect string, each being asked from now on; as `ask_ensemble`."""

    def __init__(self, settings: ZooKeeperSettings, admin_port: int | None) -> None:
        servers = servers_of(settings.connect)
        tls = tls_context(settings, "zookeeper")
        lines = Lines()
        self._patience_s = min(PATIENCE_S, settings.timeout_s)
        self._admin_port = admin_port
        ask = partial(ask_words, lines=lines, timeout_s=self._patience_s, tls=tls)
        self._words: Asking[str, ServerAnswers] = Asking(servers, ask, lines)
        self._figures: Asking[str, dict[str, str] | str] | None = None
        if admin_port is not None:
            # At the same time, and apart: a silent admin server does not mean that its ZooKeeper is
            # silent.
            monitor = partial(ask_monitor, port=admin_port, timeout_s=self._patience_s)
            self._figures = Asking(servers, monitor)

    def __enter__(self) -> "EnsembleAsking":
        return self

    def __exit__(self, *_: object) -> None:
        self._words.close()

    def answers(self) -> list[ServerAnswers]:
        answers = answers_of(self._words, self._patience_s)
        if self._figures is None or self._admin_port is None:
            return answers
        figures = self._figures.answers(self._patience_s)
        return [
            with_figures(each, figures.get(each.server, "no answer"), self._admin_port)
            for each in answers
        ]


def answers_of(asking: Asking[str, ServerAnswers], patience_s: float) -> list[ServerAnswers]:
    answers = asking.answers(patience_s)
    silent = (ServerAnswers(server=server, failure="no answer") for server in asking.servers)
    return [answers.get(each.server, each) for each in silent]


def with_figures(
    report: ServerAnswers, answer: dict[str, str] | str, admin_port: int
) -> ServerAnswers:
    """Return *report* with the figures of its admin server, or the reason why there are none."""
    if report.failure is not None:
        return report
    if isinstance(answer, dict):
        return replace(report, figures=answer)
    host, _ = split_address(report.server)
    return replace(report, admin_failure=f"{host_and_port(host, admin_port)}: {answer}")


def ask_words(
    server: str, *, lines: Lines, timeout_s: float, tls: "ssl.SSLContext | None"
) -> ServerAnswers:
    host, port = split_address(server)
    answers = {}
    try:
        for word in WORDS:
            answers[word] = answer_from(host, port, word, lines=lines, timeout_s=timeout_s, tls=tls)
    except OSError as error:
        return ServerAnswers(server=server, failure=reason(error))
    return ServerAnswers(server=server, answers=answers)


def ask_monitor(server: str, *, port: int, timeout_s: float) -> dict[str, str] | str:
    """Return the figures of the admin server at *port* of *server*, or why there are none."""
    host, _ = split_address(server)
    try:
        return admin_figures(host, port, timeout_s)
    except OSError as error:
        return reason(error)
    except ValueError as error:
        return str(error)


def admin_figures(host: str, port: int, timeout_s: float) -> dict[str, str]:
    """Return the answer of the admin server's `monitor`, which has the figures of `mntr`.

    Raises:
        OSError: no server listens there, or none answers in time.
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
