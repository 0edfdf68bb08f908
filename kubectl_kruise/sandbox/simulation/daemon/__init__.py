"""Kruise's daemon on the simulated nodes: what it records on pods, and how it restarts containers."""
