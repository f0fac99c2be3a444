"""A page with the timeline of an analysis, whole by itself, which Plotly draws in a browser."""

__all__ = ["page"]
