"""A member of a group, as its coordinator stores it.

Source: Kafka's MemberMetadata.
"""

from collections.abc import Container

from cluster.group.answers import JoinedMember
from cluster.group.requests import JoinGroup, Protocols
from cluster.model.group_records import GroupMember


class Member:
    """A member; the group answers its waiting requests."""

    __slots__ = (
        "assignment",
        "client_host",
        "client_id",
        "group_instance_id",
        "is_new",
        "joining",
        "member_id",
        "protocols",
        "rebalance_timeout_ms",
        "session_timeout_ms",
        "syncing",
    )

    def __init__(
        self,
        member_id: str,
        group_instance_id: str | None,
        client_id: str,
        client_host: str,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
        protocols: Protocols,
        assignment: bytes = b"",
    ) -> None:
        self.member_id = member_id
        self.group_instance_id = group_instance_id
        self.client_id = client_id
        self.client_host = client_host
        self.rebalance_timeout_ms = rebalance_timeout_ms
        self.session_timeout_ms = session_timeout_ms
        self.protocols = protocols
        self.assignment = assignment
        self.joining: int | None = None
        """The id of its JoinGroup that waits for the next generation."""
        self.syncing: int | None = None
        """The id of its SyncGroup that waits for the leader's assignment."""
        self.is_new = False
        """Whether it has not been in a generation yet: it does not know its id."""

    @classmethod
    def joins(cls, member_id: str, request: JoinGroup) -> "Member":
        """Return a new member by its *request*."""
        member = cls(
            member_id,
            request.group_instance_id,
            request.client_id,
            request.client_host,
            request.rebalance_timeout_ms,
            request.session_timeout_ms,
            request.protocols,
        )
        member.is_new = True
        return member

    @classmethod
    def loaded(cls, stored: GroupMember, protocol: str | None) -> "Member":
        """Return a member of a generation in the log, which knows its metadata for one protocol
        only.
        """
        rebalance_timeout_ms = stored.rebalance_timeout
        if rebalance_timeout_ms < 0:
            rebalance_timeout_ms = stored.session_timeout
        return cls(
            stored.member_id,
            stored.group_instance_id,
            stored.client_id,
            stored.client_host,
            rebalance_timeout_ms,
            stored.session_timeout,
            () if protocol is None else ((protocol, stored.subscription),),
            stored.assignment,
        )

    def stored(self, protocol: str, assignment: bytes) -> GroupMember:
        """Return the member as the log stores it."""
        return GroupMember(
            self.member_id,
            self.group_instance_id,
            self.client_id,
            self.client_host,
            self.rebalance_timeout_ms,
            self.session_timeout_ms,
            self.metadata(protocol),
            assignment,
        )

    @property
    def is_static(self) -> bool:
        return self.group_instance_id is not None

    @property
    def needs_heartbeats(self) -> bool:
        """Return whether silence ends its session: not while it waits for others, once it knows its
        id.
        """
        return self.is_new or (self.joining is None and self.syncing is None)

    def metadata(self, protocol: str) -> bytes:
        """Return its metadata for a *protocol* that it supports."""
        return next(metadata for name, metadata in self.protocols if name == protocol)

    def vote(self, candidates: Container[str]) -> str:
        """Return the protocol that it prefers among *candidates*, of which it supports one."""
        return next(name for name, _ in self.protocols if name in candidates)

    def joined(self, protocol: str) -> JoinedMember:
        return JoinedMember(self.member_id, self.group_instance_id, self.metadata(protocol))
