"""Jobs over many files: merging state-change logs, stories of partitions, comparing replicas."""

__all__ = [
    "collect",
    "collect_wire",
    "collection",
    "collection_check",
    "collection_store",
    "engine",
    "engines",
    "factory",
    "merge",
    "processes",
    "progress",
    "read_bounds",
    "segment_files",
    "spark",
    "story",
    "temporary",
    "uris",
    "verify",
    "verify_live",
]
