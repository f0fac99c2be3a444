"""Spark as the engine of a job: which master, with which settings?  Starts nothing."""

import os
from collections.abc import Mapping, Sequence
from typing import Final

from kadmin.errors import UsageError
from kadmin.extras import is_installed

SUBMITTED: Final = "PYSPARK_GATEWAY_PORT"
"""Is in the environment of a program that spark-submit runs."""

USUAL: Final = "local[*]"
IN_PROCESS: Final = "none"
"""As a master: without Spark."""


def is_submitted() -> bool:
    """Return whether spark-submit runs this program, whose command line sets Spark's master."""
    return SUBMITTED in os.environ


def chosen_master(text: str, conf: Mapping[str, str]) -> str | None:
    """Return the master that `--master` names; None where this process does the work.

    None also where Spark is not requested, by a master or by *conf*, and is not installed.

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
    """Return Spark's settings by name; those of *conf* win over the file.

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
    """Return the settings of a file as `spark-defaults.conf`; others than Spark's are passed
    over."""
    from kadmin.settings.properties import read_properties as read_file

    found = read_file(path)
    return {name: one.value.strip() for name, one in found.items() if name.startswith("spark.")}
