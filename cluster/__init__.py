"""The embedded log cluster: values, pure cores and the shells that run them."""

__all__ = [
    "broker",
    "controller",
    "coordination",
    "formats",
    "metrics",
    "model",
    "recipes",
    "runtime",
    "settings",
    "wire",
    "zk",
    "zkclient",
]
