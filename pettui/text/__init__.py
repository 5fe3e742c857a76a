"""What makes any text safe to draw, to compare, to read as JSON."""
