"""Log files as bytes: local or behind a URI, plain or gzip."""
