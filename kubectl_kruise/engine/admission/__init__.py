"""What Kruise's webhooks do to objects on their way in: defaults, validation, pod injection (cloneset.md §4, §5, §21)."""
