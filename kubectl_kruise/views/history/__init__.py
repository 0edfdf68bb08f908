"""The screens and records of `rollout history` (cli.md §4.5)."""
