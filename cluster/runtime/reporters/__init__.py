"""Reporters of metrics: over HTTP to Prometheus and Jolokia's clients, to Graphite, into files"""

__all__ = ["process_series", "reporters"]
