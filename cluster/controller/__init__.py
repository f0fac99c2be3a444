"""Who leads which partition, and which broker has to be told?  The controller, as a pure core."""
