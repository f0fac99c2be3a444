"""The socket server, connections and their transports, channels to other brokers."""
