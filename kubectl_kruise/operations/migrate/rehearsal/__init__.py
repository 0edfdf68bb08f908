"""A migration gone through without a write: the machine runs against a copy of what is there, and its requests are noted."""
