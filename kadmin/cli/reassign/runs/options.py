"""Options that several commands of supervised runs have."""

from typing import Any, Final

import click

from kadmin.cli.common_options import SAFETY, yes_option
from kadmin.cli.options import ByteRate, WholeNumber, argument, declared, option
from kadmin.plan.supervision.gates import Gate
from kadmin.plan.supervision.pace import FIRST
from kadmin.plan.supervision.run import Settings

PACE: Final = "Pace"
RATE_MAX: Final = 2**63 - 1
"""Brokers keep rates as a Java long."""
AUTO: Final = "auto"


class Throttle(ByteRate):
    """A rate, or `auto`."""

    name = "rate"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return AUTO if value == AUTO else super().convert(value, param, ctx)


pace_options: Final = declared(
    option(
        "--max-moves",
        type=WholeNumber(min=1),
        metavar="N",
        section=PACE,
        help="How many moves may be under way at a broker at the same time (5).",
    ),
    option(
        "--max-moves-total",
        type=WholeNumber(min=1),
        metavar="N",
        section=PACE,
        help="The same in the whole cluster; without it there is no limit.",
    ),
    option(
        "--throttle",
        type=Throttle(min=1, max=RATE_MAX),
        metavar="BYTES|auto",
        section=PACE,
        help=(
            "Limit the copying to so many bytes per second at each broker, such as 50MB; auto "
            "halves it when replicas fall out of the ISR, and raises it again."
        ),
    ),
    option(
        "--override",
        type=click.Choice([str(gate) for gate in Gate]),
        multiple=True,
        section=SAFETY,
        help="Leave this gate open; may be given several times.",
    ),
)

first_write_yes_option: Final = yes_option(help="Do not ask before the first write.")

standby_option: Final = option(
    "--standby",
    is_flag=True,
    section=SAFETY,
    help="While another supervisor is at work, wait, and take over when it has ended.",
)

run_argument: Final = argument("run_id", metavar="[RUN]", required=False)


def settings_of(options: dict[str, Any], before: Settings) -> Settings:
    """Return *before* with what *options* give."""
    throttle = options["throttle"]
    rate, is_adaptive = before.rate, before.is_adaptive
    if throttle == AUTO:
        rate, is_adaptive = rate or FIRST, True
    elif throttle is not None:
        rate, is_adaptive = throttle, False
    return Settings(
        max_moves=options["max_moves"] or before.max_moves,
        max_moves_total=options["max_moves_total"] or before.max_moves_total,
        rate=rate,
        is_adaptive=is_adaptive,
        overrides=before.overrides | frozenset(map(Gate, options["override"])),
    )
