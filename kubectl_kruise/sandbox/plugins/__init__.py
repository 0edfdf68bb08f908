"""What a real API server's own admission plugins do to requests."""
