"""Options that the commands of `kadmin cluster` share.

Knows no command.
"""

from typing import Final

import click
from click.core import ParameterSource

from kadmin.cli.frame import FLAGS
from kadmin.cli.local_cluster import usual_cluster
from kadmin.cli.options import LOCAL_CLUSTER, Decorator, WholeNumber, argument, declared, option
from kadmin.cli.session import Session

BROKERS_MAX: Final = 100


def name_option(*, follows_current: bool = True, section: str = "Options") -> Decorator:
    """Declare the option that names the cluster; without *follows_current* its default
    is `local`."""
    return option(
        "--name",
        metavar="NAME",
        default=None if follows_current else LOCAL_CLUSTER,
        show_default=not follows_current,
        completes="local-clusters",
        section=section,
        callback=named_cluster,
        help="Which cluster"
        + (", otherwise the current one if it is of this machine, else local" * follows_current)
        + "; --cluster says the same.",
    )


def named_cluster(context: click.Context, parameter: click.Parameter, name: str | None) -> str:
    """Return *name*, or the cluster of the global option `--cluster` where none is given.

    Two different names are refused: the wrong cluster must not be stopped.
    """
    flags = context.meta.get(FLAGS, {})
    other = flags.get("cluster")
    is_given = context.get_parameter_source(parameter.name or "") is not ParameterSource.DEFAULT
    if other is None or other == name:
        return usual_cluster(Session(flags)) if name is None else name
    if is_given:
        raise click.UsageError(f"--name {name} and --cluster {other} are not the same cluster")
    return str(other)


def broker_argument() -> Decorator:
    return argument("broker_id", metavar="N", type=WholeNumber(min=0), completes="local-brokers")


def zookeeper_argument() -> Decorator:
    return argument(
        "zookeeper_id", metavar="N", type=WholeNumber(min=1), completes="local-zookeepers"
    )


def up_broker_options() -> Decorator:
    """Declare the options of `up` that are about brokers."""
    return declared(
        option(
            "--brokers",
            metavar="N",
            type=WholeNumber(0, BROKERS_MAX),
            help="How many brokers; none for a new cluster, and never fewer than there are.",
        ),
        option(
            "--racks",
            metavar="RACK[,…]",
            help="Racks for the new brokers, in turn.",
        ),
        option(
            "--set",
            "settings",
            metavar="KEY=VALUE",
            multiple=True,
            help="A key of all brokers' server.properties; may be repeated.",
        ),
    )
