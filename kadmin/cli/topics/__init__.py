"""`kadmin topics`: see and change topics."""
