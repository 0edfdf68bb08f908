"""Which node a pod gets, and what becomes of pods when their node goes."""
