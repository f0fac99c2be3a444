"""The controller as a pure core: elects leaders and tells brokers which partitions are theirs."""
