"""The broker's shell: files, clocks, sockets, processes."""

__all__ = []
