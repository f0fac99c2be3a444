"""The replicas in collected log directories: read, in pieces or whole, and compared.

The way of a replica: `collected` finds it; `pieces` splits its segments; `partition` judges.  `run`
leads through it, in this process, by `on_processes`, which has one for each core, or by `on_spark`,
whose `tasks` read and judge: `piece_rows` has what goes from those who read to the one who judges.
Rows that are written down are Arrow's, of `batch_rows`; Spark reads them from `data_source`.  Its
`drivers` can start before anything is found.
"""

__all__ = ["collected", "drivers", "partition", "request", "run"]
