"""Carry out migrations: read what is there, do the step that follows, until nothing is left to do (migration.md §5)."""
