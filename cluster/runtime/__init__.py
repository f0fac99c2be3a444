"""The broker's shell: files, clocks, sockets, processes."""

__all__ = ["reporters"]
