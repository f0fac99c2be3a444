"""Properties of a client, in librdkafka's own words: which stand in a file or an option?

Files may be those of Kafka's own Java tools: what librdkafka spells otherwise is translated, and
what only Java has is left out.  Knows not which properties there are.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Final

from kadmin.errors import UsageError

JAVA_ONLY: Final = frozenset(
    (
        *("key.serializer", "value.serializer", "key.deserializer", "value.deserializer"),
        *("ssl.truststore.type", "ssl.keystore.type", "ssl.protocol", "ssl.enabled.protocols"),
        *("group.id", "bootstrap.servers", "ssl.truststore.location", "sasl.jaas.config"),
        *("buffer.memory", "max.block.ms", "max.poll.records", "default.api.timeout.ms"),
        *("send.buffer.bytes", "receive.buffer.bytes", "exclude.internal.topics"),
        *("interceptor.classes", "metric.reporters", "auto.include.jmx.reporter"),
        *("metrics.num.samples", "metrics.recording.level", "metrics.sample.window.ms"),
        *("security.providers", "ssl.provider", "ssl.secure.random.implementation"),
        *("ssl.keymanager.algorithm", "ssl.trustmanager.algorithm"),
    )
)
"""Left out of a file: they mean nothing here, are said otherwise, or have been translated."""

OURS: Final = frozenset(("bootstrap.servers", "metadata.broker.list", "group.id"))
"""No properties to be given: options of kadmin, or no use for them."""

SECRETS: Final = re.compile(r"password|secret|jaas|ssl\.key\.pem|ssl\.keystore\.key")

JAAS: Final = re.compile(r"""(username|password)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')""")


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
            f"{where}: kadmin reads partitions itself, not in a group: there is no group.id",
            hint="leave it out",
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


def secret_names(properties: Mapping[str, str]) -> list[str]:
    """Those of *properties* whose values nobody else may see."""
    return [name for name in properties if SECRETS.search(name)]


def read_properties(path: str) -> dict[str, str]:
    """The properties of a Java properties file, in librdkafka's words.

    Raises:
        UsageError: it cannot be read, or names a trust store that is no PEM file or a transaction.
    """
    import javaproperties

    try:
        with open(path, "rb") as file:
            given = javaproperties.load(file)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no properties file"
        raise UsageError(
            f"cannot read the property file {path}: {reason}",
            hint="one NAME=VALUE a line, as in the files of Kafka's own tools",
        ) from error
    return translated(given, path)


def translated(given: Mapping[str, str], path: str) -> dict[str, str]:
    """The properties *given* in a file at *path* in librdkafka's words."""
    if "transactional.id" in given:
        refuse_ours("transactional.id", path)
    properties = {name: value for name, value in given.items() if name not in JAVA_ONLY}
    if "sasl.jaas.config" in given:
        properties |= login_of(given["sasl.jaas.config"], path)
    if "ssl.truststore.location" in given:
        if given.get("ssl.truststore.type", "JKS").upper() != "PEM":
            raise UsageError(
                f"{path}: ssl.truststore.location is no PEM file, and no other is understood",
                hint="keytool -exportcert -rfc -alias ALIAS -keystore STORE > ca.pem, and"
                " --broker-tls-ca ca.pem",
            )
        properties["ssl.ca.location"] = given["ssl.truststore.location"]
    if properties.get("ssl.endpoint.identification.algorithm") == "":
        properties["ssl.endpoint.identification.algorithm"] = "none"
    if "fetch.max.wait.ms" in properties:
        properties["fetch.wait.max.ms"] = properties.pop("fetch.max.wait.ms")
    if "max.request.size" in properties:
        properties["message.max.bytes"] = properties.pop("max.request.size")
    return properties


def login_of(jaas: str, path: str) -> dict[str, str]:
    """User and password of a JAAS line, whose module the mechanism tells already."""
    found = {
        match[1]: re.sub(r"\\(.)", r"\1", match[2]) if match[2] is not None else match[3]
        for match in JAAS.finditer(jaas)
    }
    if found.keys() != {"username", "password"}:
        raise UsageError(
            f"{path}: no username and password are found in sasl.jaas.config",
            hint="it takes a line for PLAIN or SCRAM: …LoginModule required"
            ' username="USER" password="…";',
        )
    return {"sasl.username": found["username"], "sasl.password": found["password"]}
