"""Faults put into engine and controller on purpose: each has to be noticed by the replay of a recording."""
