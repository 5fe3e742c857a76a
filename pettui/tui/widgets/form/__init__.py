"""The form for a new animal, and its fields."""
