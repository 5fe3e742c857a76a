"""What one user's session knows and waits for, and the order of its keys."""
