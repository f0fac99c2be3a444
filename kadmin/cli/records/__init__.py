"""`kadmin produce` and `kadmin consume`: records to brokers and back."""

__all__ = [
    "client_options",
]
