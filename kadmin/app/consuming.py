"""Consuming as a member of a group: of which kinds of groups can this cluster have members?"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Final

from kadmin.app.session import Session
from kadmin.records.assigned import AssignedReader
from kadmin.records.reader import ConsumeRequest

PROTOCOL: Final = "group.protocol"


def check_protocol(session: Session, properties: Mapping[str, str]) -> None:
    """Raise NotServed for a member by a protocol that the brokers do not have.

    librdkafka would wait for a broker that has it, without a word.
    """
    if properties.get(PROTOCOL, "").lower() != "consumer":
        return
    from kadmin.admin.wire.connection import NotServed
    from kadmin.admin.wire.consumer_group_describe import ConsumerGroupDescribeRequest

    with session.connect_brokers() as connection:
        if not connection.serves(ConsumerGroupDescribeRequest):
            raise NotServed(
                connection.settings.bootstrap,
                f"groups of {PROTOCOL}=consumer",
                since="4.0",
                hint=f"without {PROTOCOL} the members share the partitions by themselves",
            )


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
