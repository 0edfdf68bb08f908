"""Revisions of a template: content, name, choice and history (cloneset.md §9)."""
