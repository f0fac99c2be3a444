"""Properties of a Java client, or of librdkafka's: what do they say of the way to brokers?

What kadmin has another word for is translated; what it cannot do is refused with what to do
instead.  Opens no connection.
"""

import difflib
import os
import re
import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from kadmin.errors import UsageError
from kadmin.settings.keys import UNSECURED, BrokerSasl, parse_token_url
from kadmin.settings.properties import Given

PROTOCOLS: Final = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS: Final = {sasl.value.upper(): sasl for sasl in BrokerSasl if sasl is not BrokerSasl.NONE}
MECHANISM_KEYS: Final = ("sasl.mechanism", "sasl.mechanisms")
BY_PASSWORD: Final = (BrokerSasl.PLAIN, BrokerSasl.SCRAM_SHA_256, BrokerSasl.SCRAM_SHA_512)
KAFKAS_MECHANISM: Final = "GSSAPI"
"""What Kafka's clients take where no mechanism is named."""

OWN_WORDS: Final = {
    "sasl.username": "user",
    "sasl.password": "password",
    "sasl.kerberos.service.name": "sasl_service",
    "sasl.kerberos.keytab": "keytab",
    "sasl.oauthbearer.scope": "oauth_scope",
    "sasl.oauthbearer.client.id": "user",
    "sasl.oauthbearer.client.secret": "password",
    "ssl.key.password": "tls_key_password",
}
"""Keys whose values are taken as they are, by kadmin's names of them."""

PEM_FILES: Final = {
    "ssl.ca.location": "tls_ca",
    "ssl.certificate.location": "tls_cert",
    "ssl.key.location": "tls_key",
}
"""librdkafka's names of files."""

STORES: Final = {"ssl.truststore": ("tls_ca",), "ssl.keystore": ("tls_cert", "tls_key")}
STORE_TYPES: Final = ("JKS", "PKCS12", "PEM")
PEM: Final = "PEM"
PEM_MARK: Final = b"-----BEGIN "
PKCS12_MARK: Final = b"\x30"
READ_MAX: Final = 1 << 20
LIKENESS: Final = 0.85

OTHER_MODULES: Final = re.compile(r"Krb5LoginModule|OAuthBearerLoginModule")
"""Modules of JAAS that need no user with a password."""
LOGIN_WORD: Final = re.compile(
    r"""\s*(?:([A-Za-z0-9_.$-]+)\s*=\s*)?(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|([^\s;"'=]+))"""
)
OAUTH_HANDLERS: Final = (
    "OAuthBearerLoginCallbackHandler",
    "OAuthBearerUnsecuredLoginCallbackHandler",
)
UNSECURED_NAME: Final = "unsecuredLoginStringClaim_sub"

