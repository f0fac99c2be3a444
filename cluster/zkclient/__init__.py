"""kazoo's side of the vocabulary of requests, for whoever has a client of it."""

__all__ = ["handler", "kazoo_requests", "multi_read"]
