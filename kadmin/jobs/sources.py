"""Spark's data sources of kadmin, for the session of a notebook or a job of one's own.

from kadmin.jobs.sources import register

register(spark)
spark.read.format("state_change").load("/incident").createOrReplaceTempView("state_change")
spark.sql("SELECT time, source, kind FROM state_change WHERE topic = 'orders'").show()
"""

from typing import Any


def register(spark: Any) -> None:
    """Let *spark*, a SparkSession, read the formats `state_change` and `replica_batches`."""
    from kadmin.jobs.merge.data_source import StateChangeSource
    from kadmin.jobs.spark.data_source import register_source
    from kadmin.jobs.verify.data_source import ReplicaBatchesSource

    register_source(spark, StateChangeSource)
    register_source(spark, ReplicaBatchesSource)
