"""The group coordinator as a pure core: members, generations and committed offsets of groups."""
