"""The broker's shell: files, clocks, sockets, processes."""
