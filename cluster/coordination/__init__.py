"""What the controller, brokers and tools want of ZooKeeper, as sequences of its requests."""
