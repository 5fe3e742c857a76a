"""What is remembered from one start to the next: lists, what was seen in them, a theme."""
