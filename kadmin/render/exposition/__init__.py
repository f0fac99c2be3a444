"""Metrics of an exporter in Prometheus's text format: of a cluster, groups, findings, and itself"""

__all__ = ["cluster", "findings", "groups", "polls", "text"]
