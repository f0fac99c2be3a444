"""A broker's session with ZooKeeper, its registration, and what it reads and writes there."""
