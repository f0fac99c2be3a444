"""Slices of time: planned from the survey, each merged by one worker."""
