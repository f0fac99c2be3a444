"""A ZooKeeper session: how is it opened, secured and closed; what do its failures mean?

The only place that builds a kazoo client.  Knows no znode's content.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from typing import Any, Final, TextIO, TypeVar

from kazoo.client import KazooClient
from kazoo.exceptions import (
    AuthFailedError,
    ConnectionLoss,
    KazooException,
    NoAuthError,
    SessionExpiredError,
)
from kazoo.handlers.threading import KazooTimeoutError

from cluster.zk.steps import Denied, Steps, run
from cluster.zkclient.negotiated_timeout import negotiated_timeout
from kadmin.admin.tls import tls_context
from kadmin.admin.zookeeper.client import Failures, Sockets
from kadmin.admin.zookeeper.client_log import debug_handler
from kadmin.admin.zookeeper.ensemble_probe import PROBE_S, EnsembleProbe, Heard, Voice
from kadmin.admin.zookeeper.multiread import BatchedReader
from kadmin.budget import Budget
from kadmin.errors import DeniedError, KadminError, UnreachableError, UsageError
from kadmin.extras import installer
from kadmin.settings.keys import ZooKeeperAuth
from kadmin.settings.resolve import ZooKeeperSettings

T = TypeVar("T")

SESSION_TIMEOUT_S: Final = 10.0
CLOSE_TIMEOUT_S: Final = 0.5
"""A server that does not answer the good-bye must not keep the operator waiting."""

TLS_HINT: Final = (
    "the authority of the server's certificate goes to --zookeeper-tls-ca, the client's own to"
    " --zookeeper-tls-cert and --zookeeper-tls-key; host names must be as in the certificate"
)
SILENCE_MAX_S: Final = 1.5
"""After that the operator is shown what is waited for."""


class Connection:
    """An open session with *server*: batched reads, and the kazoo client for the writes.

    All paths are below the chroot.
    """

    def __init__(
        self, client: KazooClient, settings: ZooKeeperSettings, server: str, budget: Budget
    ) -> None:
        self.client: Any = client
        self.settings = settings
        self.server = server
        self.budget = budget
        self.reader = BatchedReader(client, budget)

    def read(self, steps: Steps[T]) -> T:
        """Carry *steps* out, which only read data and children, and return what they come to.

        Raises:
            ZooKeeperDenied: they cannot do without what may not be read; names the path.
        """
        with denying(self.settings.connect):
            return run(steps, self.reader.replies_to)


class ZooKeeperUnreachable(UnreachableError):
    """No server of the connect string answered, or the session was lost."""

    def __init__(self, connect: str, reason: str, *, hint: str | None = None) -> None:
        super().__init__(
            f"cannot reach ZooKeeper at {connect}: {reason}",
            hint=hint
            or "check the address and that a server listens there; 'kadmin config show' shows"
            " where the address comes from, --timeout sets how long to wait",
        )
        self.connect = connect


class ZooKeeperSilent(ZooKeeperUnreachable):
    """Something listens there, and no server has opened a session in time: it may do so later."""


class NoMajority(ZooKeeperSilent):
    """Most servers of the ensemble do not answer, so that none serves."""

    def __init__(self, connect: str, heard: Heard) -> None:
        super().__init__(connect, str(heard), hint="'kadmin zookeeper' shows each server")
        self.heard = heard


class ZooKeeperDenied(DeniedError):
    """ZooKeeper refused the credentials, or the znode's ACL refused us."""

    def __init__(self, connect: str, reason: str) -> None:
        super().__init__(
            f"ZooKeeper at {connect} denied access: {reason}",
            hint="see --zookeeper-auth and the other ZooKeeper security options in"
            " 'kadmin --help', and 'getAcl' of the znode in zookeeper-shell",
        )
        self.connect = connect


@contextmanager
def denying(connect: str) -> Iterator[None]:
    """Let a sequence that may not read what it needs end with what an operator can act on."""
    try:
        yield
    except Denied as error:
        raise ZooKeeperDenied(connect, f"no permission for {error.path}") from error


class NoSuchChroot(KadminError):
    """The connect string names a chroot that does not exist."""

    def __init__(self, connect: str) -> None:
        servers, _, chroot = connect.partition("/")
        super().__init__(
            f"there is no /{chroot} in ZooKeeper at {servers}",
            hint=f"check the chroot; without one: --zookeeper {servers}",
        )