PASSED_OVER: Final = frozenset(
    (
        *("ssl.truststore.password", "ssl.keystore.password", "ssl.protocol"),
        *("ssl.enabled.protocols", "ssl.cipher.suites", "ssl.provider", "security.providers"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
        *("ssl.secure.random.implementation", "sasl.login.class", "sasl.kerberos.kinit.cmd"),
        *("sasl.kerberos.ticket.renew.window.factor", "sasl.kerberos.ticket.renew.jitter"),
        *("sasl.kerberos.min.time.before.relogin", "sasl.login.refresh.window.factor"),
        *("sasl.login.refresh.window.jitter", "sasl.login.refresh.min.period.seconds"),
        *("sasl.login.refresh.buffer.seconds", "sasl.login.connect.timeout.ms"),
        *("sasl.login.read.timeout.ms", "sasl.login.retry.backoff.ms", "sasl.kerberos.principal"),
        *("sasl.login.retry.backoff.max.ms", "sasl.oauthbearer.method"),
    )
)
"""Of a login's timing, of Java's own libraries, or of stores whose type needs them not."""

NUMBERS: Final = frozenset(
    (
        *("request.timeout.ms", "default.api.timeout.ms", "retries", "retry.backoff.ms"),
        *("retry.backoff.max.ms", "reconnect.backoff.ms", "reconnect.backoff.max.ms"),
        *("connections.max.idle.ms", "metadata.max.age.ms", "send.buffer.bytes"),
        *("receive.buffer.bytes", "socket.connection.setup.timeout.ms", "metrics.num.samples"),
        *("socket.connection.setup.timeout.max.ms", "metrics.sample.window.ms"),
        *("metadata.recovery.rebootstrap.trigger.ms",),
    )
)
"""Numbers of any client, of which kadmin makes no use."""

NO_USE: Final = {
    "ssl.truststore.certificates": "write these certificates to a file, and here"
    " ssl.truststore.type=PEM and ssl.truststore.location=FILE",
    "ssl.keystore.certificate.chain": "write chain and key to one file, and here"
    " ssl.keystore.type=PEM and ssl.keystore.location=FILE",
    "ssl.keystore.key": "write chain and key to one file, and here ssl.keystore.type=PEM and"
    " ssl.keystore.location=FILE",
    "ssl.engine.factory.class": "kadmin runs no Java class: name PEM files instead",
    "sasl.client.callback.handler.class": "kadmin runs no Java class: it takes PLAIN, SCRAM, GSSAPI"
    " and OAUTHBEARER",
}
"""What decides who is trusted or who logs in, and cannot be had here; with what to do instead."""

SECURITY: Final = re.compile(r"(?:security|ssl|sasl)\.|enable\.ssl\.certificate\.verification$")
"""Keys that are about connections to brokers: an unknown one of these is an error."""

SECRETS: Final = re.compile(r"password|secret|jaas|ssl\.key\.pem|ssl\.keystore\.key")
PROVIDED: Final = re.compile(r"\$\{\w+:")


@dataclass(slots=True)
class _Reader:
    """What was found up to now, by kadmin's names, and what is wrong, each with a next step."""

    given: Mapping[str, Given]
    for_librdkafka: bool
    found: dict[str, Given] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)

    def refuse(self, key: str, what: str, hint: str) -> None:
        self.problems.append((f"{self.given[key].source}: {key}: {what}", hint))

    def one_of(self, key: str, known: tuple[str, ...]) -> str | None:
        """Return the value of *key* in capitals, if it is *known*."""
        value = self.given[key].value.strip().upper()
        if value in known:
            return value
        self.refuse(
            key,
            f"'{self.given[key].value}' is none of {', '.join(known)}",
            near(value, known, f"{key} takes"),
        )
        return None

    def take(self, name: str, value: str, key: str) -> None:
        """Take a *value*; what the keys of Java's clients and librdkafka's both say must agree."""
        before = self.found.get(name)
        if before is not None and before.value != value and name not in ("tls", "sasl"):
            self.refuse(key, f"{before.source} says otherwise", "leave one of the two out")
        self.found[name] = Given(value, self.given[key].source)


def security_of(given: Mapping[str, Given], *, for_librdkafka: bool = False) -> dict[str, Given]:
    """Return the connection settings among the properties *given* in a file.

    They have the names of kadmin's settings of brokers without their prefix, as texts; `tls` and
    `sasl` only where the file names a protocol or a mechanism.  *for_librdkafka* properties that
    are unknown here are left to it, and a key store in the form of PKCS#12, which it reads.

    Raises:
        UsageError: with every value that is wrong or not supported here; none of them is shown that
            may be a secret.
    """
    reader = _Reader(given, for_librdkafka)
    for key in given:
        if is_of_no_account(given, key):
            continue
        if PROVIDED.match(given[key].value) and SECURITY.match(key):
            reader.refuse(
                key,
                "its value is one of a config provider, which kadmin does not ask",
                "write the value itself there; a password can be in KADMIN_BROKER_PASSWORD instead",
            )
        elif key in READERS:
            READERS[key](reader, key)
        elif key in OWN_WORDS:
            reader.take(OWN_WORDS[key], given[key].value.strip(), key)
        elif key in NO_USE:
            reader.refuse(key, "kadmin cannot use it", NO_USE[key])
        elif SECURITY.match(key) and key not in PASSED_OVER and not for_librdkafka:
            reader.refuse(key, "there is no such property", near(key, KNOWN, "kadmin knows"))
        elif not for_librdkafka:
            check_other(reader, key)
    check_login(reader)
    if reader.problems:
        (first, hint), *others = reader.problems
        raise UsageError(first, details=[text for text, _ in others], hint=hint)
    return reader.found


