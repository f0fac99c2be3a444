"""What a broker answers: one module for each API, from a decoded request to its answer."""

__all__ = ["api_versions", "dispatch", "flat_produce"]
