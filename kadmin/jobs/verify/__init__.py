"""The replicas in collected log directories: read, in pieces or whole, and compared.

The way of a replica: `collected` finds it; `pieces` splits its segments; `batch_rows` has the rows
of Arrow that each piece gives and a partition is judged by; `partition` judges.  `run` leads
through it, in this process, by `on_processes`, which has one for each core, or by `on_spark`, where
`data_source` is what Spark reads from.
"""

__all__ = ["collected", "partition", "request", "run"]
