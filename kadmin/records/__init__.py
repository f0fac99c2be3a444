"""Records that go to brokers and come from them, on librdkafka."""

__all__ = [
    "assigned",
    "client",
    "consume",
    "delivery",
    "forms",
    "lines",
    "member",
    "perf",
    "positions",
    "produce",
    "properties",
    "reader",
]
