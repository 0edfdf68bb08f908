"""What was recorded and what is ours, held side by side."""
