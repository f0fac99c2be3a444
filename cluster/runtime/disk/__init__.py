"""Files, threads that wait for the disk, the loading of logs and their scheduled tasks."""
