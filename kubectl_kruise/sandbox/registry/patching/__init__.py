"""PATCH: reading a patch, applying it, reading what it made."""
