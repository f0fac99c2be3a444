"""The socket server, connections and their transports, the way to other brokers."""

__all__ = ["connection", "memory_pool", "peers", "socket_server", "transports", "turns"]
