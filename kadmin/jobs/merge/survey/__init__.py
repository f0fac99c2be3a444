"""The survey of all files: which times and lines lie in which part of each."""
