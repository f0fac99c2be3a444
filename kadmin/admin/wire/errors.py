"""Errors for an operator whose brokers do not answer, or refuse.

Knows no client library: each translates its own failures into these.
"""

from collections.abc import Sequence
from typing import Final

from kadmin.errors import DeniedError, KadminError, UnreachableError
from kadmin.wording import brokers_listed

ANSWERED_BEFORE: Final = (
    "they answered when kadmin connected: they have died since then, or wait for a controller, as"
    " brokers of KRaft do while its quorum is down; --timeout says how long to wait"
)
"""The hint where the connection is open: its addresses, TLS and password are right."""


class BrokersUnreachable(UnreachableError):
    """No broker answered; *hint* is the next step, if it is not one of the usual ones."""

    def __init__(self, bootstrap: str, reason: str, *, hint: str | None = None) -> None:
        usual = (
            "check the addresses, and whether these listeners want TLS or a password"
            " (broker security options in 'kadmin --help'); --timeout says how long to wait"
        )
        super().__init__(
            f"cannot reach the brokers at {bootstrap}: {reason}",
            hint=usual if hint is None else hint,
        )
        self.bootstrap = bootstrap
        self.reason = reason


class ControllerNamed(BrokersUnreachable):
    """The address is a KRaft controller's."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(
            bootstrap,
            "that is a KRaft controller, which serves no clients",
            hint="name a listener of a broker, --bootstrap-server HOST:PORT; brokers pass on what"
            " only the controller does",
        )


def refuse_foreign_server(bootstrap: str, *, has_tls: bool) -> None:
    """Raise BrokersUnreachable if something else than a broker is known to be at *bootstrap*."""
    if has_tls:
        return  # Whatever it is, it would not understand a question in the clear.
    from kadmin.admin.foreign_server import hint_for_foreign_broker

    hint = hint_for_foreign_broker(bootstrap)
    if hint is not None:
        raise BrokersUnreachable(bootstrap, "that is no broker", hint=hint)


class SilentBrokers(UnreachableError):
    """Some brokers did not return what only they know; the others did."""

    def __init__(self, brokers: Sequence[int]) -> None:
        super().__init__(
            f"{brokers_listed(brokers)} did not answer", hint="kadmin brokers --describe"
        )
        self.brokers = tuple(brokers)


class KerberosFailed(KadminError):
    """Kerberos gives no ticket for the brokers: *reason* is in its words."""

    def __init__(self, bootstrap: str, reason: str) -> None:
        if "not found in Kerberos database" in reason:
            hint = (
                "the principal is made of --broker-sasl-service and the host name in the address:"
                " name the brokers as their principals do"
            )
        else:
            hint = (
                "klist shows the tickets; kinit gets one, or name a key table: --broker-keytab FILE"
            )
        super().__init__(f"no Kerberos ticket for the brokers at {bootstrap}: {reason}", hint=hint)
        self.bootstrap = bootstrap


class BrokersDenied(DeniedError):
    """The brokers refused the credentials, or what was asked with them."""

    def __init__(self, bootstrap: str, reason: str) -> None:
        super().__init__(
            f"the brokers at {bootstrap} denied access: {reason}",
            hint="see --broker-sasl and the other broker security options in 'kadmin --help'",
        )
        self.bootstrap = bootstrap
