"""Kafka's protocol: bytes to messages and back, in every version; no connections."""
