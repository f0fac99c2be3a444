"""The APIs of a broker: one module for each, from a decoded request to its answer."""

__all__ = ["api_versions", "dispatch", "flat_paths"]
