"""Recordings of a cluster at work, played again in our own, step by step."""
