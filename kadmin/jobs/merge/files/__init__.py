"""Log files as bytes: local or behind a URI, plain or gzip."""

__all__ = ["block_store", "errors", "gzip_stream", "log_file", "reader"]