def secret_names(properties: Iterable[str]) -> list[str]:
    """Return those of *properties* whose values must not be shown."""
    return [name for name in properties if SECRETS.search(name)]


def is_of_no_account(given: Mapping[str, Given], key: str) -> bool:
    """Return whether *key* has no effect with the protocol, as in a file for several protocols."""
    protocol = given.get("security.protocol")
    if protocol is None or protocol.value.strip().upper() not in PROTOCOLS:
        return False
    has_tls = protocol.value.strip().upper().endswith("SSL")
    has_sasl = protocol.value.strip().upper().startswith("SASL_")
    is_of_tls = key.startswith(("ssl.", "enable.ssl."))
    return (is_of_tls and not has_tls) or (key.startswith("sasl.") and not has_sasl)


def check_other(reader: _Reader, key: str) -> None:
    """Refuse *key*, which is not about security, if it is a slip of one that is, or a number that
    is none; it has no effect here, and Kafka's tools would refuse it as well."""
    value = reader.given[key].value.strip()
    meant = mistyped(key, reader.given)
    if meant is not None:
        reader.refuse(key, "there is no such property", f"did you mean {meant}?")
    elif key in NUMBERS and re.fullmatch(r"[+-]?[0-9]+", value) is None:
        reader.refuse(key, f"'{value}' is no whole number", f"{key}=30000, or leave it out")


def mistyped(key: str, given: Iterable[str]) -> str | None:
    """Return the key of security of which *key*, which is none, is a misspelling, or has a prefix
    or the form of a variable, while it is not among those *given*.

    Unnoticed, it would mean a connection without a password, or a password that is shown.
    """
    if SECURITY.match(key):
        return None
    plain = "." + key.lower().replace("_", ".")
    inner = next((known for known in KNOWN if plain.endswith(f".{known}")), None)
    if inner is not None:
        return None if inner in given else inner
    found = difflib.get_close_matches(key, KNOWN, n=1, cutoff=LIKENESS)
    return found[0] if found else None


def near(wanted: str, known: tuple[str, ...], otherwise: str) -> str:
    found = difflib.get_close_matches(wanted, known, n=1)
    return f"did you mean {found[0]}?" if found else f"{otherwise}: {', '.join(known[:8])}"


def read_protocol(reader: _Reader, key: str) -> None:
    protocol = reader.one_of(key, PROTOCOLS)
    if protocol is None:
        return
    reader.take("tls", "true" if protocol.endswith("SSL") else "false", key)
    if not protocol.startswith("SASL_"):
        reader.take("sasl", BrokerSasl.NONE, key)
    elif not reader.given.keys() & set(MECHANISM_KEYS):
        reader.take("sasl", MECHANISMS[KAFKAS_MECHANISM], key)


def read_mechanism(reader: _Reader, key: str) -> None:
    mechanism = reader.one_of(key, tuple(MECHANISMS))
    if mechanism is not None:
        reader.take("sasl", MECHANISMS[mechanism], key)


def read_login(reader: _Reader, key: str) -> None:
    """Parse a line of JAAS: module, flag, and the module's options."""
    options, broken = login_options(reader.given[key].value)
    if broken is not None:
        reader.refuse(
            key,
            f"the value of {broken} ends before the next option begins",
            f'{broken}="…" in double quotes, and \\" for a quote in it',
        )
    names = {
        "username": "user",
        "password": "password",
        "clientId": "user",
        "clientSecret": "password",
        "scope": "oauth_scope",
        "keyTab": "keytab",
        "serviceName": "sasl_service",
        UNSECURED_NAME: "user",
    }
    for option, name in names.items():
        if option in options:
            reader.take(name, options[option], key)
    if UNSECURED_NAME in options:
        reader.take("oauth_url", UNSECURED, key)


