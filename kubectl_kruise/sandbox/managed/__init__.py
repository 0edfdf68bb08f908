"""Who owns which field of an object: field sets, their owners, and server-side apply (sandbox-apiserver.md §17)."""
