"""The page of the configs that a broker of ours supports, from their table."""

from typing import Final

from cluster.broker.configs.supported_configs import (
    SUPPORTED_BROKER_CONFIGS,
    WITHOUT_DEFAULT,
    SupportedConfig,
)
from cluster.settings.broker_settings import REFUSED

INTRODUCTION: Final = """\
# The settings of a broker

Written by `make docs` from the tables that the brokers of `kadmin cluster up` read their settings
by; changes here are lost.

They stand in `server.properties`, under Kafka's names; `kadmin cluster up --set KEY=VALUE` writes
them there.  The other keys of Kafka 3.9 are taken, if their values are legal, and have no effect,
which `server.log` says at the start.

Those that are updated cluster-wide may also stand in ZooKeeper, for one broker or for all, those
that are updated per broker for one:

    kadmin configs --bootstrap-server HOST:PORT --alter --broker 1 --add-config log.roll.ms=600000
    kadmin configs --bootstrap-server HOST:PORT --alter --broker-defaults \\
        --add-config max.connections=5000

`kafka-configs --bootstrap-server` does the same.  What stands there for the broker goes before what
stands there for all; then come `server.properties` and the default.  Nothing of it needs a restart.
Logs that are open follow at once, unless their topic says something else; connections that are
there stay, even if they are more than may be now.  A listener that is new is bound at once, and
other brokers and clients hear of it; one that is gone ends its connections.  The listener by which
brokers reach each other has to stay.

What is wrong in ZooKeeper is named in `server.log`, once, and has no effect; so is what the table
does not have.  Over Kafka's protocol a change is judged as Kafka does: wrong values, read-only
keys, thread counts that more than double or halve at once, and what only one broker can have where
it is set for all are refused; other keys of Kafka's that the table does not have are written, as
they may be for other brokers.  Passwords are refused: no listener here needs one, and this broker
cannot encrypt them as Kafka does.

DescribeConfigs tells of all broker configs of Kafka 3.9 (`kadmin configs --describe --all`); the
documentation of one that is not in the table begins with "Not used by this broker".

"""

HEAD: Final = """\
| key | type | default | update mode | meaning |
|---|---|---|---|---|
"""


def page() -> str:
    rows = "".join(row(SUPPORTED_BROKER_CONFIGS[name]) for name in sorted(SUPPORTED_BROKER_CONFIGS))
    refused = "".join(
        f"- `{name}`: {reason}; {'`' + value + '` is' if value else 'no value is'} taken.\n"
        for name, (value, reason) in sorted(REFUSED.items())
    )
    return (
        f"{INTRODUCTION}{HEAD}{rows}\n"
        "## What is refused\n\n"
        "Somebody relies on these, so a broker that cannot do what they ask for does not start:\n\n"
        f"{refused}"
    )


def row(config: SupportedConfig) -> str:
    spec = config.spec
    has_default = spec.default and spec.name not in WITHOUT_DEFAULT
    default = f"`{spec.default}`" if has_default else ""
    cells = (f"`{spec.name}`", spec.kind.lower(), default, config.update_mode, config.doc)
    return f"| {' | '.join(cells)} |\n"
