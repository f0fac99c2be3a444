"""The replicas in collected log directories: read, in pieces or whole, and compared.

The way of a replica: `collected` finds it; `pieces` splits its segments; `partition` judges.  `run`
leads through it, in this process or on an engine, whose `work` reads and judges: `piece_rows` has
what goes from those who read to the one who judges.  Rows that are written down or queried are
Arrow's, of `batch_rows`; Spark reads them from `data_source`.
"""

__all__ = ["collected", "data_source", "partition", "request", "run"]
