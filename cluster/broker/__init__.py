"""A broker's whole logic: partitions, roles, metadata, orders, delayed requests; no socket."""
