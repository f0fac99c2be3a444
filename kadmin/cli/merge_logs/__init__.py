"""`kadmin merge-logs`: merge the state-change logs of all brokers."""

__all__ = []
