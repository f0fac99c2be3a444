"""The file of `--command-config`, and its precedence among the other settings of brokers.

It replaces all connection settings, as with Kafka's tools: settings of lower precedence than the
file itself do not count.  Those of the same precedence, or higher, win over it one by one.
"""

import os
from collections.abc import Mapping
from dataclasses import replace

from kadmin.errors import UsageError
from kadmin.settings.client_security import secret_names, security_of
from kadmin.settings.keys import BROKER_SECURITY_KEYS, COMMAND_CONFIG, Key
from kadmin.settings.properties import Given, read_properties
from kadmin.settings.resolve import Setting, Settings, others_can_read, unset


def with_command_config(settings: Settings) -> Settings:
    """Return *settings* with those of their file of a client's properties, if they name one.

    Raises:
        UsageError: with all that is wrong in that file.
    """
    named = settings.by_name[COMMAND_CONFIG.name]
    if named.value is None:
        return settings
    path = str(named.value)
    found = settings.once(path, lambda: read(path, named.source))
    by_name = dict(settings.by_name)
    for key in BROKER_SECURITY_KEYS:
        name = f"broker_{key.name}"
        if by_name[name].is_given and by_name[name].origin <= named.origin:
            continue
        by_name[name] = of_file(Key.by_name(name), found.get(key.name), named)
    # The password is one of these two, from whichever source.
    if by_name["broker_password_file"].is_given:
        by_name["broker_password"] = unset(Key.by_name("broker_password"))
    return replace(settings, by_name=by_name)


def of_file(key: Key, given: Given | None, named: Setting) -> Setting:
    """Return the setting *key* of the file, with the precedence of the option that *named* it."""
    if given is None:
        return unset(key)
    try:
        value = key.parse(given.value)
    except ValueError as error:
        raise UsageError(
            f"{given.source}: {key.name}: {error}", hint=f"correct that line, or give {key.option}"
        ) from error
    return Setting(key=key, value=value, origin=named.origin, source=given.source)


def read(path: str, source: str) -> Mapping[str, Given]:
    """Read the connection settings in the file at *path*, named by *source*.

    Raises:
        UsageError: a value is wrong; or it is about TLS or a login and names no protocol, so that
            Kafka's tools would connect in the clear.
    """
    given = read_properties(path)
    found = security_of(given)
    if found and "security.protocol" not in given:
        first = min(found.values(), key=lambda one: int(one.source.rpartition(":")[2]))
        raise UsageError(
            f"{first.source}: this is about TLS or a login, and the file ({source}) has no"
            " security.protocol: without one, clients connect in the clear",
            hint="security.protocol=SASL_SSL, or SSL, SASL_PLAINTEXT or PLAINTEXT",
        )
    return found


def exposed_secrets(settings: Settings) -> tuple[str, list[str]]:
    """Return the file and those of its keys that are secrets, if others can read it, and not
    only once."""
    named = settings.by_name[COMMAND_CONFIG.name].value
    if named is None or not os.path.isfile(str(named)) or not others_can_read(str(named)):
        return "", []
    return str(named), secret_names(read_properties(str(named)))
