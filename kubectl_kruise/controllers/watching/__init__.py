"""What controllers have written and still wait to see, and what they do about it in the end."""
