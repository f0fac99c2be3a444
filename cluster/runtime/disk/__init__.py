"""Files, threads that wait for the disk, opening and upkeep of logs."""
