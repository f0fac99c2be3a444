"""The driver of Spark, without a JVM."""

import sys

import pytest

from kadmin.jobs.spark.driver import forget_gateway


def test_the_end_waits_for_no_import(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C may have come while another thread imports PySpark, which then never ends."""
    monkeypatch.delitem(sys.modules, "pyspark", raising=False)

    forget_gateway()

    assert "pyspark" not in sys.modules
