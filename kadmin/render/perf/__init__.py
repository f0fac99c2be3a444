"""Performance tests: Kafka's lines, documents, pictures and the files of Kafka's CSV reporter."""

__all__ = [
    "comparison",
    "csv_files",
    "dates",
    "documents",
    "hdr_log",
    "lines",
    "load",
    "pictures",
    "report_page",
]
