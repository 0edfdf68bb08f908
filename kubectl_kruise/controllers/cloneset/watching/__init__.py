"""The collections the CloneSet controller watches, and what makes it look again."""
