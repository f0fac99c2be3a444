"""A glance at the other servers of an ensemble, while one of them is asked: which are down?

Asks each at the same time, by one four-letter word.  Knows no session and no znode.
"""

from typing import TYPE_CHECKING, Final

from cluster.model.address import split_address
from kadmin.admin.asking import Asking
from kadmin.admin.zookeeper.client import reason
from kadmin.four_letter_words import say
from kadmin.plan.zookeeper_words import NOT_SERVING, STATE
from kadmin.settings.resolve import ZooKeeperSettings

if TYPE_CHECKING:
    import ssl

GLANCE_S: Final = 0.3
"""For servers that nobody waits for: a command with a live one ends that much later at most."""


class Glance:
    """A look at the other servers while one of them is asked: which are down?"""

    def __init__(self, settings: ZooKeeperSettings, in_use: str) -> None:
        others = [server for server in servers_of(settings.connect) if server != in_use]
        tls = None
        if settings.tls:
            from kadmin.admin.tls import tls_context

            tls = tls_context(settings, "zookeeper")
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


def servers_of(connect: str) -> list[str]:
    """The servers of a connect string, `host:port` each."""
    return connect.partition("/")[0].split(",")
