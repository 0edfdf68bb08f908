"""What is looked at before a migration starts: every check with its evidence, and what to do about it (migration.md §10)."""
