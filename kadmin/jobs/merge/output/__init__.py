"""The formats in which merged lines leave a worker, and the places where they go."""

__all__ = ["counted_text", "json_csv", "rows", "slice_output", "streams", "typed", "whole_files"]
