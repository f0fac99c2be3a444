"""A cluster for Prometheus: what is read each poll, and the server that shows it"""

__all__ = ["exporter", "reading", "server"]
