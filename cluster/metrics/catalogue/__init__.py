"""The beans of a broker, by the domain of their names: what they mean, and how they differ."""

__all__ = ["controller", "coordinator", "log", "network", "server"]
