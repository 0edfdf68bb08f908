"""In-place updates: whether a change can be applied to a living pod, how, and when it has arrived (cloneset.md §16–18)."""
