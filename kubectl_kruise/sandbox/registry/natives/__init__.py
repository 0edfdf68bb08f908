"""What the registry does for single native kinds."""
