"""Options of the client that carries records, as properties of librdkafka."""

import os
from collections.abc import Mapping
from typing import Any, Final

from kadmin.cli.options import Decorator, declared, option
from kadmin.cli.session import Session
from kadmin.errors import UsageError

CLIENT: Final = "Client"


def client_options(role: str) -> Decorator:
    """Declare the options for properties of a *role*, `producer` or `consumer`."""
    return declared(
        option(
            "-X",
            f"--{role}-property",
            "client_properties",
            multiple=True,
            metavar="NAME=VALUE",
            section=CLIENT,
            help="A property of librdkafka; wins over the file. May be repeated.",
        ),
        option(
            "--property-file",
            f"--{role}.config",
            "property_file",
            metavar="FILE",
            section=CLIENT,
            help="Properties of the client, in librdkafka's words or those of Java clients.",
        ),
    )


def client_properties(session: Session, options: Mapping[str, Any]) -> dict[str, str]:
    """Return the properties of the file and of the options, which win; warns of passwords in the
    open."""
    from kadmin.records.properties import parse_properties, read_properties
    from kadmin.settings.client_security import secret_names

    found = {}
    path = options["property_file"]
    if path is not None:
        found = read_properties(path)
        if secret_names(found) and os.stat(path).st_mode & 0o044:
            session.output.warn(f"others can read a password in {path}: chmod 600 {path}")
    given = parse_properties(options["client_properties"], "-X")
    for name in secret_names(given):
        session.output.warn(f"others can see {name} in the list of processes: use --property-file")
    return found | given


def kafka_properties(texts: tuple[str, ...], known: tuple[str, ...]) -> dict[str, str]:
    """Return the `--property NAME=VALUE` of Kafka's console tools; only those that are *known*.

    Raises:
        UsageError: another one, or no '='.
    """
    found = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or name not in known:
            raise UsageError(
                f"--property {text}: there is no such property here",
                hint=f"--property takes {', '.join(known)}; those of the client go to -X",
            )
        found[name] = value
    return found


def truth(name: str, value: str) -> bool:
    """Return whether the property *name* is set; raises UsageError for anything but true and
    false."""
    if value.lower() not in ("true", "false"):
        raise UsageError(
            f"--property {name}={value}: it is true or false", hint=f"--property {name}=true"
        )
    return value.lower() == "true"
