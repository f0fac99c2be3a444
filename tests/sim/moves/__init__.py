"""Supervised runs of move plans, simulated: supervisors, a controller, brokers, other operators."""
