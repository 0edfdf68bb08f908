"""What is found out before the first write: the surroundings, the rights, what the server would make of it (migration.md §10)."""
