"""The least work of Spark's own Python on a master, in the form that a user would write.

    python -m bench.plain_spark job|query MASTER [NAME=VALUE ...]

A job of one task, or a query that runs Python once and groups one row: the cost of starting Spark
without kadmin.
"""

import argparse
from typing import Any

from pyspark import SparkConf
from pyspark.sql import SparkSession
from pyspark.sql.functions import udf


def job(session: Any) -> None:
    assert session.sparkContext.parallelize([1], 1).map(following).collect() == [2]


def following(number: int) -> int:
    return number + 1


def query(session: Any) -> None:
    rows = session.range(1).select(udf(following, "long")("id").alias("number"))
    assert [tuple(row) for row in rows.groupBy("number").count().collect()] == [(1, 1)]


WORK = {"job": job, "query": query}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("work", choices=WORK)
    parser.add_argument("master")
    parser.add_argument("conf", nargs="*")
    arguments = parser.parse_args()
    conf = SparkConf().setMaster(arguments.master)
    for setting in arguments.conf:
        conf.set(*setting.split("=", 1))
    session = SparkSession.builder.config(conf=conf).getOrCreate()
    WORK[arguments.work](session)
    session.stop()


if __name__ == "__main__":
    main()
