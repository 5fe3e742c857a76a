"""What is listed: which animals, how many, since when, and of which categories."""
