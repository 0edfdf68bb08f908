"""Pods that stay: one workload lets go of them, the other takes them (migration.md §5)."""
