"""Real processes under faults: is every record that was acknowledged there, once, and in order?"""
