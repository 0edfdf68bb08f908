"""Server-side apply: merging a configuration, its conflicts, and what is no longer applied."""
