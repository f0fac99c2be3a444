"""The socket server, connections and their transports, channels to other brokers."""

__all__ = ["broker_channel", "connection", "memory_pool", "peers", "socket_server", "transports"]
