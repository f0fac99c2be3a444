"""A simulation of group coordinators: brokers, a replicated log, and clients that come and go."""
