"""Slices of time: planned from the survey, each merged by one worker."""

__all__ = ["line_filter", "merge_slice", "plan", "record_filter"]
