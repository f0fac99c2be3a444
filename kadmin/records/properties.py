"""Properties of a client, in librdkafka's own words: which stand in a file or an option?

Files may be those of Kafka's own Java tools: what librdkafka spells otherwise is translated, and
what only Java has is left out.  Knows not which properties there are.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from kadmin.errors import UsageError
from kadmin.settings.client_security import READERS, security_of
from kadmin.settings.keys import UNSECURED, BrokerSasl
from kadmin.settings.properties import Given
from kadmin.settings.properties import read_properties as read_file

JAVA_ONLY: Final = frozenset(
    (
        *("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"),
        *("ssl.truststore.type", "ssl.keystore.type", "ssl.protocol", "ssl.enabled.protocols"),
        *("group.id", "bootstrap.servers", "sasl.jaas.config"),
        *("buffer.memory", "max.block.ms", "max.poll.records", "default.api.timeout.ms"),
        *("send.buffer.bytes", "receive.buffer.bytes", "exclude.internal.topics"),
        *("interceptor.classes", "metric.reporters", "auto.include.jmx.reporter"),
        *("metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms"),
        *("security.providers", "ssl.provider", "ssl.secure.random.implementation"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
    )
)
"""Left out of a file: they mean nothing here, are said otherwise, or have been translated."""

OTHERWISE: Final = {
    "fetch.max.wait.ms": "fetch.wait.max.ms",
    "max.request.size": "message.max.bytes",
}
"""What Java's clients call otherwise than librdkafka."""

OURS: Final = frozenset(("bootstrap.servers", "metadata.broker.list", "group.id"))
"""No properties to be given: options of kadmin, or no use for them."""

REFUSED: Final = frozenset(("transactional.id", "enable.auto.offset.store"))
"""What may not stand in a file either: it would change what is written."""

BY_LIBRDKAFKA: Final = {
    "user": "sasl.username",
    "password": "sasl.password",
    "sasl_service": "sasl.kerberos.service.name",
    "keytab": "sasl.kerberos.keytab",
    "tls_ca": "ssl.ca.location",
    "tls_cert": "ssl.certificate.location",
    "tls_key": "ssl.key.location",
    "tls_key_password": "ssl.key.password",
}
"""Settings of the way to brokers, by librdkafka's names."""

TOKENS_BY_LIBRDKAFKA: Final = frozenset(
    ("sasl.oauthbearer.method", "sasl.oauthbearer.config", "enable.sasl.oauthbearer.unsecure.jwt")
)
"""Its own ways to a token, which no client of Java has."""


class Said(str):
    """The value of a property, which knows the line that it stands in."""

    __slots__ = ("source",)
    source: str


def said(value: str, source: str) -> Said:
    made = Said(value)
    made.source = source
    return made


def parse_properties(texts: Iterable[str], option: str) -> dict[str, str]:
    """Split `NAME=VALUE` texts of *option*, in the order of their last words.

    Raises:
        UsageError: one has no '=', or names what kadmin has an option for.
    """
    properties = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            # The text may be a password that was meant for something else.
            raise UsageError(f"{option} takes NAME=VALUE", hint=f"{option} linger.ms=100")
        refuse_ours(name.strip(), option)
        properties[name.strip()] = value.strip()
    return properties


def refuse_ours(name: str, where: str) -> None:
    if name == "group.id":
        raise UsageError(
            f"{where}: a group is named otherwise than by group.id",
            hint="name it by --group NAME, as in 'kadmin consume --group NAME'",
        )
    if name == "enable.auto.offset.store":
        raise UsageError(
            f"{where}: a record's offset is committed when it is printed, so there is no {name}",
            hint="enable.auto.commit=false commits nothing at all",
        )
    if name == "transactional.id":
        raise UsageError(
            f"{where}: kadmin writes in no transaction: there is no transactional.id",
            hint="leave it out; no record comes twice without it, unless --no-idempotence is given",
        )
    if name in OURS:
        raise UsageError(
            f"{where}: the brokers are named otherwise than by {name}",
            hint="kadmin takes --bootstrap-server HOST:PORT",
        )


def read_properties(path: str) -> dict[str, str]:
    """Read the properties of a Java properties file, in librdkafka's words, each `Said` in a line.

    Raises:
        UsageError: it cannot be read, or its settings of a connection are wrong; or it names what
            kadmin does otherwise.
    """
    return translated(read_file(path))


def translated(given: Mapping[str, Given]) -> dict[str, str]:
    """Return the properties *given* in a file in librdkafka's words."""
    for name in REFUSED & given.keys():
        refuse_ours(name, given[name].source)
    security = security_of(given, for_librdkafka=True)
    sasl = security.get("sasl")
    wants_token = sasl is not None and sasl.value == BrokerSasl.OAUTHBEARER
    if sasl is not None and wants_token and not TOKENS_BY_LIBRDKAFKA & given.keys():
        raise UsageError(
            f"{sasl.source}: OAUTHBEARER is taken from the file of --command-config alone",
            hint="give this file to --command-config as well",
        )
    found = {
        name: Given(value.strip(), source)
        for name, (value, source) in given.items()
        if name not in JAVA_ONLY and name not in READERS
    }
    found |= {BY_LIBRDKAFKA[name]: one for name, one in security.items() if name in BY_LIBRDKAFKA}
    found |= dict(words_of(given, security))
    for javas, own in OTHERWISE.items():
        if javas in found:
            found[own] = found.pop(javas)
    return {name: said(*one) for name, one in found.items()}


def words_of(
    given: Mapping[str, Given], security: Mapping[str, Given]
) -> Iterator[tuple[str, Given]]:
    """Return what of *security* is no value taken as it is: protocol, mechanism, checks and
    tokens."""
    for name in ("security.protocol", "sasl.mechanism", "sasl.mechanisms"):
        if name in given and (name != "sasl.mechanisms" or "sasl.mechanism" not in given):
            value, source = given[name]
            yield name, Given(value.strip().upper(), source)
    if "tls_no_host_check" in security:
        value, source = security["tls_no_host_check"]
        name = "ssl.endpoint.identification.algorithm"
        yield name, Given("none" if value == "true" else "https", source)
    if "tls_no_verify" in security:
        value, source = security["tls_no_verify"]
        is_checked = "false" if value == "true" else "true"
        yield "enable.ssl.certificate.verification", Given(is_checked, source)
    if "ssl.keystore.location" in given and "tls_cert" not in security:
        yield "ssl.keystore.location", given["ssl.keystore.location"]
    if "oauth_url" in security and security["oauth_url"].value != UNSECURED:
        yield "sasl.oauthbearer.token.endpoint.url", security["oauth_url"]
