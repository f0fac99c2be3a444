"""Which brokers do brokers know of?"""

from tests.support.cli import done
from tests.support.waiting import wait_until


def wait_until_alive(bootstrap: str, *brokers: str) -> None:
    """Wait until every broker of *bootstrap* knows that exactly *brokers* are alive."""
    wait_until(lambda: list(brokers) == live_brokers(bootstrap), what="all know who is alive")


def live_brokers(bootstrap: str) -> list[str]:
    """Those that each broker of *bootstrap* knows to be alive; none unless they agree."""
    told = {done("brokers", "--list", "--bootstrap-server", each) for each in bootstrap.split(",")}
    return told.pop().split() if len(told) == 1 else []
