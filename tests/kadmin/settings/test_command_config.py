"""The file of `--command-config` beside options, variables and the configuration file."""

import os
from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.settings.brokers import broker_settings, protocol_of_settings
from kadmin.settings.command_config import exposed_secrets
from kadmin.settings.keys import BrokerSasl, Value
from kadmin.settings.resolve import resolve

TEXT = """security.protocol=SASL_PLAINTEXT
sasl.mechanism=PLAIN
sasl.jaas.config=x.PlainLoginModule required username="ann" password="swordfish";
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "client.properties"
    path.write_text(TEXT)
    return str(path)


def test_the_file_says_how_brokers_are_reached(file: str) -> None:
    settings = resolve({"command_config": file})

    found = broker_settings(settings, "b:9092")

    assert ("SASL_PLAINTEXT", "ann", "swordfish") == (found.protocol, found.user, found.password)
    assert BrokerSasl.PLAIN is found.sasl
    assert "SASL_PLAINTEXT" == protocol_of_settings(settings)
    assert "swordfish" not in repr(found)


def piped(text: str) -> str:
    """The path of a pipe that holds *text* once, as a shell's `<(…)`."""
    reading, writing = os.pipe()
    os.write(writing, text.encode())
    os.close(writing)
    return f"/dev/fd/{reading}"


def test_a_file_that_can_be_read_once_counts_for_all_connections_of_a_command() -> None:
    settings = resolve({"command_config": piped(TEXT)})

    first, second = (broker_settings(settings, "b:9092") for _ in range(2))

    assert first == second
    assert ("SASL_PLAINTEXT", "swordfish") == (second.protocol, second.password)
    assert "SASL_PLAINTEXT" == protocol_of_settings(settings)
    assert ("", []) == exposed_secrets(settings)


def test_so_do_the_files_of_passwords() -> None:
    flags: dict[str, Value] = {"broker_sasl": "plain", "broker_user": "ann"}
    settings = resolve({**flags, "broker_password_file": piped("trout\n")})

    assert ["trout"] * 2 == [broker_settings(settings, "b:9092").password for _ in range(2)]


@pytest.mark.parametrize(
    ("flags", "env", "expected"),
    [
        # An option beside it wins.
        ({"broker_user": "bob"}, {}, ("SASL_PLAINTEXT", "bob", "swordfish")),
        ({"broker_tls": True}, {}, ("SASL_SSL", "ann", "swordfish")),
        ({"broker_password_file": "PASSWORD"}, {}, ("SASL_PLAINTEXT", "ann", "trout")),
        # What has less weight counts no more: the file says all of it.
        ({}, {"KADMIN_BROKER_USER": "eve"}, ("SASL_PLAINTEXT", "ann", "swordfish")),
        ({}, {"KADMIN_BROKER_TLS": "true"}, ("SASL_PLAINTEXT", "ann", "swordfish")),
        ({}, {"KADMIN_BROKER_PASSWORD_FILE": "/no"}, ("SASL_PLAINTEXT", "ann", "swordfish")),
    ],
)
def test_what_was_said_with_more_weight_wins(
    flags: dict[str, Value],
    env: dict[str, str],
    expected: tuple[str, str, str],
    file: str,
    tmp_path: Path,
) -> None:
    (tmp_path / "password").write_text("trout\n")
    flags = {
        name: str(tmp_path / "password") if value == "PASSWORD" else value
        for name, value in flags.items()
    }

    found = broker_settings(resolve({"command_config": file, **flags}, env), "b:9092")

    assert expected == (found.protocol, found.user, found.password)


def test_the_configuration_file_may_name_it_and_a_variable_wins(file: str, tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'current = "a"\n[clusters.a]\ncommand_config = "{file}"\n')
    env = {"KADMIN_CONFIG": str(config)}

    named = broker_settings(resolve({}, env), "b:9092")
    other = broker_settings(resolve({}, {**env, "KADMIN_BROKER_USER": "bob"}), "b:9092")

    assert ("ann", "bob") == (named.user, other.user)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("sasl.mechanism=GSSAPI\n", r":1: .* has no security\.protocol"),
        ("\nssl.endpoint.identification.algorithm=\n", r":2: .* \(--command-config\) has no"),
        ("security.protocol=SSL\nssl.keystore.type=P12\n", r":2: ssl\.keystore\.type: 'P12'"),
        ("a=\\u00zz\n", r"cannot read the property file .*:1: "),
        ("a=\0\n", "cannot read the property file .*: it is no text"),
    ],
)
def test_a_wrong_file_is_refused_when_brokers_are_asked(
    text: str, reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "client.properties"
    path.write_text(text)
    settings = resolve({"command_config": str(path)})

    with pytest.raises(UsageError, match=reason) as refusal:
        broker_settings(settings, "b:9092")

    assert refusal.value.hint


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the property file .*no such file"):
        broker_settings(resolve({"command_config": str(tmp_path / "none")}), "b:9092")
