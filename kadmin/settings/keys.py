"""The table of settings: which are there, how is each one written, and what does it mean?

One table of keys makes the global options, the environment's names and the keys of the
configuration file.  Knows neither where a value comes from nor who wins.
"""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final, TypeAlias

from kadmin.errors import UsageError


class OutputFormat(StrEnum):
    TEXT = "text"
    JSON = "json"
    YAML = "yaml"
    CSV = "csv"


class ZooKeeperAuth(StrEnum):
    """How a session proves who it is; `sasl-gssapi` is Kerberos and needs its system libraries."""

    NONE = "none"
    DIGEST = "digest"
    SASL_DIGEST = "sasl-digest"
    SASL_GSSAPI = "sasl-gssapi"


class BrokerSasl(StrEnum):
    """How a client proves to a broker who it is; Kafka's names of the mechanisms, in small."""

    NONE = "none"
    PLAIN = "plain"
    SCRAM_SHA_256 = "scram-sha-256"
    SCRAM_SHA_512 = "scram-sha-512"
    GSSAPI = "gssapi"
    OAUTHBEARER = "oauthbearer"


class Secret(str):
    """A password: a string whose `repr` never shows it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


NUMBERS: Final = r"\[[0-9a-fA-F:.]+\]"
HOST_NAME: Final = r"[A-Za-z0-9_-]{1,63}(?:\.[A-Za-z0-9_-]{1,63})*\.?"

SECONDS_MAX: Final = 86_400.0
"""Longer waits are of no use, and the system's own waits fail on numbers that are out of all
measure."""

UNSECURED: Final = "unsecured"
"""In place of a URL: unsigned tokens, which brokers accept in tests only."""

Value: TypeAlias = str | bool | float | None


def parse_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def parse_path(text: str) -> str:
    return os.path.expanduser(parse_text(text))


def parse_flag(text: str) -> bool:
    word = text.strip().lower()
    if word in ("1", "true", "yes", "on"):
        return True
    if word in ("0", "false", "no", "off"):
        return False
    raise ValueError("must be true or false")


def parse_seconds(text: str) -> float:
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ms|s|m|)\s*", text)
    if match is None or float(match[1]) == 0:
        raise ValueError("must be a time such as 30, 2.5s, 500ms or 1m")
    seconds = float(match[1]) * {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}[match[2]]
    if seconds > SECONDS_MAX:
        raise ValueError("must be a time of at most a day (1440m)")
    return seconds


def parse_choice(choices: type[StrEnum]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in list(choices):
            raise ValueError("must be one of: " + ", ".join(choices))
        return text

    return parse


def parse_token_url(text: str) -> str:
    """Check where tokens come from: an URL, `file:///PATH`, or `unsecured` for unsigned ones."""
    text = text.strip()
    if text == UNSECURED or re.fullmatch(r"(?:https?://[^\s/]+\S*|file:///\S+)", text):
        return text
    raise ValueError("must be https://HOST/PATH, file:///PATH or unsecured")


def parse_connect(text: str) -> str:
    """Check a ZooKeeper connect string `host:port[,host:port…][/chroot]`; ports default to 2181.

    Returns it with every port written out and without a trailing slash.
    """
    hosts, slash, chroot = text.strip().partition("/")
    servers = [normal_server(server) for server in hosts.split(",")]
    chroot = chroot.rstrip("/")
    if slash and re.search(r":[0-9]+(/|,|$)", chroot):
        raise ValueError("the chroot stands once, after the last server")
    parts = chroot.split("/") if chroot else []
    if any(part in ("", ".", "..") or not part.isprintable() for part in parts):
        raise ValueError(f"the chroot '/{chroot}' is not a ZooKeeper path")
    return ",".join(servers) + (f"/{chroot}" if chroot else "")


def parse_bootstrap(text: str) -> str:
    """Check brokers' addresses `host:port[,host:port…]`; ports default to 9092.

    Returns them with every port written out.
    """
    return ",".join(normal_server(server, 9092) for server in text.strip().split(","))


def normal_server(server: str, default_port: int = 2181) -> str:
    match = re.fullmatch(rf"\s*({NUMBERS}|{HOST_NAME})(?::([0-9]{{1,5}}))?\s*", server)
    if match is None:
        brackets = f": an IPv6 address stands in brackets, [::1]:{default_port}"
        is_bare = re.fullmatch(r"\s*[0-9a-fA-F]*:[0-9a-fA-F:.]*:[0-9a-fA-F.]*\s*", server)
        raise ValueError(f"'{server}' is not HOST:PORT{brackets if is_bare else ''}")
    port = int(match[2] or default_port)
    if not 0 < port < 65536:
        raise ValueError(f"the port of '{server}' is not in 1..65535")
    return f"{match[1]}:{port}"


def check_cluster_name(name: str) -> None:
    """Refuse a name for a new cluster that no file could have, or that a shell wants quoted.

    Raises:
        UsageError: it is such a one, or longer than 100 characters.
    """
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", name) is None:
        raise UsageError(
            f"'{name}' cannot be the name of a cluster",
            hint="use letters, digits, '.', '_' and '-', at most 100, and begin with no '-' or '.'",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting: its option is `--name`, its variable `KADMIN_NAME`, its file key `name`.

    *section* is where help lists it.  *of_cluster* keys stand in `[clusters.NAME]` of the file,
    the others in `[defaults]`; a key that is neither is known only to flags and environment.
    *of_brokers* keys are options only of commands that speak to brokers.  *kafkas* are names of the
    same option in Kafka's tools.
    """

    name: str
    parse: Callable[[str], Value]
    help: str
    metavar: str | None = None
    default: Value = None
    section: str = "Global options"
    of_cluster: bool = False
    of_brokers: bool = False
    in_file: bool = True
    has_option: bool = True
    secret: bool = False
    choices: tuple[str, ...] = ()
    kafkas: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "KADMIN_" + self.name.upper()

    @property
    def is_flag(self) -> bool:
        return self.parse is parse_flag

    def as_text(self, raw: object) -> str:
        """Return the text of *raw*, which may be what TOML made of it; raises ValueError if of
        no use."""
        if self.is_flag and isinstance(raw, bool):
            return "true" if raw else "false"
        if self.parse is parse_seconds and isinstance(raw, int | float) and raw is not True:
            return str(raw)
        if not isinstance(raw, str):
            raise ValueError("must be true or false" if self.is_flag else "must be a string")
        return raw

    @staticmethod
    def by_name(name: str) -> "Key":
        return KEYS_BY_NAME[name]


