"""Messages that kafka-python does not have, in Kafka's own notation."""

__all__: list[str] = []
