"""Records that go to brokers and come from them, on librdkafka."""

__all__ = ["consume", "forms", "lines", "positions", "produce", "properties"]
