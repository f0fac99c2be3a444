"""Reads of a live cluster over Kafka's protocol, as its brokers tell it."""
