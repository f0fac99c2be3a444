"""The options of commands that let Spark work: which master, and with which settings?

Starts nothing.
"""

from typing import Final

from kadmin.app.spark import USUAL, is_submitted
from kadmin.cli.options import Decorator, declared, option
from kadmin.cli.session import Session

SECTION: Final = "Spark"


def spark_options(without: str) -> Decorator:
    """Declare `--master`, `--conf` and `--properties-file`; *without* explains 'none'."""
    return declared(
        option(
            "--master",
            default=USUAL,
            show_default=True,
            metavar="URL",
            section=SECTION,
            help=f"Spark's master; 'none' {without}.",
        ),
        option(
            "--conf",
            metavar="NAME=VALUE",
            multiple=True,
            section=SECTION,
            help="A setting of Spark; may be repeated, and wins over the file.",
        ),
        option(
            "--properties-file",
            metavar="FILE",
            section=SECTION,
            help="Settings of Spark as in spark-defaults.conf.",
        ),
    )


def mute_if_submitted(session: Session) -> None:
    """Say nothing but the result, which goes to standard output, in a program of spark-submit.

    Its launcher joins our standard error to our standard output.
    """
    if is_submitted():
        session.output.mute()
