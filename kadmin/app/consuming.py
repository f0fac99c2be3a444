"""Consuming as a member of a group of old consumers: members in ZooKeeper, records from brokers."""

from collections.abc import Iterator
from contextlib import contextmanager

from kadmin.app.session import Session
from kadmin.records.assigned import AssignedReader
from kadmin.records.reader import ConsumeRequest


@contextmanager
def open_old_member(session: Session, request: ConsumeRequest) -> Iterator[AssignedReader]:
    """Yield a reader that joins the group of *request* in ZooKeeper.

    Raises:
        KadminError: as `Session.connect`, and as `open_assigned`.
    """
    from kadmin.admin.zookeeper.old_member import OldMember
    from kadmin.records.consume import open_assigned

    membership = request.membership
    assert membership is not None
    with session.connect() as connection:
        settings = session.brokers_by(connection)
        member = OldMember(
            connection, membership.group, request.topics, membership.assignor or "range"
        )
        with open_assigned(
            *(settings, request, member),
            note=session.note,
            warn=session.warn,
            debug=session.settings.flag("debug"),
        ) as reader:
            yield reader