@contextmanager
def connect(
    settings: ZooKeeperSettings,
    *,
    note: Callable[[str], None] | None = None,
    log: TextIO | None = None,
    budget: Budget | None = None,
    probe: EnsembleProbe | None = None,
    patience_s: float | None = None,
) -> Iterator[Connection]:
    """Open a session, hand it out, and close it; kazoo's failures become KadminErrors.

    *note* takes a line for the operator when the server lets itself be waited for.  *log* takes the
    client's log, without contents and passwords.  All waits spend the *budget*, which is one of the
    settings' timeout if none is given.  With a *probe* at several servers, one that serves is asked
    first.  With *patience_s* a majority is waited for no longer, and a session takes half of the
    budget at most, since others can be asked.

    Raises:
        NoMajority: the servers answer that they do not serve, or most do not answer.
        ZooKeeperSilent: none of them opened a session within the timeout.
        ZooKeeperUnreachable: no server listens there, none that is a ZooKeeper, or the session was
            lost.
        ZooKeeperDenied: the credentials or an ACL.
        NoSuchChroot: the servers answer, and have no such chroot.
        UsageError: a certificate or key that cannot be used.
    """
    budget = budget or Budget(settings.timeout_s)
    servers = None
    if probe is not None:
        with nullcontext() if patience_s is None else budget.sharing(patience_s):
            servers = serving(settings, probe, budget, note)
    settled = threading.Event()
    failures = Failures(settled)
    client = make_client(settings, failures, log, servers)
    client.add_listener(lambda _state: settled.set())
    try:
        with nullcontext() if patience_s is None else budget.sharing():
            open_session(client, settings, failures, note, budget)
        yield Connection(client, settings, failures.address, budget)
    except KazooTimeoutError as error:
        raise unreachable(settings, failures, budget) from error
    except (AuthFailedError, NoAuthError) as error:
        # What kazoo raises here after a failed conversation does not say why it failed.
        raise ZooKeeperDenied(settings.connect, denial(failures.denial or error)) from error
    except (ConnectionLoss, SessionExpiredError) as error:
        if failures.denial is not None:
            raise ZooKeeperDenied(settings.connect, denial(failures.denial)) from error
        lost = ZooKeeperUnreachable(settings.connect, "the session was lost")
        raise no_majority(settings) or lost from error
    except KazooException as error:
        reason = str(error) or type(error).__name__
        raise KadminError(f"ZooKeeper at {settings.connect} failed: {reason}") from error
    finally:
        close_session(client)


def serving(
    settings: ZooKeeperSettings,
    probe: EnsembleProbe,
    budget: Budget,
    note: Callable[[str], None] | None,
) -> list[str]:
    """Return the servers of *settings*, those first that may serve.

    Raises:
        NoMajority: none does, as long as it may be waited for.
    """

    def tell(why: str) -> None:
        if note is not None:
            note(f"waiting for ZooKeeper at {settings.connect} ({why})")

    heard = probe.wait_for_majority(budget, tell)
    if not heard.usable:
        refuse_foreign_server(settings, budget)
        raise NoMajority(settings.connect, heard)
    return [*heard.usable, *(each for each in heard.servers if each not in heard.usable)]


def make_client(
    settings: ZooKeeperSettings,
    failures: Failures,
    log: TextIO | None,
    servers: Sequence[str] | None = None,
) -> KazooClient:
    """Return a client of the servers of *settings*; of *servers*, which are the same, in this
    order."""
    # A logger of our own: it changes no other logging, and other logging does not change it.
    logger = logging.Logger("kazoo", logging.WARNING if log is None else logging.DEBUG)
    logger.addHandler(failures)
    if log is not None:
        logger.addHandler(debug_handler(log, settings.secrets))
    _, slash, chroot = settings.connect.partition("/")
    client = KazooClient(
        hosts=settings.connect if servers is None else f"{','.join(servers)}{slash}{chroot}",
        randomize_hosts=servers is None,
        timeout=SESSION_TIMEOUT_S,
        handler=Sockets(tls_context(settings, "zookeeper"), failures),
        logger=logger,
        connection_retry={"max_tries": -1, "delay": 0.02, "backoff": 2, "max_delay": 0.5},
        use_ssl=settings.tls,
        **credentials(settings),
    )
    negotiated_timeout(client)
    return client


def credentials(settings: ZooKeeperSettings) -> dict[str, Any]:
    """Return our credentials in kazoo's words.

    Raises:
        UsageError: Kerberos is asked for and its Python module is not installed.
    """
    if settings.auth is ZooKeeperAuth.DIGEST:
        return {"auth_data": [("digest", f"{settings.user}:{settings.password}")]}
    if settings.auth is ZooKeeperAuth.SASL_DIGEST:
        from kadmin.admin.zookeeper.sasl import use_digest_md5

        use_digest_md5()
        options = {
            "mechanism": "DIGEST-MD5",
            "username": settings.user,
            "password": str(settings.password),
        }
        return {"sasl_options": options}
    if settings.auth is ZooKeeperAuth.SASL_GSSAPI:
        from importlib.util import find_spec

        if find_spec("kerberos") is None:
            raise UsageError(
                "sasl-gssapi needs the Python module 'kerberos', which is not installed",
                hint=f"{installer()} kerberos (it needs the headers of MIT Kerberos)",
            )
        return {"sasl_options": {"mechanism": "GSSAPI", "service": settings.sasl_service}}
    return {}


