"""Jobs over many files, on Spark or in this process: merging state-change logs."""

__all__ = ["factory", "merge", "segment_files"]
