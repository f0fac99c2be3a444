"""Which cluster is meant, how is it reached, and how is the answer shown, by whose word?

One table of keys makes the global options, the environment's names and the keys of the
configuration file.  A value comes from a flag, else the environment, else the file, else the
default, and remembers which.  Opens no connection and knows no command.
"""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
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


class Secret(str):
    """A password: a string whose `repr` never shows it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


Value: TypeAlias = str | bool | float | None


def parse_text(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return text.strip()


def parse_path(text: str) -> str:
    return str(Path(parse_text(text)).expanduser())


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
    return float(match[1]) * {"ms": 0.001, "s": 1.0, "m": 60.0, "": 1.0}[match[2]]


def parse_choice(choices: type[StrEnum]) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text not in list(choices):
            raise ValueError("must be one of: " + ", ".join(choices))
        return text

    return parse


def parse_connect(text: str) -> str:
    """Check a ZooKeeper connect string `host:port[,host:port…][/chroot]`; ports default to 2181.

    Returns it with every port written out and without a trailing slash.
    """
    hosts, slash, chroot = text.strip().partition("/")
    servers = [normal_server(server) for server in hosts.split(",")]
    chroot = chroot.rstrip("/")
    if slash and ("//" in chroot or any(part in (".", "..") for part in chroot.split("/"))):
        raise ValueError(f"the chroot '/{chroot}' is not a ZooKeeper path")
    return ",".join(servers) + (f"/{chroot}" if chroot else "")


def normal_server(server: str) -> str:
    match = re.fullmatch(r"\s*(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?\s*", server)
    if match is None:
        raise ValueError(f"'{server}' is not HOST:PORT")
    port = int(match[2] or 2181)
    if not 0 < port < 65536:
        raise ValueError(f"the port of '{server}' is not in 1..65535")
    return f"{match[1]}:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One setting: its option is `--name`, its variable `KADMIN_NAME`, its file key `name`.

    *section* is where help lists it.  *of_cluster* keys stand in `[clusters.NAME]` of the file,
    the others in `[defaults]`; a key that is neither is known only to flags and environment.
    """

    name: str
    parse: Callable[[str], Value]
    help: str
    metavar: str | None = None
    default: Value = None
    section: str = "Global options"
    of_cluster: bool = False
    in_file: bool = True
    has_option: bool = True
    secret: bool = False
    choices: tuple[str, ...] = ()

    @property
    def option(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "KADMIN_" + self.name.upper()

    @property
    def is_flag(self) -> bool:
        return self.parse is parse_flag


SECURITY: Final = "ZooKeeper security"

KEYS: Final = (
    Key(
        name="zookeeper",
        parse=parse_connect,
        metavar="HOST:PORT[,…][/CHROOT]",
        help="ZooKeeper servers of the cluster, with its chroot.",
        of_cluster=True,
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
        name="quiet",
        parse=parse_flag,
        help="No notes, plans or progress on standard error; errors stay.",
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
        help="How long to wait for a server, or for the cluster to act: 30, 2.5s, 500ms, 1m.",
        default=30.0,
    ),
    Key(
        name="zookeeper_auth",
        parse=parse_choice(ZooKeeperAuth),
        help="How to authenticate to ZooKeeper.",
        default=ZooKeeperAuth.NONE.value,
        section=SECURITY,
        of_cluster=True,
        choices=tuple(auth.value for auth in ZooKeeperAuth),
    ),
    Key(
        name="zookeeper_user",
        parse=parse_text,
        metavar="USER",
        help="User for digest and sasl-digest.",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_password",
        parse=Secret,
        help="Password of that user; never an option, where others could read it.",
        section=SECURITY,
        of_cluster=True,
        has_option=False,
        secret=True,
    ),
    Key(
        name="zookeeper_password_file",
        parse=parse_path,
        metavar="FILE",
        help="File whose first line is the password of that user.",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_sasl_service",
        parse=parse_text,
        metavar="NAME",
        help="Service name of the servers' Kerberos principal.",
        default="zookeeper",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_tls",
        parse=parse_flag,
        help="Connect by TLS.",
        default=False,
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_tls_ca",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the certificate authorities to trust.",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_tls_cert",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the client's certificate.",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_tls_key",
        parse=parse_path,
        metavar="FILE",
        help="PEM file of the client's key.",
        section=SECURITY,
        of_cluster=True,
    ),
    Key(
        name="zookeeper_tls_key_password",
        parse=Secret,
        help="Password of that key; never an option.",
        section=SECURITY,
        of_cluster=True,
        has_option=False,
        secret=True,
    ),
    Key(
        name="zookeeper_tls_no_verify",
        parse=parse_flag,
        help="Do not check the servers' certificates and host names.",
        default=False,
        section=SECURITY,
        of_cluster=True,
    ),
)
KEYS_BY_NAME: Final = {key.name: key for key in KEYS}
CLUSTER_KEYS: Final = tuple(key for key in KEYS if key.of_cluster)
DEFAULTS_KEYS: Final = tuple(key for key in KEYS if key.in_file and not key.of_cluster)


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One key's value and who said so, for example `KADMIN_TIMEOUT` or `config.toml [defaults]`."""

    key: Key
    value: Value
    source: str

    @property
    def shown(self) -> str:
        """The value for people: secrets are masked, an unset key is empty."""
        if self.value is None:
            return ""
        if self.key.secret:
            return "***"
        if isinstance(self.value, bool):
            return "true" if self.value else "false"
        return f"{self.value:g}" if isinstance(self.value, float) else str(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooKeeperSettings:
    """All that a connection needs; *connect* has every port and no trailing slash."""

    connect: str
    timeout_s: float
    auth: ZooKeeperAuth = ZooKeeperAuth.NONE
    user: str | None = None
    password: Secret | None = None
    sasl_service: str = "zookeeper"
    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    tls_key_password: Secret | None = None
    tls_verify: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigFile:
    """What the configuration file says; all empty when there is none."""

    path: Path
    current: str | None = None
    defaults: Mapping[str, object]
    clusters: Mapping[str, Mapping[str, object]]


class UnknownCluster(UsageError):
    """A cluster was named that the configuration file does not have."""

    def __init__(self, name: str, file: ConfigFile) -> None:
        known = ", ".join(sorted(file.clusters)) or "none"
        super().__init__(
            f"there is no cluster '{name}' in {file.path} (known: {known})",
            hint=f"kadmin config add {name} --zookeeper HOST:PORT",
        )
        self.name = name


def config_path(env: Mapping[str, str]) -> Path:
    """`$KADMIN_CONFIG`, else `kadmin/config.toml` below `$XDG_CONFIG_HOME` or `~/.config`."""
    if env.get("KADMIN_CONFIG"):
        return Path(env["KADMIN_CONFIG"]).expanduser()
    base = env.get("XDG_CONFIG_HOME") or "~/.config"
    return Path(base).expanduser() / "kadmin" / "config.toml"


def read_config_file(path: Path) -> ConfigFile:
    """Read and check the configuration file; a missing one is empty.

    Raises:
        UsageError: it cannot be read, is no TOML, or holds unknown keys; all problems at once.
    """
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return ConfigFile(path=path, defaults={}, clusters={})
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the configuration file {path}: {error}") from error
    problems = list(config_problems(document))
    if problems:
        raise UsageError(
            f"{path}: " + "; ".join(problems), hint="'kadmin config add --help' lists the keys"
        )
    return ConfigFile(
        path=path,
        current=document.get("current"),
        defaults=document.get("defaults", {}),
        clusters=document.get("clusters", {}),
    )


def config_problems(document: Mapping[str, object]) -> list[str]:
    problems = [
        f"unknown key '{name}'"
        for name in document
        if name not in ("current", "defaults", "clusters")
    ]
    current = document.get("current")
    if current is not None and not isinstance(current, str):
        problems.append("'current' must be a string")
    problems += table_problems("defaults", document.get("defaults", {}), DEFAULTS_KEYS)
    clusters = document.get("clusters", {})
    if not isinstance(clusters, dict):
        return [*problems, "'clusters' must be a table"]
    for name, table in clusters.items():
        problems += table_problems(f"clusters.{name}", table, CLUSTER_KEYS)
    return problems


def table_problems(where: str, table: object, keys: tuple[Key, ...]) -> list[str]:
    if not isinstance(table, dict):
        return [f"'{where}' must be a table"]
    known = {key.name for key in keys}
    return [f"unknown key '{name}' in [{where}]" for name in table if name not in known]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every key resolved; `cluster_name` is None when the servers were named directly."""

    file: ConfigFile
    cluster_name: str | None
    by_name: Mapping[str, Setting]

    def text(self, name: str) -> str | None:
        value = self.by_name[name].value
        return None if value is None else str(value)

    def flag(self, name: str) -> bool:
        return self.by_name[name].value is True

    @property
    def output(self) -> OutputFormat:
        return OutputFormat(str(self.by_name["output"].value))

    @property
    def timeout_s(self) -> float:
        value = self.by_name["timeout"].value
        assert isinstance(value, float)
        return value

    def zookeeper(self) -> ZooKeeperSettings:
        """The connection that is meant.

        Raises:
            UsageError: no cluster is named anywhere, or its credentials are incomplete.
        """
        connect = self.text("zookeeper")
        if connect is None:
            raise UsageError(
                "no cluster is named",
                hint="pass --zookeeper HOST:PORT, or 'kadmin config add NAME --zookeeper HOST:PORT'"
                ", or start one here with 'kadmin cluster up'",
            )
        auth = ZooKeeperAuth(str(self.by_name["zookeeper_auth"].value))
        password = self.password()
        if auth in (ZooKeeperAuth.DIGEST, ZooKeeperAuth.SASL_DIGEST) and (
            self.text("zookeeper_user") is None or password is None
        ):
            raise UsageError(
                f"{auth} authentication needs a user and a password",
                hint="pass --zookeeper-user USER --zookeeper-password-file FILE,"
                " or set KADMIN_ZOOKEEPER_PASSWORD",
            )
        key_password = self.by_name["zookeeper_tls_key_password"].value
        return ZooKeeperSettings(
            connect=connect,
            timeout_s=self.timeout_s,
            auth=auth,
            user=self.text("zookeeper_user"),
            password=password,
            sasl_service=self.text("zookeeper_sasl_service") or "zookeeper",
            tls=self.flag("zookeeper_tls"),
            tls_ca=self.text("zookeeper_tls_ca"),
            tls_cert=self.text("zookeeper_tls_cert"),
            tls_key=self.text("zookeeper_tls_key"),
            tls_key_password=None if key_password is None else Secret(key_password),
            tls_verify=not self.flag("zookeeper_tls_no_verify"),
        )

    def password(self) -> Secret | None:
        value = self.by_name["zookeeper_password"].value
        if value is not None:
            return Secret(value)
        path = self.text("zookeeper_password_file")
        if path is None:
            return None
        try:
            return Secret(Path(path).read_text(encoding="utf-8").split("\n", 1)[0])
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"cannot read the password file {path}: {error}") from error


def resolve(flags: Mapping[str, Value], env: Mapping[str, str] | None = None) -> Settings:
    """Resolve every key from *flags* (by key name, parsed), *env* and the configuration file.

    A cluster named by `--cluster` beats `KADMIN_ZOOKEEPER`; servers named by `--zookeeper` beat
    both, and then nothing is taken from a named cluster, least of all its password.

    Raises:
        UsageError: an unknown cluster, both ways to name one, bad values; all at once.
    """
    env = os.environ if env is None else env
    if flags.get("zookeeper") is not None and flags.get("cluster") is not None:
        raise UsageError("--zookeeper and --cluster both name a cluster: give one of them")
    file = read_config_file(config_path(env))
    cluster_name = chosen_cluster(flags, env, file)
    problems: list[str] = []
    by_name: dict[str, Setting] = {}
    for key in KEYS:
        try:
            by_name[key.name] = resolve_key(key, flags, env, file, cluster_name)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise UsageError("; ".join(problems))
    return Settings(file=file, cluster_name=cluster_name, by_name=by_name)


def chosen_cluster(
    flags: Mapping[str, Value], env: Mapping[str, str], file: ConfigFile
) -> str | None:
    if flags.get("zookeeper") is not None:
        return None
    name = flags.get("cluster")
    if name is None:
        if env.get("KADMIN_ZOOKEEPER"):
            return None
        name = env.get("KADMIN_CLUSTER") or file.current
    if name is None:
        return None
    if name not in file.clusters:
        raise UnknownCluster(str(name), file)
    return str(name)


def resolve_key(
    key: Key,
    flags: Mapping[str, Value],
    env: Mapping[str, str],
    file: ConfigFile,
    cluster_name: str | None,
) -> Setting:
    if flags.get(key.name) is not None:
        return Setting(key=key, value=flags[key.name], source=key.option)
    if env.get(key.variable):
        value = parse_from(key, env[key.variable], key.variable)
        return Setting(key=key, value=value, source=key.variable)
    if key.name == "no_color" and env.get("NO_COLOR"):
        return Setting(key=key, value=True, source="NO_COLOR")
    if key.name == "cluster":
        source = f"{file.path}: current" if cluster_name is not None else "default"
        return Setting(key=key, value=cluster_name, source=source)
    table, where = file.defaults, "defaults"
    if key.of_cluster:
        table, where = file.clusters.get(cluster_name or "", {}), f"clusters.{cluster_name}"
    if key.in_file and key.name in table:
        source = f"{file.path}: [{where}]"
        return Setting(key=key, value=parse_from(key, table[key.name], source), source=source)
    return Setting(key=key, value=key.default, source="default")


def parse_from(key: Key, raw: object, source: str) -> Value:
    """Parse *raw* (text, or what TOML made of it); raises ValueError naming key, value, source."""
    text = ("true" if raw else "false") if isinstance(raw, bool) else str(raw)
    try:
        return key.parse(text)
    except ValueError as error:
        shown = "" if key.secret else f" '{text}'"
        raise ValueError(f"{key.name}{shown} ({source}): {error}") from error
