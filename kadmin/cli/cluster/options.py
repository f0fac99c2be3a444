"""Options that the commands of `kadmin cluster` share.

Knows no command.
"""

from typing import Any, Final

import click
from click.core import ParameterSource

from kadmin.cli.frame import FLAGS
from kadmin.cli.options import LOCAL_CLUSTER, Decorator, WholeNumber, argument, option

BROKERS_MAX: Final = 100


def name_option() -> Decorator:
    return option(
        "--name",
        metavar="NAME",
        default=LOCAL_CLUSTER,
        show_default=True,
        completes="local-clusters",
        callback=named_cluster,
        help="Which cluster; --cluster says the same.",
    )


def named_cluster(context: click.Context, parameter: click.Parameter, name: str) -> str:
    """The cluster that is meant: the one of the global option `--cluster` where no *name* is given.

    Whoever names a cluster must not see another one stopped.
    """
    other = context.meta.get(FLAGS, {}).get("cluster")
    if other is None or other == name:
        return name
    if context.get_parameter_source(parameter.name or "") is not ParameterSource.DEFAULT:
        raise click.UsageError(f"--name {name} and --cluster {other} are not the same cluster")
    return str(other)


def broker_argument() -> Decorator:
    return argument("broker_id", metavar="N", type=WholeNumber(min=0), completes="local-brokers")


def up_broker_options() -> Decorator:
    """The options of `up` that are about brokers."""
    options = (
        option(
            "--brokers",
            metavar="N",
            type=WholeNumber(0, BROKERS_MAX),
            help="How many brokers; none when the cluster is new, and never fewer than there are.",
        ),
        option(
            "--racks",
            metavar="RACK[,…]",
            help="Racks that take turns in getting the new brokers.",
        ),
        option(
            "--set",
            "settings",
            metavar="KEY=VALUE",
            multiple=True,
            help="A key of all brokers' server.properties; may be given again.",
        ),
    )

    def decorate(function: Any) -> Any:
        for each in reversed(options):
            function = each(function)
        return function

    return decorate