def login_options(line: str) -> tuple[dict[str, str], str | None]:
    """Return the options of a *line* of JAAS, and the one that is followed by what is no option.

    A quote, `;` or `=` in the value of that one ended it too early.
    """
    options: dict[str, str] = {}
    last, at = None, 0
    while at < len(line.rstrip()):
        match = LOGIN_WORD.match(line, at)
        is_behind = match is None or match[1] is None
        if is_behind and last is not None and line[at:].strip(" \t\r\n;}"):
            return options, last
        if match is None:
            at += 1
            continue
        if match[1]:
            last = match[1]
            value = next((text for text in match.groups()[1:] if text is not None), "")
            options[last] = re.sub(r"\\(.)", r"\1", value)
        at = match.end()
    return options, None


def read_handler(reader: _Reader, key: str) -> None:
    """Read the class that gets a token: Kafka's own have an equivalent here."""
    name = reader.given[key].value.strip().rpartition(".")[2]
    if name not in OAUTH_HANDLERS:
        reader.refuse(
            key,
            "kadmin runs no Java class",
            "it gets a token from sasl.oauthbearer.token.endpoint.url itself",
        )


def read_endpoint(reader: _Reader, key: str) -> None:
    try:
        reader.take("oauth_url", parse_token_url(reader.given[key].value), key)
    except ValueError as error:
        reader.refuse(key, str(error), f"{key}=https://HOST/PATH")


def read_host_check(reader: _Reader, key: str) -> None:
    """Read whether a certificate has to be one of the broker's host; an empty value means no."""
    value = reader.given[key].value.strip().lower()
    if value not in ("", "none", "https"):
        reader.refuse(key, f"'{value}' is neither https nor empty", f"{key}=https")
    else:
        reader.take("tls_no_host_check", "false" if value == "https" else "true", key)


def read_verification(reader: _Reader, key: str) -> None:
    value = reader.one_of(key, ("TRUE", "FALSE"))
    if value is not None:
        reader.take("tls_no_verify", "true" if value == "FALSE" else "false", key)


def read_store_type(reader: _Reader, key: str) -> None:
    reader.one_of(key, STORE_TYPES)


def read_pem_file(reader: _Reader, key: str) -> None:
    """Read a file of librdkafka's, which are all PEM files."""
    if is_pem(reader, key, "ssl.truststore" if key == "ssl.ca.location" else "ssl.keystore"):
        reader.take(PEM_FILES[key], reader.given[key].value.strip(), key)


def read_store(reader: _Reader, key: str) -> None:
    """Read a trust store, or a store with certificate and key: a PEM file, or report how to make
    one."""
    store = key.removesuffix(".location")
    named = reader.given.get(f"{store}.type")
    if named is not None and named.value.strip().upper() not in STORE_TYPES:
        return  # That has been said.
    if not is_pem(reader, key, store):
        return
    if named is None or named.value.strip().upper() != PEM:
        reader.refuse(
            key, "it is a PEM file, and Kafka takes it for a store of Java's", f"{store}.type=PEM"
        )
    for name in STORES[store]:
        reader.take(name, reader.given[key].value.strip(), key)


def is_pem(reader: _Reader, key: str, store: str) -> bool:
    """Return whether the file that *key* names is a PEM file; if not, report how to
    make one of it."""
    path = os.path.expanduser(reader.given[key].value.strip())
    try:
        with open(path, "rb") as file:
            text = file.read(READ_MAX)
    except OSError as error:
        reader.refuse(
            key, f"cannot read {path}: {(error.strerror or str(error)).lower()}", f"ls -l {path}"
        )
        return False
    if PEM_MARK in text:
        return True
    kind = "PKCS12" if text.startswith(PKCS12_MARK) else "JKS"
    if kind == "PKCS12" and store == "ssl.keystore" and reader.for_librdkafka:
        return False
    reader.refuse(
        key, f"{path} is no PEM file, and no other is read", conversion(store, kind, path)
    )
    return False


