"""Requests of the controller: counted on, kept in step with the caches, slowed down where they fail."""
