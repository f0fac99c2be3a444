"""Whose word counts, for every key, and is a connection never less safe than it was meant?"""

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.settings.keys import KEYS, Key, Value, ZooKeeperAuth
from kadmin.settings.resolve import Origin, Settings, resolve

WriteConfig = Callable[[str], None]

VALUES: Mapping[str, tuple[str, str, str]] = {
    "zookeeper": ("flag:1", "env:2", "file:3"),
    "bootstrap_server": ("flag:1", "env:2", "file:3"),
    "broker_sasl": ("plain", "scram-sha-256", "scram-sha-512"),
    "broker_oauth_url": ("https://flag/", "file:///env", "unsecured"),
    "output": ("json", "yaml", "csv"),
    "timeout": ("1", "2", "3"),
    "zookeeper_auth": ("digest", "sasl-digest", "sasl-gssapi"),
}
"""What each of flag, environment and file says; names, paths and passwords take any text."""


@pytest.fixture
def write_config(home: Path) -> WriteConfig:
    def write(text: str) -> None:
        path = home / "config" / "kadmin" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o600)

    return write


def texts_of(key: Key) -> tuple[str, str, str]:
    if key.is_flag:
        return ("true", "false", "true")
    return VALUES.get(key.name, ("/of/flag", "/of/env", "/of/file"))


def config_text(key: Key, text: str) -> str:
    value = text if key.is_flag else f'"{text}"'
    if key.of_cluster:
        return f'current = "here"\n[clusters.here]\n{key.name} = {value}\n'
    return f"[defaults]\n{key.name} = {value}\n" if key.in_file else ""


def setting(name: str, flags: Mapping[str, Value] | None = None) -> tuple[Value, str]:
    found = resolve(flags or {}).by_name[name]
    return found.value, found.source


