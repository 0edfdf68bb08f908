"""Which pod comes first (cloneset.md §13, §15)."""
