"""The options of commands that let Spark work: which master, and with which settings?

Starts nothing.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from kadmin.cli.options import Decorator, option
from kadmin.cli.session import Session
from kadmin.errors import UsageError
from kadmin.extras import is_installed

SECTION: Final = "Spark"

SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Is in the environment of a program that spark-submit runs."""

USUAL: Final = "local[*]"
IN_PROCESS: Final = "none"
"""As a master: without Spark."""


def spark_options(without: str) -> Decorator:
    """`--master`, `--conf` and `--properties-file`; *without* says what 'none' does."""
    declared = (
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

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for each in reversed(declared):
            function = each(function)
        return function

    return decorate


def is_submitted() -> bool:
    """Whether this is a program of spark-submit, whose command line says where Spark works."""
    return SUBMITTED in os.environ


def mute_if_submitted(session: Session) -> None:
    """Say nothing but the result, which goes to standard output, in a program of spark-submit.

    Its launcher joins our standard error to our standard output.
    """
    if is_submitted():
        session.output.mute()


def chosen_master(text: str, conf: Mapping[str, str]) -> str | None:
    """The master that `--master` names; None where the work is for this process.

    So it is, too, where nobody asks for Spark, by a master or by *conf*, and it is not installed.

    Raises:
        UsageError: Spark would not understand it; small inputs would hide that.
    """
    from kadmin.jobs.spark.master_url import is_master

    if text == IN_PROCESS or (text == USUAL and not conf and not has_spark()):
        return None
    if not is_master(text):
        raise UsageError(
            f"--master '{text}' is no master of Spark",
            hint="local[*], local[4], spark://HOST:7077, yarn, k8s://HOST:PORT,"
            " or none for this process",
        )
    return text


def has_spark() -> bool:
    return "SPARK_HOME" in os.environ or is_installed("pyspark")


def spark_settings(conf: Sequence[str], properties_file: str | None) -> dict[str, str]:
    """Spark's settings by name; those of *conf* win over the file.

    Raises:
        UsageError: the file cannot be read or is no properties file, or a word is no setting.
    """
    settings = {} if properties_file is None else read_properties(properties_file)
    for word in conf:
        name, sign, value = word.partition("=")
        if not sign or not name.startswith("spark."):
            raise UsageError(
                f"'{word}' is no setting of Spark",
                hint="for example --conf spark.executor.memory=1g",
            )
        settings[name] = value
    return settings


def read_properties(path: str) -> dict[str, str]:
    """The settings of a file as `spark-defaults.conf`; others than Spark's are passed over."""
    from kadmin.settings.properties import read_properties as read_file

    found = read_file(path)
    return {name: one.value.strip() for name, one in found.items() if name.startswith("spark.")}
