"""Metrics of brokers: their series, what an operator wants of them, and reports of that"""

__all__ = ["measures", "report", "samples"]
