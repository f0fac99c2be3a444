"""What files of Java clients say of the way to brokers, and what of it is refused, line by line."""

import os
import subprocess
from pathlib import Path

import pytest

from kadmin.errors import UsageError
from kadmin.settings.client_security import secret_names, security_of
from kadmin.settings.properties import read_properties
from tests.support.certificates import Authority

PLAIN = 'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann"'
SECRET = "hunter2"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A PEM file with certificate, chain and key."""
    certificate, key = Authority(tmp_path, "ours").issue("client")
    path = tmp_path / "client.pem"
    path.write_bytes(certificate.read_bytes() + key.read_bytes())
    return path


def read(tmp_path: Path, text: str, *, for_librdkafka: bool = False) -> dict[str, str]:
    path = tmp_path / "client.properties"
    path.write_text(text)
    found = security_of(read_properties(str(path)), for_librdkafka=for_librdkafka)
    return {name: given.value for name, given in found.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("client.id=me\nrequest.timeout.ms=5\nretries=7\n", {}),
        ("security.protocol=PLAINTEXT\n", {"tls": "false", "sasl": "none"}),
        ("security.protocol = ssl\n", {"tls": "true", "sasl": "none"}),
        (
            "security.protocol=SSL\nproducer.security.protocol=SASL_SSL\n",
            {"tls": "true", "sasl": "none"},
        ),
        # GSSAPI is what Kafka takes where no mechanism is named.
        ("security.protocol:SASL_PLAINTEXT\n", {"tls": "false", "sasl": "gssapi"}),
        (
            f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config={PLAIN} \\\n"
            ' password="a;b=\\\\"c";\n',
            {"tls": "true", "sasl": "plain", "user": "ann", "password": 'a;b="c'},
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\n"
            "sasl.jaas.config=a.ScramLoginModule required username=ann password='p w';\n",
            {"tls": "false", "sasl": "scram-sha-512", "user": "ann", "password": "p w"},
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.kerberos.service.name=kfk\n"
            "sasl.jaas.config=com.sun.security.auth.module.Krb5LoginModule required"
            ' useKeyTab=true storeKey=true keyTab="/etc/k.keytab" principal="ann@X";\n',
            {"tls": "false", "sasl": "gssapi", "sasl_service": "kfk", "keytab": "/etc/k.keytab"},
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\n"
            "sasl.login.callback.handler.class=org.apache.kafka.common.security.oauthbearer"
            ".secured.OAuthBearerLoginCallbackHandler\n"
            "sasl.oauthbearer.token.endpoint.url=https://idp/token\n"
            "sasl.jaas.config=a.OAuthBearerLoginModule required clientId=id clientSecret=s"
            " scope=kafka;\n",
            {
                **{"tls": "false", "sasl": "oauthbearer", "oauth_url": "https://idp/token"},
                **{"user": "id", "password": "s", "oauth_scope": "kafka"},
            },
        ),
        (
            "security.protocol=SASL_PLAINTEXT\nsasl.mechanism=OAUTHBEARER\nsasl.jaas.config="
            'a.OAuthBearerLoginModule required unsecuredLoginStringClaim_sub="ann";\n',
            {"tls": "false", "sasl": "oauthbearer", "user": "ann", "oauth_url": "unsecured"},
        ),
        # What is of no account with that protocol is not looked at.
        (
            "security.protocol=PLAINTEXT\nssl.truststore.location=/no.jks\nsasl.mechanism=GS2\n",
            {"tls": "false", "sasl": "none"},
        ),
        (
            "security.protocol=SSL\nssl.endpoint.identification.algorithm=\n"
            "ssl.enabled.protocols=TLSv1.3\nssl.truststore.password=p\n",
            {"tls": "true", "sasl": "none", "tls_no_host_check": "true"},
        ),
        # librdkafka's words.
        (
            "security.protocol=sasl_plaintext\nsasl.mechanisms=PLAIN\nsasl.username=u\n"
            "sasl.password=p\nenable.ssl.certificate.verification=false\n",
            {"tls": "false", "sasl": "plain", "user": "u", "password": "p"},
        ),
    ],
)
def test_what_a_file_says_is_taken(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    assert expected == read(tmp_path, text)


def test_pem_files_are_taken_as_kafka_and_librdkafka_name_them(tmp_path: Path, store: Path) -> None:
    kafkas = read(
        tmp_path,
        f"security.protocol=SSL\nssl.truststore.type=PEM\nssl.truststore.location={store}\n"
        f"ssl.keystore.type=PEM\nssl.keystore.location={store}\nssl.key.password=p\n",
    )
    own = read(
        tmp_path,
        f"security.protocol=SSL\nssl.ca.location={store}\nssl.certificate.location={store}\n"
        f"ssl.key.location={store}\nssl.key.password=p\n",
    )

    names = ("tls_ca", "tls_cert", "tls_key")
    assert {**dict.fromkeys(names, str(store)), "tls_key_password": "p"} == {
        name: value for name, value in kafkas.items() if name not in ("tls", "sasl")
    }
    assert kafkas == own


@pytest.mark.parametrize(
    ("text", "where", "hint"),
    [
        ("security.protocol=SASLSSL", "1: security.protocol: 'SASLSSL' is none of", "SASL_SSL"),
        ("\nsecurity.protocol=", "2: security.protocol: '' is none of", "SASL_PLAINTEXT"),
        ("# x\nsecurty.protocol=SSL", "2: securty.protocol: there is no such", "security.protocol"),
        ("sas1.mechanism=PLAIN", "1: sas1.mechanism: there is no such", "sasl.mechanism"),
        ("security.protcol=SSL", "1: security.protcol: there is no", "security.protocol"),
        ("sasl.mechanism=SCRAM-SHA-1", "1: sasl.mechanism: 'SCRAM-SHA-1'", "SCRAM-SHA-"),
        ("sasl.mechanism=AWS_MSK_IAM", "1: sasl.mechanism: 'AWS_MSK_IAM'", "GSSAPI"),
        (
            "security.protocol=SASL_SSL\nsasl.mechanism=PLAIN",
            "2: sasl.mechanism: no username and password",
            "sasl.jaas.config=",
        ),
        (
            f"security.protocol=SASL_SSL\nsasl.mechanism=PLAIN\nsasl.jaas.config={PLAIN}"
            f' passwort="{SECRET}";',
            "3: sasl.jaas.config: no username and password",
            "LoginModule",
        ),
        ("sasl.jaas.config=x", "1: sasl.jaas.config: no username and password", "LoginModule"),
        (
            f"sasl.jaas.config={PLAIN} password=p;\nsasl.password={SECRET}",
            "2: sasl.password: ",
            "leave one of the two out",
        ),
        (
            "kafkastore.security.protocol=SSL",
            "1: kafkastore.security.protocol: there is no such",
            "did you mean security.protocol?",
        ),
        (
            "KAFKA_SASL_JAAS_CONFIG=x",
            "1: KAFKA_SASL_JAAS_CONFIG: there is no such",
            "did you mean sasl.jaas.config?",
        ),
        *(
            (
                f"sasl.jaas.config=a.PlainLoginModule required username=ann password={value};",
                "1: sasl.jaas.config: the value of password ends before",
                'password="…" in double quotes',
            )
            for value in (
                f'"{SECRET}"x"',
                f"Endpoint=sb://n/;{SECRET}",
                f"{SECRET}==",
                f"a;{SECRET}",
            )
        ),
        (
            "security.protocol=SASL_SSL\nsasl.mechanism=OAUTHBEARER",
            "2: sasl.mechanism: OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url",
            "https://HOST/PATH",
        ),
        ("sasl.oauthbearer.token.endpoint.url=idp/token", "1: sasl.oauthbearer", "https://HOST"),
        ("sasl.login.callback.handler.class=com.Acme", "1: sasl.login.callback", "token"),
        (
            "sasl.client.callback.handler.class=software.amazon.msk.auth.iam.X",
            "1: sasl.client.callback.handler.class: kadmin cannot use it",
            "no Java class",
        ),
        (f"sasl.password=${{file:/x:{SECRET}}}", "1: sasl.password: its value", "KADMIN_BROKER_"),
        ("ssl.truststore.type=BKS", "1: ssl.truststore.type: 'BKS' is none of JKS", "JKS"),
        ("ssl.truststore.location=/no/such.jks", "1: ssl.truststore.location: cannot read", "ls"),
        ("ssl.ca.location=/no/such.pem", "1: ssl.ca.location: cannot read /no/such.pem", "ls -l"),
        ("ssl.endpoint.identification.algorithm=no", "1: ssl.endpoint", "=https"),
        ("enable.ssl.certificate.verification=1", "1: enable.ssl", "TRUE"),
        (
            f"ssl.keystore.key=-----BEGIN {SECRET}",
            "1: ssl.keystore.key: kadmin cannot use it",
            "ssl.keystore.type=PEM",
        ),
        ("request.timeout.ms=soon", "1: request.timeout.ms: 'soon' is no whole", "leave it out"),
        ("retries=", "1: retries: '' is no whole number", "leave it out"),
        ("ssl.engine.factory.class=com.Acme", "1: ssl.engine.factory.class", "PEM files"),
    ],
)
def test_a_wrong_value_is_named_with_file_line_key_and_a_next_step(
    text: str, where: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as refusal:
        read(tmp_path, text)

    told = f"{refusal.value} {refusal.value.hint}"
    assert refusal.value.message.startswith(f"{tmp_path}/client.properties:{where}")
    assert hint in str(refusal.value.hint)
    assert SECRET not in told


def test_all_wrong_values_are_told_at_once(tmp_path: Path) -> None:
    text = "security.protocol=SASL\nssl.truststore.type=BKS\nsasl.mechanism=DIGEST\n"

    with pytest.raises(UsageError) as refusal:
        read(tmp_path, text)

    assert [
        f"client.properties:{number}: " in line
        for number, line in enumerate(str(refusal.value).splitlines(), start=1)
    ] == [True, True, True]


def test_a_pem_file_without_its_type_is_refused_as_by_kafka(tmp_path: Path, store: Path) -> None:
    with pytest.raises(UsageError, match=r":1: ssl\.truststore\.location: it is a PEM file") as no:
        read(tmp_path, f"ssl.truststore.location={store}\n")

    assert "ssl.truststore.type=PEM" == no.value.hint


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
@pytest.mark.parametrize("which", ["ssl.truststore", "ssl.keystore"])
def test_the_commands_of_the_hint_make_a_file_that_is_taken(
    kind: str, which: str, tmp_path: Path, store: Path
) -> None:
    """Run as they are told, but for the password, which they ask for."""
    first, java = tmp_path / "made.p12", tmp_path / f"its store.{kind.lower()}"
    password = ("-passout", "pass:changeit")
    run("openssl", "pkcs12", "-export", "-in", store, "-name", "me", "-out", first, *password)
    if which == "ssl.truststore":
        imported = ("-importcert", "-noprompt", "-alias", "ca", "-file", tmp_path / "ours-ca.pem")
        run("keytool", *imported, "-keystore", java, "-storetype", kind, "-storepass", "changeit")
    else:
        ends = ("-srcstorepass", "changeit", "-deststorepass", "changeit")
        names = ("-srckeystore", first, "-destkeystore", java, "-deststoretype", kind)
        run("keytool", "-importkeystore", "-noprompt", *names, *ends)

    with pytest.raises(UsageError, match=f":2: {which}.location: .* is no PEM file") as refusal:
        read(tmp_path, f"security.protocol=SSL\n{which}.location={java}\n")
    commands, _, named = str(refusal.value.hint).partition("; then ")
    for tool, asked in (
        ("openssl pkcs12", "-passin pass:changeit"),
        ("keytool -list", "-storepass changeit"),
        ("keytool -importkeystore", "-srcstorepass changeit -deststorepass changeit -noprompt"),
    ):
        commands = commands.replace(tool, f"{tool} {asked}")
    run("bash", "-c", commands)
    lines = "\n".join(named.replace("'", "").split(" and "))
    found = read(tmp_path, f"security.protocol=SSL\n{lines}\n")

    name = "tls_ca" if which == "ssl.truststore" else "tls_key"
    assert str(java.with_suffix(".pem")) == found[name]
    text = java.with_suffix(".pem").read_text()
    assert ("PRIVATE KEY" in text) == (which == "ssl.keystore")
    assert "BEGIN CERTIFICATE" in text
    if which == "ssl.keystore":
        assert 0 == java.with_suffix(".pem").stat().st_mode & 0o077


def run(*words: object) -> None:
    # Which halve what keytool costs.
    environment = {**os.environ, "JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    subprocess.run([str(word) for word in words], check=True, capture_output=True, env=environment)


def test_librdkafka_reads_pkcs12_itself_and_knows_more_properties(tmp_path: Path) -> None:
    path = tmp_path / "client.p12"
    path.write_bytes(b"\x30\x82\x0a\x00")
    text = f"security.protocol=SSL\nssl.keystore.location={path}\nssl.curves.list=P-256\n"

    assert {"tls": "true", "sasl": "none"} == read(tmp_path, text, for_librdkafka=True)
    with pytest.raises(UsageError, match="is no PEM file"):
        read(tmp_path, text)


def test_which_properties_are_secrets() -> None:
    names = ("sasl.password", "sasl.jaas.config", "ssl.key.password", "ssl.keystore.key")

    assert [*names] == secret_names(["linger.ms", *names, "sasl.mechanism"])
