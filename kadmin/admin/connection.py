"""How is a ZooKeeper session opened, secured, closed, and what do its failures mean?

The only place that builds a kazoo client.  Knows no znode's content.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from kazoo.client import KazooClient
from kazoo.exceptions import (
    AuthFailedError,
    ConnectionLoss,
    KazooException,
    NoAuthError,
    NoNodeError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from cluster.zk.znode import Znode
from kadmin.admin.multiread import BatchedReader
from kadmin.errors import KadminError, UnreachableError
from kadmin.keys import ZooKeeperAuth
from kadmin.settings import ZooKeeperSettings

SESSION_TIMEOUT_S = 10.0


class Connection:
    """An open session: batched reads, and the kazoo client for the writes.

    All paths are below the chroot.
    """

    def __init__(self, client: KazooClient, settings: ZooKeeperSettings) -> None:
        self.client: Any = client
        self.settings = settings
        self.reader = BatchedReader(client, timeout_s=settings.timeout_s)

    def read(self, paths: Sequence[str]) -> list[Znode | None]:
        """The znodes at *paths*, in their order; None where there is none."""
        return self.reader.read(paths)

    def read_one(self, path: str) -> Znode | None:
        return self.reader.read([path])[0]

    def children(self, paths: Sequence[str]) -> list[list[str] | None]:
        """The names below each of *paths*, sorted; None where there is no such node."""
        return self.reader.children(paths)


class ZooKeeperUnreachable(UnreachableError):
    """No server of the connect string answered, or the session was lost."""

    def __init__(self, connect: str, reason: str) -> None:
        super().__init__(
            f"cannot reach ZooKeeper at {connect}: {reason}",
            hint="check the address and that a server listens there; 'kadmin config show' tells"
            " where the address comes from, --timeout how long to wait",
        )
        self.connect = connect


class ZooKeeperDenied(KadminError):
    """ZooKeeper refused the credentials, or the znode's ACL refused us."""

    def __init__(self, connect: str, reason: str) -> None:
        super().__init__(
            f"ZooKeeper at {connect} denied access: {reason}",
            hint="see --zookeeper-auth and the other ZooKeeper security options in"
            " 'kadmin --help', and 'getAcl' of the znode in zookeeper-shell",
        )
        self.connect = connect


class NoSuchChroot(KadminError):
    """The connect string names a chroot that does not exist."""

    def __init__(self, connect: str) -> None:
        servers, _, chroot = connect.partition("/")
        super().__init__(
            f"there is no /{chroot} in ZooKeeper at {servers}",
            hint=f"check the chroot; without one: --zookeeper {servers}",
        )


@contextmanager
def connect(settings: ZooKeeperSettings) -> Iterator[Connection]:
    """Open a session, hand it out, and close it; kazoo's failures become KadminErrors.

    Raises:
        ZooKeeperUnreachable: no server answered within the timeout, or the session was lost.
        ZooKeeperDenied: the credentials or an ACL.
    """
    client = KazooClient(
        hosts=settings.connect,
        timeout=SESSION_TIMEOUT_S,
        logger=quiet_logger(),
        connection_retry={"max_tries": -1, "delay": 0.02, "backoff": 2, "max_delay": 0.5},
        **security_options(settings),
    )
    try:
        client.start(timeout=settings.timeout_s)
        yield Connection(client, settings)
    except KazooTimeoutError as error:
        raise ZooKeeperUnreachable(
            settings.connect, f"no answer within {settings.timeout_s:g} s"
        ) from error
    except (ConnectionLoss, SessionExpiredError) as error:
        raise ZooKeeperUnreachable(settings.connect, "the session was lost") from error
    except (AuthFailedError, NoAuthError) as error:
        raise ZooKeeperDenied(settings.connect, type(error).__name__) from error
    except NoNodeError as error:
        if "/" in settings.connect:
            raise NoSuchChroot(settings.connect) from error
        raise
    except KazooException as error:
        reason = str(error) or type(error).__name__
        raise KadminError(f"ZooKeeper at {settings.connect} failed: {reason}") from error
    finally:
        client.stop()
        client.close()


def quiet_logger() -> logging.Logger:
    """kazoo's logger; silent unless someone (--debug) configured logging."""
    logger = logging.getLogger("kazoo")
    if not logging.getLogger().handlers:
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    return logger


def security_options(settings: ZooKeeperSettings) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if settings.auth is ZooKeeperAuth.DIGEST:
        options["auth_data"] = [("digest", f"{settings.user}:{settings.password}")]
    elif settings.auth is ZooKeeperAuth.SASL_DIGEST:
        options["sasl_options"] = {
            "mechanism": "DIGEST-MD5",
            "username": settings.user,
            "password": str(settings.password),
        }
    elif settings.auth is ZooKeeperAuth.SASL_GSSAPI:
        options["sasl_options"] = {"mechanism": "GSSAPI", "service": settings.sasl_service}
    if settings.tls:
        options |= {
            "use_ssl": True,
            "ca": settings.tls_ca,
            "certfile": settings.tls_cert,
            "keyfile": settings.tls_key,
            "keyfile_password": settings.tls_key_password,
            "verify_certs": settings.tls_verify,
            "check_hostname": settings.tls_verify,
        }
    return options
