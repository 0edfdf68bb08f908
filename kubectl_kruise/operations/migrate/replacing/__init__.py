"""New pods for old ones, a few at a time or all at once (migration.md §6, §7)."""
