"""The socket server, client connections, transports, and connections to other brokers."""

__all__ = [
    "connection",
    "connection_quotas",
    "memory_pool",
    "peers",
    "request_metrics",
    "socket_server",
    "transports",
    "turns",
]
