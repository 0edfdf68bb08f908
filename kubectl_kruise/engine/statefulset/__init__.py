"""What the controller of Advanced StatefulSets decides in one pass, and what a rollout will do (advanced-statefulset.md §9–§18)."""
