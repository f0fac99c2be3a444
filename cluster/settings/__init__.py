"""`server.properties`, validated and typed; reads no file and no environment."""

__all__ = ["broker_settings", "errors", "properties_file", "reporter_settings"]
