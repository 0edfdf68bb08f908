"""Manifests rewritten for another version of their kind, in the form in which somebody wrote them."""
