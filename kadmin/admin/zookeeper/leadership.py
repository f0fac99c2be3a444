"""Elections at a path of ZooKeeper: contenders in kadmin's session, and who leads."""

from collections.abc import Callable
from typing import Final

from cluster.recipes.attempt import MixedElection
from cluster.recipes.latch import LeaderLatch
from cluster.recipes.lease import Lease, Loss
from cluster.recipes.view import ElectionView, read_election
from cluster.zk import paths
from cluster.zk.steps import Refusal
from kadmin.admin.zookeeper.connection import Connection, ZooKeeperDenied
from kadmin.errors import KadminError, RefusedError, UsageError

KAFKAS: Final = frozenset(
    path.split("/")[1]
    for path in (
        *(paths.BROKERS, paths.CONTROLLER, paths.CONTROLLER_EPOCH, paths.CONFIG, paths.ADMIN),
        *(paths.CLUSTER, paths.ISR_CHANGES, paths.LOG_DIR_EVENTS, paths.PRODUCER_ID_BLOCK),
        *(paths.FEATURE, paths.MIGRATION, paths.CONSUMERS, paths.ACLS, paths.ACL_CHANGES),
        *(paths.EXTENDED_ACLS, paths.EXTENDED_ACL_CHANGES, paths.DELEGATION_TOKENS, "/zookeeper"),
    )
)
"""The first names of paths that belong to Kafka, or to ZooKeeper itself."""


class KafkasPath(RefusedError):
    """The path is one in which Kafka would find the contenders' znodes."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} belongs to Kafka, which would not understand the contenders' znodes there",
            hint="choose a path of your own, such as /elections/NAME",
        )


class OtherElection(RefusedError):
    """Two kinds of elections at one path would have a leader each."""

    def __init__(self, path: str, *, is_fair: bool) -> None:
        kind = "an unfair" if is_fair else "a fair"
        super().__init__(
            f"{path} has {kind} election: each kind would have a leader of its own",
            hint="add --unfair" if is_fair else "leave --unfair out, or choose another path",
        )


class NoElection(KadminError):
    """There is no znode at the path."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"there is no election at {path}",
            hint="the first contender creates it: kadmin lead PATH -- COMMAND; a path is below the"
            " chroot of --zookeeper",
        )


def check_path(path: str) -> None:
    """Refuse a path at which no election can be.

    Raises:
        UsageError: ZooKeeper takes no such path.
        KafkasPath: it belongs to Kafka.
    """
    if not paths.is_path(path):
        raise UsageError(
            f"'{path}' is no path of a znode below the root",
            hint="it begins with / and does not end with it, as /elections/nightly",
        )
    if path.split("/")[1] in KAFKAS:
        raise KafkasPath(path)


class Contender:
    """A contender in the session of *connection*; see `LeaderLatch` for the callbacks."""

    def __init__(
        self,
        connection: Connection,
        path: str,
        *,
        identity: str,
        is_fair: bool,
        on_renewed: Callable[[Lease], None] | None = None,
        on_deposed: Callable[[Lease, Loss], None] | None = None,
    ) -> None:
        self._connect = connection.settings.connect
        self._is_fair = is_fair
        self.latch = LeaderLatch(
            connection.client,
            path,
            identity=identity,
            is_fair=is_fair,
            rejoins=False,
            on_renewed=on_renewed,
            on_deposed=on_deposed,
        )

    def acquire(self, timeout_s: float | None) -> Lease | None:
        """Wait until it leads; None after *timeout_s*.

        Raises:
            ZooKeeperDenied: an ACL forbids what is needed.
            OtherElection: the path has an election of the other kind.
        """
        try:
            return self.latch.acquire(timeout_s)
        except Refusal as error:
            raise ZooKeeperDenied(self._connect, str(error)) from error
        except MixedElection as error:
            raise OtherElection(error.path, is_fair=self._is_fair) from error


def see_election(connection: Connection, path: str) -> ElectionView:
    """Read the election at *path*.

    Raises:
        NoElection: there is none.
        ZooKeeperDenied: it may not be read.
    """
    view = connection.read(read_election(path))
    if view is None:
        raise NoElection(path)
    return view
