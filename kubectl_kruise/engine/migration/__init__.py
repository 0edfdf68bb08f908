"""Decisions of a migration between a Deployment and a CloneSet: which step comes next, and what each one writes."""
