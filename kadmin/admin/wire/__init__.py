"""Reads and writes of a live cluster by Kafka's protocol, as its brokers tell and take it."""
