"""The lines of `state-change.log`, as Kafka's controller and brokers write them."""

__all__ = ["broker", "controller", "line"]
