"""The formats in which merged lines leave a worker, and the places where they go."""
