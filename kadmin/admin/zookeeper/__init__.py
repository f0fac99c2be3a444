"""Reads and writes of a live cluster through ZooKeeper, on kazoo."""
