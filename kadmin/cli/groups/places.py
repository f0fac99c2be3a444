"""Where groups are kept: by brokers, or in ZooKeeper by old consumers; hints that lead there."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Final

from kadmin.cli.session import Session
from kadmin.errors import KadminError

COMMAND: Final = "kadmin groups"
IN_ZOOKEEPER: Final = f"{COMMAND} --in-zookeeper"
OF_ONE_PLACE: Final = re.compile(rf"{COMMAND}(?! migrate-offsets\b)")


@contextmanager
def leading_to_groups(
    session: Session, *, in_zookeeper: bool, changed_in_zookeeper: bool
) -> Iterator[None]:
    """Let the hints of errors name the option by which the groups are found that are read, and
    those that are changed."""
    from kadmin.plan.groups.changes import NotChanged
    from kadmin.plan.groups.group import NoSuchGroup

    try:
        yield
    except KadminError as error:
        if isinstance(error, NotChanged):
            in_zookeeper = changed_in_zookeeper
        if in_zookeeper and error.hint is not None:
            error.hint = OF_ONE_PLACE.sub(IN_ZOOKEEPER, error.hint)
        elif isinstance(error, NoSuchGroup) and kept_in_zookeeper(session, error.names):
            error.hint = (
                f"it is a group of old consumers: '{IN_ZOOKEEPER} --describe --group"
                f" {error.names[0]}'"
            )
        raise


def kept_in_zookeeper(session: Session, names: Collection[str] = ()) -> list[str]:
    """The groups in the ZooKeeper that is named, those of *names* if any; none where brokers are
    named instead, or ZooKeeper does not answer."""
    from cluster.coordination.consumer_groups import read_group_names

    if session.names_brokers or session.asks_brokers:
        # It need not be there, and nothing waits for it.
        return []
    try:
        with session.connect() as connection:
            found = connection.read(read_group_names())
    except KadminError:
        return []
    return [name for name in found if not names or name in names]
