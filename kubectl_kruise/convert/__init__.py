"""Native workloads as Kruise workloads and back: pure functions from one object to another (migration.md §3)."""
