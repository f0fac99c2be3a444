"""The socket server, client connections, transports, and connections to other brokers."""

__all__ = [
    "connection_quotas",
    "memory_pool",
    "peers",
    "request_metrics",
    "service",
    "socket_server",
    "transports",
    "turns",
]
