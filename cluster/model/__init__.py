"""Values that every part of the cluster and of kadmin shares."""