def open_session(
    client: KazooClient,
    settings: ZooKeeperSettings,
    failures: Failures,
    note: Callable[[str], None] | None,
    budget: Budget,
) -> None:
    """Wait until the session stands, its credentials are accepted and its chroot is there."""
    end_s = budget.end_s()
    client.start_async()
    with budget.spending() as left_s:
        is_settled = failures.settled.wait(min(SILENCE_MAX_S, left_s))
    if not is_settled:
        refuse_foreign_server(settings, budget)
        if note is not None and time.monotonic() < end_s:
            why = f" ({failures})" if failures.by_address else ""
            note(f"waiting for ZooKeeper at {settings.connect}{why}")
        with budget.spending() as left_s:
            failures.settled.wait(left_s)
    # kazoo reports a session as connected before it has sent its credentials: one read proves it.
    is_proven = "/" not in settings.connect and settings.auth is ZooKeeperAuth.NONE
    while not (is_proven and client.connected):
        if failures.denial is not None:
            raise ZooKeeperDenied(settings.connect, denial(failures.denial))
        if failures.is_final:
            refuse_foreign_server(settings, budget)  # Of whose answer kazoo's thread may have died.
        if failures.is_final or time.monotonic() >= end_s:
            raise unreachable(settings, failures, budget)
        with suppress(ConnectionLoss), budget.spending() as left_s:
            if client.exists_async("/").get(timeout=left_s) is None:
                raise NoSuchChroot(settings.connect)
            is_proven = True


def refuse_foreign_server(settings: ZooKeeperSettings, budget: Budget) -> None:
    """Raise ZooKeeperUnreachable if something else than a ZooKeeper is known to listen there."""
    if settings.tls:
        return  # Whatever it is, it would not understand a question in the clear.
    from kadmin.admin.foreign_server import hint_for_foreign_server

    with budget.spending():
        hint = hint_for_foreign_server(settings.connect.partition("/")[0])
    if hint is not None:
        raise ZooKeeperUnreachable(settings.connect, "that is no ZooKeeper", hint=hint)


def unreachable(
    settings: ZooKeeperSettings, failures: Failures, budget: Budget
) -> ZooKeeperUnreachable:
    """Return why no session was opened, from the failed attempts and the servers' answers."""
    if failures.tls_error is not None:
        return ZooKeeperUnreachable(settings.connect, str(failures), hint=TLS_HINT)
    why = str(failures) if failures.by_address else "no answer"
    hint = None
    if not failures.is_final and (lacking := no_majority(settings)) is not None:
        return lacking
    if "closed the connection" in why and not settings.tls:
        hint = (
            "a ZooKeeper hangs up while most servers of its ensemble are down; or does that port"
            " speak TLS? then add --zookeeper-tls; or it may be no ZooKeeper"
        )
    if failures.is_final:
        return ZooKeeperUnreachable(settings.connect, why, hint=hint)
    waited = f" (waited {round(budget.spent_s, 1):g} s)"
    return ZooKeeperSilent(settings.connect, f"{why}{waited}", hint=hint)


def no_majority(settings: ZooKeeperSettings) -> NoMajority | None:
    """Return the error of *settings* whose servers have no majority, if that is why no session
    opened.

    They say so themselves, or most of several do not answer: who has just lost the others takes
    himself for serving until his own time for them is over.
    """
    with closing(EnsembleProbe(settings)) as probe:
        heard = probe.heard_by_all(PROBE_S)
    voices = [heard.voices.get(server) for server in heard.servers]
    if Voice.LIVES in voices:
        return None  # It may be none, and its treatment of the session explains more.
    lacks_one = 2 * voices.count(Voice.SERVES) <= len(voices)
    is_certain = Voice.IDLE in voices or len(voices) > 1
    return NoMajority(settings.connect, heard) if is_certain and lacks_one else None


def denial(error: BaseException) -> str:
    """Return what was refused.

    A znode's own refusal carries its path where we asked for several.
    """
    if isinstance(error, NoAuthError):
        return f"no permission for {error}" if str(error) else "no permission for that znode"
    if error.__cause__ is not None:
        from kadmin.admin.zookeeper.sasl import ServerWithoutSasl

        if isinstance(error.__cause__, ServerWithoutSasl):
            return "the server does no SASL"
    return "the credentials were refused"


def close_session(client: KazooClient) -> None:
    """End the session, and do not wait long for a server that does not answer."""

    def close() -> None:
        with suppress(Exception):  # kazoo's own: its thread hangs on a server that is silent.
            client.stop()
            client.close()

    closing = threading.Thread(target=close, daemon=True)
    closing.start()
    closing.join(CLOSE_TIMEOUT_S)
