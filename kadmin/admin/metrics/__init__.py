"""Metrics of brokers, read from their HTTP endpoints: Prometheus's text, and Jolokia's JSON"""

__all__ = ["endpoints"]
