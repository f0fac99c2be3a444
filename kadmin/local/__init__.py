"""Starts and stops an embedded cluster as processes of this machine."""
