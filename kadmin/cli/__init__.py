"""The click commands: parse, call, render."""