@pytest.mark.slow
@pytest.mark.parametrize(
    "key", [key for key in KEYS if key.name != "cluster"], ids=lambda k: k.name
)
def test_flag_beats_environment_beats_file_beats_default(
    key: Key, write_config: WriteConfig, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag, env, file = texts_of(key)

    assert (key.default, "default") == setting(key.name)

    if key.in_file:
        write_config(config_text(key, file))
        path = home / "config" / "kadmin" / "config.toml"
        table = "clusters.here" if key.of_cluster else "defaults"
        assert (key.parse(file), f"{path}: [{table}]") == setting(key.name)

    monkeypatch.setenv(key.variable, env)
    assert (key.parse(env), key.variable) == setting(key.name)

    if key.has_option:
        assert (key.parse(flag), key.option) == setting(key.name, {key.name: key.parse(flag)})


def test_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KADMIN_TIMEOUT", "")

    assert (30.0, "default") == setting("timeout")


def test_no_color_of_every_tool_counts_after_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert (True, "NO_COLOR") == setting("no_color")

    monkeypatch.setenv("KADMIN_NO_COLOR", "false")
    assert (False, "KADMIN_NO_COLOR") == setting("no_color")


def test_configuration_file_is_found_by_its_variable_else_by_xdg_else_in_the_home(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def path() -> str:
        return resolve({}).file.path

    assert str(home / "config" / "kadmin" / "config.toml") == path()
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative/is/ignored")
    assert str(home / ".config" / "kadmin" / "config.toml") == path()
    monkeypatch.setenv("KADMIN_CONFIG", str(tmp_path / "mine.toml"))
    assert str(tmp_path / "mine.toml") == path()


TWO_CLUSTERS = """
current = "dev"
[clusters.dev]
zookeeper = "dev:2181"
[clusters.prod]
zookeeper = "prod:2181"
zookeeper_auth = "digest"
zookeeper_user = "admin"
zookeeper_password = "swordfish"
"""


@pytest.mark.parametrize(
    ("flags", "env", "connect"),
    [
        ({}, {}, "dev:2181"),
        ({}, {"KADMIN_CLUSTER": "prod"}, "prod:2181"),
        ({}, {"KADMIN_ZOOKEEPER": "env"}, "env:2181"),
        ({"cluster": "prod"}, {}, "prod:2181"),
        ({"cluster": "prod"}, {"KADMIN_ZOOKEEPER": "env"}, "prod:2181"),
        ({"cluster": "prod"}, {"KADMIN_CLUSTER": "dev"}, "prod:2181"),
        ({"zookeeper": "flag:1"}, {"KADMIN_CLUSTER": "prod"}, "flag:1"),
        ({"zookeeper": "flag:1"}, {"KADMIN_ZOOKEEPER": "env"}, "flag:1"),
    ],
)
def test_cluster_is_chosen_by_the_flag_then_the_variable_then_the_file(
    flags: dict[str, Value],
    env: dict[str, str],
    connect: str,
    write_config: WriteConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_config(TWO_CLUSTERS)
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    assert connect == resolve(flags).zookeeper().connect


TWO_WAYS = """
current = "dev"
[clusters.dev]
zookeeper = "zk:2181"
bootstrap_server = "broker:9092"
"""


@pytest.mark.parametrize(
    ("flags", "env", "servers"),
    [
        ({}, {}, ("zk:2181", "broker:9092")),
        ({"bootstrap_server": "b:1"}, {}, (None, "b:1")),
        ({"zookeeper": "z:1"}, {}, ("z:1", None)),
        ({"zookeeper": "z:1"}, {"KADMIN_BOOTSTRAP_SERVER": "env:1"}, ("z:1", None)),
        ({"bootstrap_server": "b:1"}, {"KADMIN_ZOOKEEPER": "env:1"}, (None, "b:1")),
        ({}, {"KADMIN_BOOTSTRAP_SERVER": "env:1"}, (None, "env:1")),
        ({"cluster": "dev"}, {"KADMIN_BOOTSTRAP_SERVER": "env:1"}, ("zk:2181", "broker:9092")),
        ({"zookeeper": "z:1", "bootstrap_server": "b:1"}, {}, ("z:1", "b:1")),
    ],
)
def test_servers_that_are_named_one_way_never_mix_with_those_of_another_cluster(
    flags: dict[str, Value],
    env: dict[str, str],
    servers: tuple[str | None, str | None],
    write_config: WriteConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write_config(TWO_WAYS)
    for name, value in env.items():
        monkeypatch.setenv(name, value)

    settings = resolve(flags)

    assert servers == (settings.text("zookeeper"), settings.text("bootstrap_server"))


def test_command_that_asks_zookeeper_says_so_where_only_brokers_are_named() -> None:
    with pytest.raises(UsageError, match="only brokers are named"):
        resolve({"bootstrap_server": "b:1"}).zookeeper()


def test_bootstrap_server_and_cluster_are_refused_together() -> None:
    with pytest.raises(UsageError, match="--bootstrap-server and --cluster both name a cluster"):
        resolve({"bootstrap_server": "b:1", "cluster": "prod"})


@pytest.mark.parametrize("by_variable", [False, True])
def test_credentials_of_a_named_cluster_never_go_to_other_servers(
    by_variable: bool, write_config: WriteConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(TWO_CLUSTERS.replace('current = "dev"', 'current = "prod"'))
    if by_variable:
        monkeypatch.setenv("KADMIN_ZOOKEEPER", "elsewhere:2181")

    settings = resolve({} if by_variable else {"zookeeper": "elsewhere:2181"})

    assert settings.cluster_name is None
    zookeeper = settings.zookeeper()
    assert (ZooKeeperAuth.NONE, None, None) == (zookeeper.auth, zookeeper.user, zookeeper.password)


def test_two_flags_that_name_a_cluster_are_refused(write_config: WriteConfig) -> None:
    write_config(TWO_CLUSTERS)

    with pytest.raises(UsageError, match="--zookeeper and --cluster both name a cluster"):
        resolve({"zookeeper": "zk:1", "cluster": "prod"})


def test_two_variables_that_name_a_cluster_are_refused_when_it_matters(
    write_config: WriteConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config(TWO_CLUSTERS)
    monkeypatch.setenv("KADMIN_ZOOKEEPER", "env")
    monkeypatch.setenv("KADMIN_CLUSTER", "prod")

    with pytest.raises(UsageError, match="KADMIN_ZOOKEEPER and KADMIN_CLUSTER both name"):
        resolve({}).zookeeper()
    assert "dev:2181" == resolve({"cluster": "dev"}).zookeeper().connect


def test_unknown_cluster_is_refused_only_when_it_is_wanted(write_config: WriteConfig) -> None:
    write_config(TWO_CLUSTERS)
    settings = resolve({"cluster": "prdo"})

    with pytest.raises(UsageError, match=r"no cluster 'prdo' in .* \(known: dev, prod\)"):
        settings.zookeeper()


def test_no_cluster_at_all_tells_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="no cluster is named") as refusal:
        resolve({}).zookeeper()

    assert "--zookeeper HOST:PORT" in str(refusal.value.hint)


def test_where_clusters_have_names_and_none_is_meant_the_hint_names_them(
    write_config: WriteConfig,
) -> None:
    write_config(TWO_CLUSTERS.replace('current = "dev"\n', ""))

    with pytest.raises(UsageError, match="no cluster is named") as refusal:
        resolve({}).zookeeper()

    assert "choose one with 'kadmin config use NAME' (known: dev, prod)" == refusal.value.hint


def test_bad_values_are_reported_all_at_once_with_key_value_and_source(
    write_config: WriteConfig, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_config('current = "c"\n[defaults]\noutput = "xml"\n[clusters.c]\nzookeeper = "zk:x"\n')
    monkeypatch.setenv("KADMIN_TIMEOUT", "soon")

    with pytest.raises(UsageError) as refusal:
        resolve({})

    path = home / "config" / "kadmin" / "config.toml"
    assert f"output 'xml' ({path}: [defaults]): must be one of" in refusal.value.message
    assert "timeout 'soon' (KADMIN_TIMEOUT): must be a time" in refusal.value.message
    assert f"zookeeper 'zk:x' ({path}: [clusters.c]): 'zk:x' is not" in refusal.value.message


def test_bad_value_of_a_secret_is_not_shown(write_config: WriteConfig) -> None:
    write_config('current = "c"\n[clusters.c]\nzookeeper = "z"\nzookeeper_password = [5454]\n')

    with pytest.raises(UsageError, match=r"zookeeper_password .*must be a string") as refusal:
        resolve({}).zookeeper()

    assert "5454" not in refusal.value.message


@pytest.mark.parametrize(
    "text",
    [
        '[clusters.c]\nzookeeper = ["a", "b"]',
        "[clusters.c]\nzookeeper = 2181",
        '[clusters.c]\nzookeeper = "z"\nzookeeper_user = true',
        '[clusters.c]\nzookeeper = "z"\nzookeeper_tls = 1',
    ],
)
def test_values_of_another_type_are_refused(text: str, write_config: WriteConfig) -> None:
    write_config('current = "c"\n' + text)

    with pytest.raises(UsageError, match="must be"):
        resolve({}).zookeeper()


def test_timeouts_may_be_numbers_in_the_file(write_config: WriteConfig) -> None:
    write_config("[defaults]\ntimeout = 2.5\n")

    assert 2.5 == resolve({}).timeout_s


def test_unknown_keys_and_tables_are_named_all_at_once(write_config: WriteConfig) -> None:
    write_config(
        'color = true\ncurrent = 5\n[defaults]\nzookeeper = "z"\n[clusters.c]\nhost = "h"\n'
    )

    with pytest.raises(UsageError) as refusal:
        resolve({})

    for problem in (
        "unknown key 'color'",
        "'current' must be a string",
        "unknown key 'zookeeper' in [defaults]",
        "unknown key 'host' in [clusters.c]",
    ):
        assert problem in refusal.value.message


@pytest.mark.parametrize("text", ["[defaults", 'current = "\xff"', "clusters = 5", "defaults = 5"])
def test_file_that_is_no_configuration_is_named(text: str, home: Path) -> None:
    path = home / "config" / "kadmin" / "config.toml"
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode("latin-1"))

    with pytest.raises(UsageError, match=str(path)):
        resolve({})


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_file_that_cannot_be_read_is_named(write_config: WriteConfig, home: Path) -> None:
    write_config(TWO_CLUSTERS)
    path = home / "config" / "kadmin" / "config.toml"
    path.chmod(0)

    with pytest.raises(UsageError, match=f"{path}: Permission denied"):
        resolve({})


def digest(flags: Mapping[str, Value]) -> Settings:
    return resolve({"zookeeper": "z:1", "zookeeper_auth": "digest", "zookeeper_user": "u", **flags})


def test_password_comes_from_the_first_line_of_its_file(tmp_path: Path) -> None:
    path = tmp_path / "password"
    path.write_text("sword fish \r\nsecond line\n")

    password = digest({"zookeeper_password_file": str(path)}).zookeeper().password

    assert "sword fish " == password


def test_password_file_of_a_flag_beats_the_password_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "password"
    path.write_text("of-flag")
    monkeypatch.setenv("KADMIN_ZOOKEEPER_PASSWORD", "of-environment")

    assert "of-flag" == digest({"zookeeper_password_file": str(path)}).zookeeper().password
    assert "of-environment" == digest({}).zookeeper().password


def test_password_file_that_is_missing_or_empty_is_named(tmp_path: Path) -> None:
    missing, empty = tmp_path / "missing", tmp_path / "empty"
    empty.write_text("\n")

    with pytest.raises(UsageError, match=f"cannot read the password file {missing}.*No such file"):
        digest({"zookeeper_password_file": str(missing)}).zookeeper()
    with pytest.raises(UsageError, match=f"first line of the password file {empty}.* is empty"):
        digest({"zookeeper_password_file": str(empty)}).zookeeper()


@pytest.mark.parametrize(
    ("flags", "problem"),
    [
        ({"zookeeper_auth": "digest"}, "digest authentication needs a user"),
        ({"zookeeper_auth": "sasl-digest"}, "sasl-digest authentication needs a password"),
        ({"zookeeper_user": "u"}, r"zookeeper_user \(--zookeeper-user\) needs --zookeeper-auth"),
        (
            {"zookeeper_tls_ca": "ca"},
            r"zookeeper_tls_ca \(--zookeeper-tls-ca\) needs --zookeeper-tls",
        ),
        ({"zookeeper_tls_no_verify": True}, "zookeeper_tls_no_verify .* needs --zookeeper-tls"),
        ({"zookeeper_tls": True, "zookeeper_tls_key": "k"}, "needs a certificate"),
    ],
)
def test_settings_that_would_make_a_less_secure_connection_than_meant_are_refused(
    flags: dict[str, Value], problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        resolve({"zookeeper": "z:1", **flags}).zookeeper()


def test_plain_connection_may_be_asked_for_in_spite_of_certificates(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KADMIN_ZOOKEEPER_TLS_CA", "/ca.pem")
    monkeypatch.setenv("KADMIN_ZOOKEEPER_TLS", "false")

    assert not resolve({"zookeeper": "z:1"}).zookeeper().tls


def test_password_in_a_file_that_others_can_read_is_noticed(
    write_config: WriteConfig, home: Path
) -> None:
    write_config(TWO_CLUSTERS)
    path = home / "config" / "kadmin" / "config.toml"

    assert [] == resolve({"cluster": "prod"}).exposed_secrets()
    path.chmod(0o640)
    assert ["zookeeper_password"] == resolve({"cluster": "prod"}).exposed_secrets()
    assert [] == resolve({"cluster": "dev"}).exposed_secrets()


def test_every_setting_says_where_it_comes_from(write_config: WriteConfig, home: Path) -> None:
    write_config(TWO_CLUSTERS)
    settings = resolve({"timeout": 5.0})

    path = home / "config" / "kadmin" / "config.toml"
    assert f"{path}: current" == settings.by_name["cluster"].source
    assert {key.name for key in KEYS} == set(settings.by_name)
    assert Origin.FLAG is settings.by_name["timeout"].origin
