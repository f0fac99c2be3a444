"""Which options do the commands of `kadmin cluster` share?

Knows no command.
"""

from typing import Any, Final

from kadmin.cli.frame import Decorator, WholeNumber, argument, option

BROKERS_MAX: Final = 100


def name_option() -> Decorator:
    return option(
        "--name",
        metavar="NAME",
        default="local",
        show_default=True,
        completes="local-clusters",
        help="Which cluster.",
    )


def broker_argument() -> Decorator:
    return argument("broker_id", metavar="N", type=WholeNumber(min=0))


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
