"""Schemas and batches of Arrow as Spark takes them from data sources.

Knows no session, and no data source.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import pyarrow as pa

from kadmin.errors import KadminError


def spark_schema(schema: pa.Schema) -> Any:
    """Return *schema* in Spark's types, which have no dictionaries."""
    from pyspark.sql.pandas.types import from_arrow_schema

    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in schema
    ]
    return from_arrow_schema(pa.schema(plain), prefer_timestamp_ntz=True)


def as_spark_takes_it(batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> Iterator[Any]:
    """Return *batches* of *schema* in exactly the types of Arrow that Spark has for
    `spark_schema`."""
    from pyspark.sql.pandas.types import to_arrow_schema

    target = to_arrow_schema(spark_schema(schema), timezone="UTC")
    for batch in batches:
        yield from pa.Table.from_batches([batch]).cast(target).to_batches()


def register_source(spark: Any, source: Any) -> None:
    """Let the session *spark* read *source*, with the pushing down of filters turned on for it."""
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    spark.dataSource.register(source)


def required(options: Mapping[str, str], name: str, example: str) -> str:
    """Return the option *name*, which has no default.

    Raises:
        KadminError: it is missing.
    """
    if not (value := options.get(name)):
        raise KadminError(f"the option '{name}' is missing", hint=f"for example {example}")
    return value
