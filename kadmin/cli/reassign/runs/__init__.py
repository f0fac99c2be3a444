"""The commands of supervised runs: `kadmin reassign run`, `resume`, `status`, `cancel`, …"""

__all__: list[str] = []
