"""How does what the controller asks become ZooKeeper's requests?  For every shell alike."""
