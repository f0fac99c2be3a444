"""The embedded log cluster: values, pure cores and the shells that run them."""

__all__ = ["broker", "coordination", "model", "settings", "storage", "wire", "zk", "zkclient"]
