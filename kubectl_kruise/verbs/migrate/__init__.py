"""`migrate` and what stands below it."""
