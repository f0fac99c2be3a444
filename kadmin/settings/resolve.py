"""The settings in force: which value wins, and who said it?

A value comes from a flag, else the environment, else the configuration file, else the default, and
remembers which.  Opens no connection and knows no command.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, Final, Literal, TypeAlias, TypeVar

from kadmin.errors import UsageError
from kadmin.named_file import read_named
from kadmin.settings.config_reader import ConfigFile, UnknownCluster, config_path, read_config_file
from kadmin.settings.keys import (
    KEYS,
    SERVER_VARIABLES,
    SERVERS,
    Key,
    OutputFormat,
    Secret,
    Value,
    ZooKeeperAuth,
)

Content = TypeVar("Content")

Whose: TypeAlias = Literal["zookeeper", "broker"]
"""Whose security it is: how the names of its keys, options and variables begin."""

BAD_VALUES_HINT: Final = "correct each where it is set, or give its option, which wins"


class Origin(IntEnum):
    """Who gave a value; the lower number wins."""

    FLAG = 0
    ENVIRONMENT = 1
    FILE = 2
    DEFAULT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One key's value and who said so; *source* is what an operator would look for.

    For example `--timeout`, `KADMIN_TIMEOUT` or `/home/me/.config/kadmin/config.toml: [defaults]`.
    """

    key: Key
    value: Value
    origin: Origin
    source: str

    @property
    def is_given(self) -> bool:
        return self.origin is not Origin.DEFAULT

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
class TlsSettings:
    """How a connection uses TLS, if it does; files by their paths."""

    tls: bool = False
    tls_ca: str | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    tls_key_password: Secret | None = None
    tls_verify: bool = True
    tls_check_host: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ZooKeeperSettings(TlsSettings):
    """All that a connection needs; *connect* has every port and no trailing slash."""

    connect: str
    timeout_s: float
    auth: ZooKeeperAuth = ZooKeeperAuth.NONE
    user: str | None = None
    password: Secret | None = None
    sasl_service: str = "zookeeper"

    @property
    def secrets(self) -> tuple[Secret, ...]:
        """What no log and no message may show."""
        return tuple(secret for secret in (self.password, self.tls_key_password) if secret)