SECURITY: Final = "ZooKeeper security"
BROKER_SECURITY: Final = "Broker security"


def of_zookeeper(key: Key) -> Key:
    """Return *key* for the way to ZooKeeper; its name lacks the prefix."""
    return replace(key, name=f"zookeeper_{key.name}", section=SECURITY, of_cluster=True)


def of_brokers(key: Key) -> Key:
    """Return *key* for the way to brokers; its name lacks the prefix."""
    return replace(
        key, name=f"broker_{key.name}", section=BROKER_SECURITY, of_cluster=True, of_brokers=True
    )


PASSWORD_KEYS: Final = (
    Key(
        name="password",
        parse=Secret,
        help="Password of that user; never an option, where others could read it.",
        has_option=False,
        secret=True,
    ),
    Key(
        name="password_file",
        parse=parse_path,
        metavar="FILE",
        help="File whose first line is the password of that user.",
    ),
)
CERTIFICATE_KEYS: Final = (
    Key(
        name="tls_ca",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the certificate authorities to trust.",
    ),
    Key(
        name="tls_cert",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the client's certificate.",
    ),
    Key(
        name="tls_key",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the client's key.",
    ),
    Key(
        name="tls_key_password",
        parse=Secret,
        help="Password of that key; never an option.",
        has_option=False,
        secret=True,
    ),
)

