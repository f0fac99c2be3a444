"""Records that go to brokers and come from them, on librdkafka."""

__all__ = [
    "assigned",
    "consume",
    "delivery",
    "forms",
    "lines",
    "member",
    "positions",
    "produce",
    "properties",
    "reader",
]
