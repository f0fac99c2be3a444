"""Settings of brokers: how are they reached, and is that as safe as it was meant?

Takes this from the settings; knows no client library and no other properties of clients.
"""

from dataclasses import dataclass

from kadmin.settings.keys import COMMAND_CONFIG, BrokerSasl, Secret
from kadmin.settings.resolve import (
    Settings,
    TlsSettings,
    idle,
    missing_credentials,
    refuse,
    tls_problems,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerSettings(TlsSettings):
    """What a connection to brokers needs; *bootstrap* has every port.

    *same_broker* has the addresses among them that are known to be listeners of one broker.
    """

    bootstrap: str
    timeout_s: float
    sasl: BrokerSasl = BrokerSasl.NONE
    user: str | None = None
    password: Secret | None = None
    sasl_service: str = "kafka"
    keytab: str | None = None
    oauth_url: str | None = None
    oauth_scope: str | None = None
    same_broker: tuple[tuple[str, ...], ...] = ()

    @property
    def protocol(self) -> str:
        """Kafka's name for it: `PLAINTEXT`, `SSL`, `SASL_PLAINTEXT` or `SASL_SSL`."""
        return protocol_of(has_sasl=self.sasl is not BrokerSasl.NONE, has_tls=self.tls)


def with_file(settings: Settings) -> Settings:
    """Return *settings* with those of the file of `--command-config`, if there is one.

    Raises:
        UsageError: a value in it is wrong.
    """
    if settings.text(COMMAND_CONFIG.name) is None:
        return settings
    from kadmin.settings.command_config import with_command_config

    return with_command_config(settings)


def protocol_of(*, has_sasl: bool, has_tls: bool) -> str:
    """Return Kafka's name of that kind of listener."""
    if has_sasl:
        return "SASL_SSL" if has_tls else "SASL_PLAINTEXT"
    return "SSL" if has_tls else "PLAINTEXT"


def protocol_of_settings(settings: Settings) -> str:
    """Return the protocol that *settings* ask brokers for; raises as `broker_settings`."""
    settings = with_file(settings)
    return protocol_of(
        has_sasl=settings.text("broker_sasl") != BrokerSasl.NONE,
        has_tls=settings.flag("broker_tls"),
    )


def broker_settings(settings: Settings, bootstrap: str) -> BrokerSettings:
    """Return how to reach the brokers at *bootstrap* by what *settings* say of their security.

    Raises:
        UsageError: the settings contradict each other, a password's file cannot be read, or a
            value in the file of `--command-config` is wrong.
    """
    settings = with_file(settings)
    check_security(settings)
    return BrokerSettings(
        bootstrap=bootstrap,
        timeout_s=settings.timeout_s,
        sasl=BrokerSasl(settings.text("broker_sasl") or BrokerSasl.NONE),
        user=settings.text("broker_user"),
        password=settings.password("broker_password"),
        sasl_service=settings.text("broker_sasl_service") or "kafka",
        keytab=settings.text("broker_keytab"),
        oauth_url=settings.text("broker_oauth_url"),
        oauth_scope=settings.text("broker_oauth_scope"),
        tls=settings.flag("broker_tls"),
        tls_ca=settings.text("broker_tls_ca"),
        tls_cert=settings.text("broker_tls_cert"),
        tls_key=settings.text("broker_tls_key"),
        tls_key_password=settings.secret("broker_tls_key_password"),
        tls_verify=not settings.flag("broker_tls_no_verify"),
        tls_check_host=not settings.flag("broker_tls_no_host_check"),
    )


def check_security(settings: Settings) -> None:
    """Refuse settings of the brokers' security that contradict each other; raises as `refuse`."""
    by_name = settings.by_name
    sasl = settings.text("broker_sasl")
    problems: list[str] = []
    if sasl == BrokerSasl.OAUTHBEARER:
        if by_name["broker_oauth_url"].value is None:
            problems.append("oauthbearer needs a token: --broker-oauth-url URL")
        elif str(by_name["broker_oauth_url"].value).startswith("http"):
            problems += missing_credentials(by_name, "broker", str(sasl))
    elif sasl not in (BrokerSasl.NONE, BrokerSasl.GSSAPI):
        problems += missing_credentials(by_name, "broker", str(sasl))
    elif not by_name["broker_sasl"].is_given:
        problems += idle(by_name, ("broker_user",), "--broker-sasl plain or scram-sha-512")
    if not by_name["broker_tls"].is_given:
        problems += idle(by_name, ("broker_tls_no_host_check",), "--broker-tls")
    if sasl != BrokerSasl.GSSAPI:
        problems += idle(by_name, ("broker_keytab",), "--broker-sasl gssapi")
    if sasl != BrokerSasl.OAUTHBEARER:
        names = ("broker_oauth_url", "broker_oauth_scope")
        problems += idle(by_name, names, "--broker-sasl oauthbearer")
    refuse(problems + tls_problems(by_name, "broker"))
