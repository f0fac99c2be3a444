"""Runs plans against a live cluster, step by step, so that every step can be run again."""