ZOOKEEPER_SECURITY_KEYS: Final = (
    Key(
        name="auth",
        parse=parse_choice(ZooKeeperAuth),
        help="How to authenticate to ZooKeeper.",
        default=ZooKeeperAuth.NONE.value,
        choices=tuple(auth.value for auth in ZooKeeperAuth),
    ),
    Key(
        name="user",
        parse=parse_text,
        metavar="USER",
        help="User for digest and sasl-digest.",
    ),
    *PASSWORD_KEYS,
    Key(
        name="sasl_service",
        parse=parse_text,
        metavar="NAME",
        help="Service name of the servers' Kerberos principal.",
        default="zookeeper",
    ),
    Key(
        name="tls",
        parse=parse_flag,
        help="Connect by TLS.",
        default=False,
    ),
    *CERTIFICATE_KEYS,
    Key(
        name="tls_no_verify",
        parse=parse_flag,
        help="Do not check the servers' certificates and host names.",
        default=False,
    ),
)
BROKER_SECURITY_KEYS: Final = (
    Key(
        name="sasl",
        parse=parse_choice(BrokerSasl),
        help="How to authenticate to brokers.",
        default=BrokerSasl.NONE.value,
        choices=tuple(mechanism.value for mechanism in BrokerSasl),
    ),
    Key(
        name="user",
        parse=parse_text,
        metavar="USER",
        help="User for plain and scram, client id for oauthbearer.",
    ),
    *PASSWORD_KEYS,
    Key(
        name="sasl_service",
        parse=parse_text,
        metavar="NAME",
        help="Service name of the brokers' Kerberos principal, for gssapi.",
        default="kafka",
    ),
    Key(
        name="keytab",
        parse=parse_path,
        metavar="FILE",
        help="Key table for gssapi; the ticket of kinit unless given.",
    ),
    Key(
        name="oauth_url",
        parse=parse_token_url,
        metavar="URL",
        help="Where oauthbearer gets its token: https://…, file:///PATH, or unsecured.",
    ),
    Key(
        name="oauth_scope",
        parse=parse_text,
        metavar="SCOPE",
        help="What that token is asked for.",
    ),
    Key(
        name="tls",
        parse=parse_flag,
        help="Connect to brokers by TLS.",
        default=False,
    ),
    *CERTIFICATE_KEYS,
    Key(
        name="tls_no_verify",
        parse=parse_flag,
        help="Do not check the brokers' certificates and host names.",
        default=False,
    ),
    Key(
        name="tls_no_host_check",
        parse=parse_flag,
        help="Check the brokers' certificates, but not that they name the host.",
        default=False,
    ),
)
COMMAND_CONFIG: Final = Key(
    name="command_config",
    parse=parse_path,
    metavar="FILE",
    help="Properties of a client, as Kafka's tools take, for all of broker security.",
    section=BROKER_SECURITY,
    of_cluster=True,
    of_brokers=True,
    kafkas=("--admin.config",),
)

KEYS: Final = (
    Key(
        name="zookeeper",
        parse=parse_connect,
        metavar="HOST:PORT[,…][/CHROOT]",
        help="ZooKeeper servers of the cluster, with its chroot.",
        of_cluster=True,
    ),
    Key(
        name="bootstrap_server",
        parse=parse_bootstrap,
        metavar="HOST:PORT[,…]",
        help="Brokers of the cluster to ask first; the rest are discovered from them.",
        of_cluster=True,
        of_brokers=True,
    ),
    Key(
        name="cluster",
        parse=parse_text,
        metavar="NAME",
        help="A named cluster of the configuration file (see 'kadmin config list').",
        in_file=False,
    ),
    Key(
        name="output",
        parse=parse_choice(OutputFormat),
        help="Form of the result on standard output.",
        default=OutputFormat.TEXT.value,
        choices=tuple(form.value for form in OutputFormat),
    ),
    Key(
        name="no_color",
        parse=parse_flag,
        help="No colour on a terminal (NO_COLOR does the same).",
        default=False,
    ),
    Key(
        name="no_pager",
        parse=parse_flag,
        help="Show what is longer than the terminal without a pager (PAGER, otherwise less).",
        default=False,
    ),
    Key(
        name="quiet",
        parse=parse_flag,
        help="No notes, plans or progress on standard error; errors and warnings stay.",
        default=False,
    ),
    Key(
        name="debug",
        parse=parse_flag,
        help="Show the client's log and, when something fails, the stack trace.",
        default=False,
        in_file=False,
    ),
    Key(
        name="timeout",
        parse=parse_seconds,
        metavar="TIME",
        help="How long to wait for servers in all, or for the cluster to act: 30, 2.5s, 500ms, 1m.",
        default=30.0,
    ),
    *map(of_zookeeper, ZOOKEEPER_SECURITY_KEYS),
    *map(of_brokers, BROKER_SECURITY_KEYS),
    COMMAND_CONFIG,
)
KEYS_BY_NAME: Final = {key.name: key for key in KEYS}
CLUSTER_KEYS: Final = tuple(key for key in KEYS if key.of_cluster)
DEFAULTS_KEYS: Final = tuple(key for key in KEYS if key.in_file and not key.of_cluster)

SERVERS: Final = ("zookeeper", "bootstrap_server")
"""The keys that name a cluster by servers of it."""

SERVER_VARIABLES: Final = tuple(KEYS_BY_NAME[name].variable for name in SERVERS)
