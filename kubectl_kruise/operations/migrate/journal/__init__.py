"""The journal of a migration: where it lies, who works on it, and what it is begun with (migration.md §4)."""
