"""Pages: one module for each, from a look at a cluster to what a template shows"""

__all__ = ["audit", "brokers", "clusters", "groups", "moves", "rules", "topics"]
