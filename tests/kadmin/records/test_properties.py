"""Are the properties of Java clients understood, and no password taken for anything else?"""

from pathlib import Path

import pytest
from confluent_kafka import Producer

from kadmin.errors import UsageError
from kadmin.records.client import ConnectionLog, client_config, create_client
from kadmin.records.properties import parse_properties, read_properties
from kadmin.settings.brokers import BrokerSettings
from kadmin.settings.client_security import secret_names

JAVA = r"""
bootstrap.servers=ignored:9092
security.protocol=SASL_SSL
sasl.mechanism=SCRAM-SHA-512
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \
  username="ann" password="s\\"w=;o'rd";
ssl.truststore.type=PEM
ssl.truststore.location=/etc/ca.pem
ssl.endpoint.identification.algorithm=
key.serializer=org.apache.kafka.common.serialization.StringSerializer
max.request.size=5000000
linger.ms=20
"""


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def test_file_of_a_java_client_is_translated(tmp_path: Path) -> None:
    authorities = write(tmp_path / "ca.pem", "-----BEGIN CERTIFICATE-----\n")
    java = JAVA.replace("/etc/ca.pem", authorities)

    found = read_properties(write(tmp_path / "client.properties", java))

    assert found == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "ann",
        "sasl.password": "s\"w=;o'rd",
        "ssl.ca.location": authorities,
        "ssl.endpoint.identification.algorithm": "none",
        "message.max.bytes": "5000000",
        "linger.ms": "20",
    }
    assert secret_names(found) == ["sasl.password"]


def test_trust_store_that_is_no_pem_is_refused_with_a_way_to_make_one(tmp_path: Path) -> None:
    store = write(tmp_path / "x.jks", "\xfe\xed")
    path = write(tmp_path / "c", f"ssl.truststore.location={store}\nssl.truststore.password=p\n")

    with pytest.raises(UsageError, match=r"/c:1: .* is no PEM file") as refusal:
        read_properties(path)

    assert f"keytool -list -rfc -keystore {store}" in str(refusal.value.hint)


def test_what_librdkafka_does_not_take_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "c", "acks=all\n\nlinger.ms=soon\n")
    log = ConnectionLog("b:9092")
    settings = BrokerSettings(bootstrap="127.0.0.1:1", timeout_s=1)

    with pytest.raises(UsageError, match=r"/c:3: linger\.ms"):
        create_client(Producer, client_config(settings, read_properties(path), log, debug=False))


def test_tokens_are_librdkafkas_own_or_those_of_command_config(tmp_path: Path) -> None:
    head = "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER\n"
    own = {
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.token.endpoint.url": "https://i/t",
        "sasl.oauthbearer.client.id": "me",
        "sasl.oauthbearer.client.secret": "s",
    }
    lines = "".join(f"{name}={value}\n" for name, value in own.items())

    assert own.items() <= read_properties(write(tmp_path / "a", head + lines)).items()
    with pytest.raises(UsageError, match=r"/b:2: OAUTHBEARER is taken from") as refusal:
        read_properties(write(tmp_path / "b", head))

    assert "--command-config" in str(refusal.value.hint)


def test_login_without_a_password_is_refused_and_not_shown(tmp_path: Path) -> None:
    path = write(tmp_path / "c", "sasl.jaas.config=X required username=\"ann\" pass='hidden';\n")

    with pytest.raises(UsageError, match="no username and password") as refusal:
        read_properties(path)

    assert "hidden" not in f"{refusal.value} {refusal.value.hint}"


@pytest.mark.parametrize("content", [None, b"a=\\u00zz\n"])
def test_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "client.properties"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(UsageError, match=f"cannot read the property file {path}: "):
        read_properties(str(path))


def test_the_last_word_on_a_property_counts_and_values_may_hold_the_sign() -> None:
    assert {"a": "2", "b": "x=y"} == parse_properties(["a=1", "b=x=y", "a=2"], "-X")


@pytest.mark.parametrize("text", ["hunter2", "=hunter2"])
def test_text_that_may_be_a_password_is_not_repeated(text: str) -> None:
    with pytest.raises(UsageError, match="-X takes NAME=VALUE") as refusal:
        parse_properties([text], "-X")

    assert "hunter2" not in str(refusal.value)


@pytest.mark.parametrize("name", ["bootstrap.servers", "metadata.broker.list", "group.id"])
def test_properties_that_are_no_use_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match=name):
        parse_properties([f"{name}=x"], "-X")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("transactional.id=orders-1", "kadmin writes in no transaction"),
        ("enable.auto.offset.store=true", "is committed when it is printed"),
    ],
)
def test_what_kadmin_does_otherwise_is_refused_in_options_and_files(
    tmp_path: Path, line: str, reason: str
) -> None:
    path = tmp_path / "client.properties"
    path.write_text(f"{line}\n")

    for refuse in (lambda: parse_properties([line], "-X"), lambda: read_properties(str(path))):
        with pytest.raises(UsageError, match=reason):
            refuse()
