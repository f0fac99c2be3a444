"""`kadmin produce` and `kadmin consume`: records to brokers and back."""

__all__ = []
