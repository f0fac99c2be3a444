"""Sockets: server, connections, frames that go out, channels to other brokers."""
