"""Recordings of single requests: what a server or a webhook answered."""
