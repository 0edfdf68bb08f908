"""The CloneSet controller's decisions as pure functions (cloneset.md §10–§16, §20–§22, §24)."""
