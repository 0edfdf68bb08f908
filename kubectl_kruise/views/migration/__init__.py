"""Screens of migrations: the plan, the progress, the report (cli.md §4.3)."""
