"""Merges the state-change logs of many brokers into one order of time."""
