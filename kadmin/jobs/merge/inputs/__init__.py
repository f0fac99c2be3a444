"""From the words of a command line to the logs of brokers."""

__all__ = [
    "find",
    "sources",
    "streams",
]
