"""Installing and removing the CustomResourceDefinitions of Kruise."""
