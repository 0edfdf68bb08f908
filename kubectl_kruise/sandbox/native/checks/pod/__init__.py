"""Checks of pods and their templates."""
