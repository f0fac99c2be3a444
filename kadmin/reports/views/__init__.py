"""Views of a cluster, as values: what pages and the API show, one definition of each number"""

__all__ = ["brokers", "groups", "observed", "overview", "paging", "topic", "topics"]
