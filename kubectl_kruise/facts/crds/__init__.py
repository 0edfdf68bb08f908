"""The CustomResourceDefinitions of Kruise 1.9.0, built from facts alone (kinds.md §1, §4, §9)."""
