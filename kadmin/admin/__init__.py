"""Reads and writes of a live cluster over ZooKeeper."""
