"""Simulated elections: contenders in virtual time, over a simulated ZooKeeper that breaks."""