def conversion(store: str, kind: str, path: str) -> str:
    """Return the commands that make a PEM file of the *store* at *path*, and what names it then.

    They ask for its password, which so is in no list of processes.
    """
    quoted, target = shlex.quote(path), shlex.quote(f"{os.path.splitext(path)[0]}.pem")
    named = f"; then {store}.type=PEM and {store}.location={target}"
    if store == "ssl.truststore":
        return f"keytool -list -rfc -keystore {quoted} > {target}{named}"
    of_pkcs12 = f"openssl pkcs12 -in {{}} -nodes -out {target}"
    if kind == "PKCS12":
        return f"umask 077; {of_pkcs12.format(quoted)}{named}"
    middle = shlex.quote(f"{os.path.splitext(path)[0]}.p12")
    return (
        f"umask 077; keytool -importkeystore -srckeystore {quoted} -destkeystore {middle}"
        f" -deststoretype PKCS12 && {of_pkcs12.format(middle)}{named}"
    )


def check_login(reader: _Reader) -> None:
    """See that the mechanism has what it needs."""
    given, found = reader.given, reader.found
    sasl = found["sasl"].value if "sasl" in found else None
    key = next(
        (
            each
            for each in ("sasl.jaas.config", *MECHANISM_KEYS, "security.protocol")
            if each in given
        ),
        "",
    )
    if sasl == BrokerSasl.OAUTHBEARER and reader.for_librdkafka:
        return  # It has ways of its own to a token.
    is_granted = "oauth_url" in found and found["oauth_url"].value.startswith("http")
    if sasl == BrokerSasl.OAUTHBEARER and is_granted and not {"user", "password"} <= found.keys():
        reader.refuse(
            key,
            "no clientId and clientSecret are found",
            'sasl.jaas.config=….OAuthBearerLoginModule required clientId="ID" clientSecret="…";',
        )
    if sasl == BrokerSasl.OAUTHBEARER and "oauth_url" not in found:
        reader.refuse(
            key,
            "OAUTHBEARER needs sasl.oauthbearer.token.endpoint.url",
            "sasl.oauthbearer.token.endpoint.url=https://HOST/PATH, and in sasl.jaas.config"
            " clientId and clientSecret",
        )
    is_by_password = sasl in BY_PASSWORD
    if sasl is None and key == "sasl.jaas.config":
        is_by_password = OTHER_MODULES.search(given[key].value) is None
    if is_by_password and not {"user", "password"} <= found.keys():
        reader.refuse(
            key,
            "no username and password are found",
            "sasl.jaas.config=….PlainLoginModule (or ScramLoginModule) required"
            ' username="USER" password="…"; (a file that KAFKA_OPTS names is not read)',
        )


READERS: Final[Mapping[str, Callable[[_Reader, str], None]]] = {
    "security.protocol": read_protocol,
    "sasl.mechanism": read_mechanism,
    "sasl.mechanisms": read_mechanism,
    "sasl.jaas.config": read_login,
    "sasl.login.callback.handler.class": read_handler,
    "sasl.oauthbearer.token.endpoint.url": read_endpoint,
    "ssl.endpoint.identification.algorithm": read_host_check,
    "enable.ssl.certificate.verification": read_verification,
    "ssl.truststore.type": read_store_type,
    "ssl.keystore.type": read_store_type,
    "ssl.truststore.location": read_store,
    "ssl.keystore.location": read_store,
    **dict.fromkeys(PEM_FILES, read_pem_file),
}

KNOWN: Final = (*READERS, *OWN_WORDS, *NO_USE, *sorted(PASSED_OVER))
