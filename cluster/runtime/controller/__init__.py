"""The controller's shell: its ZooKeeper session, its channels to the brokers, its timer."""

__all__ = ["controller", "controller_metrics", "stats_file"]