class NoClusterNamed(UsageError):
    """Neither an option nor a variable nor *file* names the cluster."""

    def __init__(self, file: ConfigFile) -> None:
        hint = (
            "pass --zookeeper HOST:PORT, or 'kadmin config add NAME --zookeeper HOST:PORT'"
            ", or start one here with 'kadmin cluster up'"
        )
        if file.clusters:
            known = ", ".join(sorted(file.clusters))
            hint = f"choose one with 'kadmin config use NAME' (known: {known})"
        super().__init__("no cluster is named", hint=hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every key resolved; *cluster_name* is None when the servers were named directly.

    *cluster_problem* is what is wrong with the cluster that is meant.  It is raised only when that
    cluster is wanted, so that a broken entry does not stop the command that mends it.
    """

    file: ConfigFile
    cluster_name: str | None
    by_name: Mapping[str, Setting]
    cluster_problem: UsageError | None = None
    read_files: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What the files that they name have held, by path."""

    def once(self, path: str, read: Callable[[], Content]) -> Content:
        """Return what *read* makes of the file at *path*, for each connection of the command: a
        pipe, such as `<(…)` of a shell, is empty the second time."""
        if path not in self.read_files:
            self.read_files[path] = read()
        content: Content = self.read_files[path]
        return content

    def text(self, name: str) -> str | None:
        value = self.by_name[name].value
        return None if value is None else str(value)

    def flag(self, name: str) -> bool:
        return self.by_name[name].value is True

    def secret(self, name: str) -> Secret | None:
        value = self.by_name[name].value
        return None if value is None else Secret(value)

    @property
    def shown_cluster(self) -> str:
        """What an operator calls the cluster that is meant: its name, else its servers."""
        if self.cluster_name is not None:
            return self.cluster_name
        return self.text("zookeeper") or self.text("bootstrap_server") or "none"

    @property
    def output(self) -> OutputFormat:
        return OutputFormat(str(self.by_name["output"].value))

    @property
    def timeout_s(self) -> float:
        value = self.by_name["timeout"].value
        assert isinstance(value, float)
        return value

    def check_cluster(self) -> None:
        """Raise what is wrong with the cluster that is meant, as far as its settings show it."""
        if self.cluster_problem is not None:
            raise self.cluster_problem

    def zookeeper(self) -> ZooKeeperSettings:
        """Return the connection that is meant.

        Raises:
            UsageError: no cluster is named anywhere, or its settings do not make a connection.
        """
        self.check_cluster()
        connect = self.text("zookeeper")
        if connect is None and self.text("bootstrap_server") is not None:
            raise UsageError(
                "only brokers are named, and this command asks ZooKeeper",
                hint="pass --zookeeper HOST:PORT",
            )
        if connect is None:
            raise NoClusterNamed(self.file)
        check_security(self.by_name)
        return replace(
            self.zookeeper_at(connect),
            auth=ZooKeeperAuth(str(self.by_name["zookeeper_auth"].value)),
            user=self.text("zookeeper_user"),
            password=self.password("zookeeper_password"),
            sasl_service=self.text("zookeeper_sasl_service") or "zookeeper",
        )

    def zookeeper_at(self, connect: str) -> ZooKeeperSettings:
        """Return a connection to *connect*, which no operator has named, and which gets no
        password."""
        return ZooKeeperSettings(
            connect=connect,
            timeout_s=self.timeout_s,
            tls=self.flag("zookeeper_tls"),
            tls_ca=self.text("zookeeper_tls_ca"),
            tls_cert=self.text("zookeeper_tls_cert"),
            tls_key=self.text("zookeeper_tls_key"),
            tls_key_password=self.secret("zookeeper_tls_key_password"),
            tls_verify=not self.flag("zookeeper_tls_no_verify"),
        )

    def brokers_beside(self) -> str | None:
        """Return the brokers that the configuration file has for the ZooKeeper that is meant;
        None without any."""
        connect = self.text("zookeeper")
        return next(
            (
                str(entry["bootstrap_server"])
                for entry in self.file.clusters.values()
                if connect is not None
                and entry.get("zookeeper") == connect
                and "bootstrap_server" in entry
            ),
            None,
        )

    def password(self, name: str) -> Secret | None:
        """Return the password *name* or the first line of its file, whichever was said with more
        weight.

        Raises:
            UsageError: the file cannot be read, or its first line is empty.
        """
        plain, file = self.by_name[name], self.by_name[f"{name}_file"]
        if plain.value is not None and plain.origin <= file.origin:
            return Secret(plain.value)
        if file.value is None:
            return None
        path = str(file.value)
        return self.once(path, lambda: read_password(path, file.source, plain.key.variable))

    def exposed_secrets(self) -> list[str]:
        """Return the keys of passwords in use that stand in a configuration file others can
        read."""
        names = [
            setting.key.name
            for setting in self.by_name.values()
            if setting.key.secret and setting.origin is Origin.FILE
        ]
        return names if names and others_can_read(str(self.file.path)) else []


def others_can_read(path: str) -> bool:
    """Return whether the file at *path* is open to its group, or to all."""
    return bool(os.stat(path).st_mode & 0o044)


def read_password(path: str, source: str, variable: str) -> Secret:
    try:
        lines = read_named(path).decode().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise UsageError(
            f"cannot read the password file {path} ({source}): {reason}",
            hint=f"check the owner and mode of that file; {variable} can hold the password instead",
        ) from error
    if not lines or not lines[0]:
        raise UsageError(
            f"the first line of the password file {path} ({source}) is empty",
            hint="write the password there, alone on that line",
        )
    return Secret(lines[0])


def check_security(by_name: Mapping[str, Setting]) -> None:
    """Refuse settings of ZooKeeper's security that contradict each other; raises as `refuse`."""
    auth = by_name["zookeeper_auth"]
    problems: list[str] = []
    if auth.value in (ZooKeeperAuth.DIGEST, ZooKeeperAuth.SASL_DIGEST):
        problems += missing_credentials(by_name, "zookeeper", f"{auth.value} authentication")
    elif not auth.is_given:
        problems += idle(by_name, ("zookeeper_user",), "--zookeeper-auth digest or sasl-digest")
    refuse(problems + tls_problems(by_name, "zookeeper"))


def refuse(problems: Sequence[str]) -> None:
    """Refuse settings that contradict each other, if there are *problems*.

    Certificates without TLS, or a user without authentication, would else mean a connection less
    secure than its operator believes.

    Raises:
        UsageError: with every contradiction.
    """
    if problems:
        raise UsageError(
            "; ".join(problems), hint="'kadmin config show' shows where each setting comes from"
        )


def missing_credentials(by_name: Mapping[str, Setting], whose: Whose, method: str) -> list[str]:
    """Return what *method* needs and *whose* settings do not say: a user, a password."""
    problems = []
    if by_name[f"{whose}_user"].value is None:
        problems.append(f"{method} needs a user: --{whose}-user USER")
    passwords = (by_name[f"{whose}_password"], by_name[f"{whose}_password_file"])
    if all(password.value is None for password in passwords):
        problems.append(
            f"{method} needs a password: --{whose}-password-file FILE"
            f" or {passwords[0].key.variable}"
        )
    return problems


def tls_problems(by_name: Mapping[str, Setting], whose: Whose) -> list[str]:
    """Return what *whose* settings of TLS contradict each other in."""
    problems = []
    if not by_name[f"{whose}_tls"].is_given:
        names = tuple(f"{whose}_tls_{name}" for name in ("ca", "cert", "key", "no_verify"))
        problems += idle(by_name, names, f"--{whose}-tls")
    if by_name[f"{whose}_tls_key"].value and not by_name[f"{whose}_tls_cert"].value:
        problems.append(f"{whose}_tls_key needs a certificate: --{whose}-tls-cert FILE")
    return problems


def idle(by_name: Mapping[str, Setting], names: tuple[str, ...], without: str) -> list[str]:
    """Say of the settings *names* that were given that they mean nothing *without* another."""
    given = [by_name[name] for name in names if by_name[name].value not in (None, False)]
    return [f"{setting.key.name} ({setting.source}) needs {without}" for setting in given]


def resolve(flags: Mapping[str, Value], env: Mapping[str, str] | None = None) -> Settings:
    """Resolve every key from *flags* (by key name, parsed), *env* and the configuration file.

    A cluster named by `--cluster` beats the variables that name servers; servers named by
    `--zookeeper` or `--bootstrap-server` beat both, and then nothing is taken from a named cluster,
    least of all its password.  An empty variable counts as unset.

    Raises:
        UsageError: both ways to name a cluster, a broken file, or bad values; all at once.
    """
    env = os.environ if env is None else env
    named = [Key.by_name(name) for name in SERVERS if flags.get(name) is not None]
    if named and flags.get("cluster") is not None:
        raise UsageError(
            f"{named[0].option} and --cluster both name a cluster: give one of them",
            hint="'kadmin config list' shows which servers each cluster's name stands for",
        )
    if named or flags.get("cluster") is not None:
        # Who names one way to a cluster does not mean the other way of some variable.
        env = {name: value for name, value in env.items() if name not in SERVER_VARIABLES}
    file = read_config_file(config_path(env))
    cluster = chosen_cluster(flags, env, file)
    problems: list[str] = []
    of_cluster: list[str] = []
    by_name: dict[str, Setting] = {"cluster": cluster}
    for key in KEYS:
        try:
            by_name.setdefault(key.name, resolve_key(key, flags, env, file, cluster))
        except ValueError as error:
            (of_cluster if key.of_cluster else problems).append(str(error))
            by_name[key.name] = unset(key)
    if problems:
        raise UsageError("; ".join(problems + of_cluster), hint=BAD_VALUES_HINT)
    return Settings(
        file=file,
        cluster_name=None if cluster.value is None else str(cluster.value),
        by_name=by_name,
        cluster_problem=cluster_problem(flags, env, file, cluster, of_cluster),
    )


def chosen_cluster(flags: Mapping[str, Value], env: Mapping[str, str], file: ConfigFile) -> Setting:
    """Return which named cluster is meant; none when the servers themselves are named."""
    key = Key.by_name("cluster")
    if flags.get("cluster") is not None:
        return Setting(key=key, value=flags["cluster"], origin=Origin.FLAG, source=key.option)
    if any(flags.get(name) is not None for name in SERVERS) or servers_of_environment(env):
        return unset(key)
    if env.get(key.variable):
        name = env[key.variable].strip()
        return Setting(key=key, value=name, origin=Origin.ENVIRONMENT, source=key.variable)
    if file.current is not None:
        source = f"{file.path}: current"
        return Setting(key=key, value=file.current, origin=Origin.FILE, source=source)
    return unset(key)


def servers_of_environment(env: Mapping[str, str]) -> list[str]:
    """Return the variables that name servers."""
    return [variable for variable in SERVER_VARIABLES if env.get(variable)]


def cluster_problem(
    flags: Mapping[str, Value],
    env: Mapping[str, str],
    file: ConfigFile,
    cluster: Setting,
    bad_values: list[str],
) -> UsageError | None:
    named_by_flag = any(flags.get(name) is not None for name in (*SERVERS, "cluster"))
    variables = servers_of_environment(env)
    if not named_by_flag and variables and env.get("KADMIN_CLUSTER"):
        return UsageError(
            f"{variables[0]} and KADMIN_CLUSTER both name a cluster: unset one of them",
            hint=f"unset {variables[0]}",
        )
    if cluster.value is not None and cluster.value not in file.clusters:
        return UnknownCluster(str(cluster.value), file)
    return UsageError("; ".join(bad_values), hint=BAD_VALUES_HINT) if bad_values else None


def resolve_key(
    key: Key, flags: Mapping[str, Value], env: Mapping[str, str], file: ConfigFile, cluster: Setting
) -> Setting:
    if flags.get(key.name) is not None:
        return Setting(key=key, value=flags[key.name], origin=Origin.FLAG, source=key.option)
    if env.get(key.variable):
        value = parse_from(key, env[key.variable], key.variable)
        return Setting(key=key, value=value, origin=Origin.ENVIRONMENT, source=key.variable)
    if key.name == "no_color" and env.get("NO_COLOR"):
        return Setting(key=key, value=True, origin=Origin.ENVIRONMENT, source="NO_COLOR")
    table, where = file.defaults, "defaults"
    if key.of_cluster:
        table, where = file.clusters.get(str(cluster.value), {}), f"clusters.{cluster.value}"
    if key.in_file and key.name in table:
        source = f"{file.path}: [{where}]"
        value = parse_from(key, table[key.name], source)
        return Setting(key=key, value=value, origin=Origin.FILE, source=source)
    return unset(key)


def unset(key: Key) -> Setting:
    return Setting(key=key, value=key.default, origin=Origin.DEFAULT, source="default")


def parse_from(key: Key, raw: object, source: str) -> Value:
    """Parse *raw* (text, or what TOML made of it); raises ValueError naming key, value, source."""
    try:
        return key.parse(key.as_text(raw))
    except ValueError as error:
        shown = "" if key.secret else f" '{raw}'"
        raise ValueError(f"{key.name}{shown} ({source}): {error}") from error
